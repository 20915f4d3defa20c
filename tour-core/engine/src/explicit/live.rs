//! Where the value of a variable may still be read: elsewhere, states need not know it.
//!
//! The usual analysis backwards, through calls and returns without regard to which call a return belongs to. While the
//! function of a local variable waits for one that it called, the value goes through that one's states.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{CallGraph, EdgeId, LocId, LocKind, Targets, mentioned};
use tour_ir::prepared::Prepared;
use tour_ir::program::{ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, VarId};

/// Where variables are live, found out for each that is asked about.
pub struct Live<'p> {
    program: &'p Program,
    /// The edges that mention a variable.
    mentions: FxHashMap<VarId, Vec<EdgeId>>,
    /// Where each location is come to from: by an edge, which may write the result of a call; into a function, and out
    /// of it.
    into: IndexVec<LocId, Vec<(LocId, EdgeId)>>,
    /// Whom each function calls.
    calls: IndexVec<FnId, Vec<FnId>>,
}

impl<'p> Live<'p> {
    /// Nothing was asked yet.
    pub fn of(program: &'p Prepared) -> Live<'p> {
        let graph = program.fact::<CallGraph>();
        let mut mentions: FxHashMap<VarId, Vec<EdgeId>> = FxHashMap::default();
        let mut into: IndexVec<LocId, Vec<(LocId, EdgeId)>> =
            program.cfa.locs.iter().map(|_| Vec::new()).collect();
        let mut calls: IndexVec<FnId, Vec<FnId>> = program.functions.iter().map(|_| Vec::new()).collect();
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            for var in mentioned(program, &edge.op) {
                mentions.entry(var).or_default().push(id);
            }
            let mut enters = false;
            if let Op::Call(call) = &edge.op {
                let callees: Vec<FnId> = match graph.targets(program, call) {
                    Targets::Direct(f) => vec![f],
                    Targets::Indirect(_, all) => all.to_vec(),
                };
                for callee in callees {
                    let Some(body) = program.functions[callee].body else { continue };
                    enters = true;
                    into[body.entry].push((edge.from, id));
                    into[edge.to].push((body.exit, id));
                    calls[program.cfa.locs[edge.from].function].push(callee);
                }
            }
            if !enters {
                into[edge.to].push((edge.from, id));
            }
        }
        Live { program, mentions, into, calls }
    }

    /// The locations where a variable is live.
    pub fn locations(&self, var: VarId) -> Vec<LocId> {
        let program = self.program;
        let own = program.vars[var].function();
        let within = own.map(|own| self.reachable(own));
        let is_within = |loc: LocId| {
            within.as_ref().is_none_or(|within| within.contains(&program.cfa.locs[loc].function))
        };
        let mut live: FxHashSet<LocId> = FxHashSet::default();
        let mut work: Vec<LocId> = Vec::new();
        let mut found: Vec<LocId> = Vec::new();
        for &edge in self.mentions.get(&var).into_iter().flatten() {
            if self.reads(edge, var) {
                work.push(program.cfa.edges[edge].from);
            }
        }
        // What a function returns is read by its callers.
        for (id, function) in program.functions.iter_enumerated() {
            if function.ret == Some(var)
                && let Some(body) = program.functions[id].body
            {
                work.push(body.exit);
            }
        }
        while let Some(loc) = work.pop() {
            if !live.insert(loc) {
                continue;
            }
            found.push(loc);
            // What a call writes, it writes when it returns.
            let enters = program.cfa.locs[loc].kind == LocKind::Entry;
            for &(from, edge) in &self.into[loc] {
                if is_within(from) && (enters || !self.overwrites(edge, var)) {
                    work.push(from);
                }
            }
        }
        found
    }

    fn reachable(&self, from: FnId) -> FxHashSet<FnId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![from];
        while let Some(f) = work.pop() {
            if seen.insert(f) {
                work.extend(&self.calls[f]);
            }
        }
        seen
    }

    fn reads(&self, edge: EdgeId, var: VarId) -> bool {
        let program = self.program;
        match &program.cfa.edges[edge].op {
            Op::Assign(place, value) => match program.places[*place].kind {
                PlaceKind::Var(target) if target == var => self.looks_at(*value, var),
                _ => true,
            },
            Op::Havoc(place, _) => program.places[*place].kind != PlaceKind::Var(var),
            Op::Declare(of) | Op::Expire(of) => *of != var,
            Op::Call(call) => {
                let is_dest = |place: PlaceId| program.places[place].kind == PlaceKind::Var(var);
                let only_dest = call.dest.is_some_and(is_dest);
                !only_dest || call.args.iter().any(|arg| self.looks_at(*arg, var))
            }
            Op::Nop | Op::Assume { .. } | Op::Return(_) | Op::Unsupported(_) => true,
        }
    }

    /// The variable has another value behind the edge, whatever it had.
    fn overwrites(&self, edge: EdgeId, var: VarId) -> bool {
        let program = self.program;
        let is_all = |place: PlaceId| program.places[place].kind == PlaceKind::Var(var);
        match &program.cfa.edges[edge].op {
            Op::Assign(place, _) | Op::Havoc(place, _) => is_all(*place),
            Op::Declare(of) => *of == var,
            Op::Return(Some(_)) => {
                program.functions[program.cfa.locs[program.cfa.edges[edge].from].function].ret == Some(var)
            }
            Op::Call(call) => call.dest.is_some_and(is_all),
            _ => false,
        }
    }

    /// Expressions are only as deep as recursion allows for.
    fn looks_at(&self, expr: ExprId, var: VarId) -> bool {
        let program = self.program;
        match program.exprs[expr].kind {
            ExprKind::Load(place) | ExprKind::AddrOf(place) => {
                program.root(place) == Some(var)
                    || program.pointer_to(place).is_some_and(|p| self.looks_at(p, var))
                    || self.indexed_by(place, var)
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => self.looks_at(a, var),
            ExprKind::Binary(_, a, b) => self.looks_at(a, var) || self.looks_at(b, var),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => false,
        }
    }

    fn indexed_by(&self, mut place: PlaceId, var: VarId) -> bool {
        loop {
            match self.program.places[place].kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return false,
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) => {
                    if self.looks_at(index, var) {
                        return true;
                    }
                    place = base;
                }
            }
        }
    }
}
