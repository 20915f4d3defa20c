//! Slices, checked: every run of the program that violates a check is matched by one of the slice.
//!
//! How the slice was found plays no part. What is checked is that it is closed, location by location, by the slice's own
//! word on where runs go on (its *next* locations) and which data agree:
//!
//! 1. Error locations and ends of functions are kept.
//! 2. A location that is kept has all its edges, which do the same and lead to where a run goes on behind them. What they
//!    read agrees. An argument may become a constant if the parameter does not matter, and a result be dropped that goes
//!    nowhere that matters. A branch may be open: a run of the slice takes either edge, whatever the condition reads.
//! 3. The edges of a location that is not kept write no datum that agrees, and do nothing that nobody knows. If one of
//!    them leads to where a run goes on, then that is where one goes on from here.
//! 4. A call that is not kept leads to functions that keep nothing but their end.
//!
//! By induction over a run: the program and the slice have equal values of the data that agree, in all frames of calls that
//! are kept; while the program is where nothing is kept, the slice waits at the next location. A run that never gets there
//! violates nothing. Which data an operation touches is read off the points-to solution, which is checked first.

mod touched;

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use touched::Touched;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, LocKind};
use tour_ir::program::{Call, ExprId, ExprKind, FnId, HavocOrigin, IntKind, Op, Program};
use tour_model::regions::Regions;
use tour_model::slice::{Datum, Slice, SliceEdge};

/// The slice as a program, if it has all runs of the program that violate a check; else what is wrong with it.
pub(super) fn check(program: &Program, slice: &Slice) -> Result<Program, String> {
    if !program.threads.is_empty() {
        return Err("a program with threads has no slice".into());
    }
    let regions = Regions::of(program);
    super::points_to::check(program, &regions).map_err(|why| format!("the points-to analysis: {why}"))?;
    if slice.next.len() != program.cfa.locs.len() {
        return Err("the slice is that of another program".into());
    }
    let mut edges: FxHashMap<EdgeId, &SliceEdge> = FxHashMap::default();
    for edge in &slice.edges {
        let known = program.cfa.edges.get(edge.edge).is_some_and(|at| {
            let to = program.cfa.locs.get(edge.to);
            to.is_some_and(|to| to.function == program.cfa.locs[at.from].function)
        });
        if !known || edges.insert(edge.edge, edge).is_some() {
            return Err(format!("{:?} is no edge, or twice in the slice", edge.edge));
        }
    }
    if !slice.constants.iter().all(|expr| matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_))) {
        return Err("an expression of the slice is no constant".into());
    }
    let open: FxHashSet<LocId> = slice.open.iter().copied().collect();
    if open.len() != slice.open.len() || open.iter().any(|loc| !two_ways(program, slice, *loc)) {
        return Err("an open branch is none".into());
    }
    let data = slice.data.iter().copied().collect();
    let calls = CallGraph::of(program);
    let touched = Touched { program, regions: &regions, calls: &calls };
    let mut closure = Closure { program, slice, edges, open, data, touched, quiet: BTreeSet::new() };
    closure.all()?;
    Ok(closure.assemble())
}

/// A location that is kept, with two edges: one if a condition holds, one if another does not.
fn two_ways(program: &Program, slice: &Slice, loc: LocId) -> bool {
    let Some(of) = program.cfa.locs.get(loc) else { return false };
    let truth = |edge: &EdgeId| match program.cfa.edges[*edge].op {
        Op::Assume { truth, .. } => Some(truth),
        _ => None,
    };
    let ways: Vec<Option<bool>> = of.out.iter().map(truth).collect();
    slice.keeps(loc) && matches!(ways[..], [Some(a), Some(b)] if a != b)
}

struct Closure<'a> {
    program: &'a Program,
    slice: &'a Slice,
    edges: FxHashMap<EdgeId, &'a SliceEdge>,
    /// Branches that are open.
    open: FxHashSet<LocId>,
    /// The data that agree.
    data: FxHashSet<Datum>,
    touched: Touched<'a>,
    /// Functions that must keep nothing.
    quiet: BTreeSet<FnId>,
}

