//! Copies of small functions that are given pointers or give one, one for each call.
//!
//! The points-to analysis of [`crate::regions`] knows one version of each function: if a program gets all its memory from
//! one `xmalloc`, all objects are of one region, whatever they are used for, and bytes that are a pointer in one of them are
//! something else in another. So each call gets its own copy of such a function, with those that it calls in turn (a
//! points-to analysis that is sensitive to calls, as far as functions are small). What a run does stays the same. A copy has
//! the name, the places in the text and the checks of its original; [`Copies`](tour_ir::program::Copies) tells which edges are
//! copies of which.
//!
//! | file | what |
//! |---|---|
//! | `choice` | which functions are copied |

mod choice;

use crate::tuning::PreparationLimits;
use choice::Choice;
use rustc_hash::FxHashMap;
use tour_ir::cfa::{CallGraph, EdgeId, LocId};
use tour_ir::program::{Body, Call, Callee, ExprId, FnId, Function, Op, Program, Rename, Storage, VarId};

/// Gives calls copies of their own, which have as many edges as the program at most, or as the limits say.
pub fn add(program: &mut Program, limits: &PreparationLimits) {
    let calls = CallGraph::of(program);
    let choice = Choice::of(program, &calls, limits.max_copied_edges);
    let mut left = program.cfa.edges.len().max(limits.min_copy_budget);
    // The first call has the original, unless pointers lead there.
    let mut taken: Vec<bool> = program.functions.indices().map(|f| calls.is_address_taken(f)).collect();
    for (site, f) in choice.sites(program, &calls) {
        if !std::mem::replace(&mut taken[f.index()], true) {
            continue;
        }
        // The most useful copies come first: what is smaller may still fit.
        let Some(size) = choice.size(f).filter(|size| *size <= left) else { continue };
        left -= size;
        let copy = Copier { program, choice: &choice }.function(f);
        if let Op::Call(call) = &mut program.cfa.edges[site].op {
            call.callee = Callee::Direct(copy);
        }
    }
}

struct Copier<'a> {
    program: &'a mut Program,
    choice: &'a Choice,
}

impl Copier<'_> {
    /// A new copy of a function.
    fn function(&mut self, f: FnId) -> FnId {
        let old = self.program.functions[f].clone();
        let Some(body) = old.body else { return f };
        let to = self.program.functions.push(Function { body: None, ..old.clone() });
        self.program.copies.add_function(to, f);
        let mut own =
            Own { program: self.program, to, vars: FxHashMap::default(), conditions: FxHashMap::default() };
        let params = old.params.iter().map(|&var| own.new_var(var)).collect();
        let ret = old.ret.map(|var| own.new_var(var));
        let locals: Vec<VarId> = old.locals.iter().map(|&var| own.new_var(var)).collect();
        // The length of an array is one of the variables.
        for &var in &locals {
            own.program.vars[var].ty.ty = own.ty(own.program.vars[var].ty.ty);
        }
        let mut locs: FxHashMap<LocId, LocId> = FxHashMap::default();
        let mut work = vec![body.entry, body.exit];
        let mut edges: Vec<EdgeId> = Vec::new();
        while let Some(loc) = work.pop() {
            if locs.contains_key(&loc) {
                continue;
            }
            let kind = own.program.cfa.locs[loc].kind;
            locs.insert(loc, own.program.cfa.add_loc(to, kind));
            for &edge in &own.program.cfa.locs[loc].out {
                edges.push(edge);
                work.push(own.program.cfa.edges[edge].to);
            }
        }
        // In the order in which the original's were made: what is first there is first here.
        edges.sort_unstable();
        let mut calls = Vec::new();
        for id in edges {
            let edge = own.program.cfa.edges[id].clone();
            let op = match edge.op {
                Op::Assume { cond, truth } => Op::Assume { cond: own.condition(cond), truth },
                op => own.op(&op),
            };
            let copied = match &op {
                Op::Call(Call { callee: Callee::Direct(g), .. }) => Some(*g),
                _ => None,
            };
            let new = own.program.cfa.add_edge(locs[&edge.from], locs[&edge.to], op, edge.span);
            own.program.copies.add_edge(new, id);
            calls.extend(copied.map(|g| (new, g)));
        }
        let function = &mut self.program.functions[to];
        (function.params, function.ret, function.locals) = (params, ret, locals);
        function.body = Some(Body { entry: locs[&body.entry], exit: locs[&body.exit] });
        for (edge, g) in calls {
            if self.choice.size(g).is_some() {
                let copy = self.function(g);
                if let Op::Call(call) = &mut self.program.cfa.edges[edge].op {
                    call.callee = Callee::Direct(copy);
                }
            }
        }
        to
    }
}

/// The variables of one copy.
struct Own<'a> {
    program: &'a mut Program,
    to: FnId,
    vars: FxHashMap<VarId, VarId>,
    /// Both sides of a branch have the same condition.
    conditions: FxHashMap<ExprId, ExprId>,
}

impl Own<'_> {
    fn new_var(&mut self, var: VarId) -> VarId {
        let mut copy = self.program.vars[var].clone();
        copy.storage = match copy.storage {
            Storage::Param(_) => Storage::Param(self.to),
            Storage::Temp(_) => Storage::Temp(self.to),
            Storage::Return(_) => Storage::Return(self.to),
            Storage::Local(_) => Storage::Local(self.to),
            // There is one for all calls.
            Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) | Storage::Literal => {
                return var;
            }
        };
        let new = self.program.vars.push(copy);
        self.vars.insert(var, new);
        new
    }

    fn condition(&mut self, cond: ExprId) -> ExprId {
        if let Some(&known) = self.conditions.get(&cond) {
            return known;
        }
        let new = self.expr(cond);
        self.conditions.insert(cond, new);
        new
    }
}

impl Rename for Own<'_> {
    fn program(&mut self) -> &mut Program {
        self.program
    }

    fn var(&mut self, var: VarId) -> VarId {
        self.vars.get(&var).copied().unwrap_or(var)
    }
}