impl Closure<'_> {
    fn all(&mut self) -> Result<(), String> {
        let mut seen: FxHashSet<FnId> = FxHashSet::default();
        let mut loud: FxHashSet<FnId> = FxHashSet::default();
        let mut work = vec![self.program.entry];
        while let Some(f) = work.pop() {
            if !seen.insert(f) {
                continue;
            }
            let body = self.program.functions[f].body.ok_or("a function without a body is called")?;
            let (mut reached, mut next) = (FxHashSet::default(), vec![body.entry]);
            while let Some(loc) = next.pop() {
                if !reached.insert(loc) {
                    continue;
                }
                if self.slice.keeps(loc) && loc != body.exit {
                    loud.insert(f);
                }
                let wrong = |why: String| format!("{loc:?} of `{}`: {why}", self.program.functions[f].name);
                self.location(f, loc, &mut work).map_err(wrong)?;
                next.extend(self.program.cfa.successors(loc).map(|(_, edge)| edge.to));
            }
            self.entry(body.entry)?;
        }
        match self.quiet.iter().find(|f| loud.contains(f)) {
            Some(&f) => Err(format!(
                "a call of `{}`, where something is kept, is not kept",
                self.program.functions[f].name
            )),
            None => Ok(()),
        }
    }

    /// A run of the slice that begins a function gets to where it goes on.
    fn entry(&self, entry: LocId) -> Result<(), String> {
        let Some(next) = self.slice.next[entry].filter(|next| *next != entry) else { return Ok(()) };
        let leads =
            |edge: &EdgeId| self.edges.get(edge).is_some_and(|edge| edge.op == Op::Nop && edge.to == next);
        match self.program.cfa.locs[entry].out.iter().any(leads) {
            true => Ok(()),
            false => Err(format!("no edge leads from {entry:?} to where a run goes on")),
        }
    }

    fn location(&mut self, f: FnId, loc: LocId, work: &mut Vec<FnId>) -> Result<(), String> {
        let program = self.program;
        let node = &program.cfa.locs[loc];
        let kept = self.slice.keeps(loc);
        if !kept && matches!(node.kind, LocKind::Error(_) | LocKind::Exit) {
            return Err("an error location or the end of a function is not kept".into());
        }
        for (id, edge) in program.cfa.successors(loc) {
            let on = self.slice.next[edge.to];
            let targets = self.touched.targets(&edge.op);
            if kept {
                let of = *self.edges.get(&id).ok_or("an edge is missing")?;
                if on.is_some_and(|on| on != of.to) {
                    return Err(format!("{id:?} leads somewhere else"));
                }
                match self.open.contains(&loc) {
                    true if of.op == edge.op => {}
                    true => return Err("an edge does something else".into()),
                    false => self.kept(f, &edge.op, &of.op, &targets)?,
                }
            } else {
                if on.is_some() && self.slice.next[loc] != on {
                    return Err("runs go on at different locations".into());
                }
                if self.touched.is_unknown(&edge.op) {
                    return Err("what nobody knows is not kept".into());
                }
                if let Some(datum) =
                    self.touched.writes(f, &edge.op, &targets).iter().find(|d| self.data.contains(d))
                {
                    return Err(format!("what is not kept writes {datum:?}: {}", program.show_op(&edge.op)));
                }
                self.quiet.extend(targets.iter().filter(|f| program.functions[**f].body.is_some()));
            }
            work.extend(targets.iter().filter(|f| program.functions[**f].body.is_some()));
        }
        Ok(())
    }

    fn agree(&self, data: &[Datum], op: &Op) -> Result<(), String> {
        match data.iter().find(|datum| !self.data.contains(datum)) {
            Some(datum) => Err(format!("what is kept reads {datum:?}: {}", self.program.show_op(op))),
            None => Ok(()),
        }
    }

    fn any(&self, data: &[Datum]) -> bool {
        data.iter().any(|datum| self.data.contains(datum))
    }

    /// An operation that is kept is that of the program, and what it reads agrees.
    fn kept(&self, f: FnId, op: &Op, kept: &Op, targets: &[FnId]) -> Result<(), String> {
        let bodies = targets.iter().any(|f| self.program.functions[*f].body.is_some());
        match (op, kept) {
            (Op::Call(call), Op::Call(left)) if bodies => self.call(op, call, left, targets),
            _ if op == kept => self.agree(&self.touched.reads(f, op), op),
            _ => Err("an edge does something else".into()),
        }
    }

    fn call(&self, op: &Op, call: &Call, left: &Call, targets: &[FnId]) -> Result<(), String> {
        let functions = &self.program.functions;
        if call.callee != left.callee || call.args.len() != left.args.len() {
            return Err("a call is another one".into());
        }
        self.agree(&self.touched.callee(call), op)?;
        for (i, (&arg, &now)) in call.args.iter().zip(&left.args).enumerate() {
            if arg == now {
                self.agree(&self.touched.value(arg), op)?;
                continue;
            }
            if !self.stands_for(now, arg) {
                return Err("another argument".into());
            }
            for &target in targets {
                let param = functions[target].params.get(i).map(|param| self.touched.variable(*param));
                if param.is_some_and(|param| self.any(&param)) {
                    return Err(format!("an argument that matters is gone: {}", self.program.show_op(op)));
                }
            }
        }
        match (call.dest, left.dest) {
            (None, None) => Ok(()),
            (Some(dest), None) if !self.any(&self.touched.content(dest)) => Ok(()),
            (Some(dest), Some(now)) if dest == now => {
                self.agree(&self.touched.address(dest), op)?;
                for ret in targets.iter().filter_map(|f| functions[*f].ret) {
                    self.agree(&self.touched.variable(ret), op)?;
                }
                Ok(())
            }
            _ => Err(format!("a result that matters is gone: {}", self.program.show_op(op))),
        }
    }

    /// A constant of the slice that has the type of an argument.
    fn stands_for(&self, constant: ExprId, arg: ExprId) -> bool {
        let index = constant.index().checked_sub(self.program.exprs.len());
        let found = index.and_then(|index| self.slice.constants.get(index));
        found.is_some_and(|found| found.ty == self.program.exprs[arg].ty)
    }

    /// The automata of the slice. A location that is not kept is an end, unless it is where a function begins.
    fn assemble(&self) -> Program {
        let mut program = self.program.clone();
        program.exprs.extend(self.slice.constants.iter().cloned());
        for loc in program.cfa.locs.iter_mut() {
            (loc.out, loc.into) = Default::default();
        }
        for loc in self.program.cfa.locs.indices().filter(|loc| !self.slice.keeps(*loc)) {
            if self.program.cfa.locs[loc].kind == LocKind::Plain {
                program.cfa.locs[loc].kind = LocKind::End;
            }
        }
        for edge in program.cfa.edges.indices() {
            let at = &mut program.cfa.edges[edge];
            match self.edges.get(&edge) {
                Some(of) => (at.op, at.to) = (of.op.clone(), of.to),
                None => at.op = Op::Nop,
            }
        }
        for of in &self.slice.edges {
            let from = self.program.cfa.edges[of.edge].from;
            program.cfa.locs[from].out.push(of.edge);
            program.cfa.locs[of.to].into.push(of.edge);
        }
        for &loc in &self.slice.open {
            choose(&mut program, loc);
        }
        program
    }
}

/// Lets runs take either of two edges: which one is up to a variable with any value.
fn choose(program: &mut Program, branch: LocId) {
    let edges = program.cfa.locs[branch].out.clone();
    let (function, span) = (program.cfa.locs[branch].function, program.cfa.edges[edges[0]].span);
    let ty = program.types.int(IntKind::Int);
    let either = program.add_temp(function, "<either>", ty, span);
    let place = program.var_place(either, span);
    let value = program.load(place, span);
    let chosen = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[branch].out.clear();
    program.cfa.add_edge(branch, chosen, Op::Havoc(place, HavocOrigin::Indeterminate), span);
    for edge in edges {
        let Op::Assume { truth, .. } = program.cfa.edges[edge].op else { continue };
        program.cfa.edges[edge].from = chosen;
        program.cfa.edges[edge].op = Op::Assume { cond: value, truth };
        program.cfa.locs[chosen].out.push(edge);
    }
}
