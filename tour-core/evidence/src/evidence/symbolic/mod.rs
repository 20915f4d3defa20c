//! The checker's own execution of the program: symbolic values, merged by `ite` where control flow joins.

mod copy;
mod expr;
mod library;
mod memory;
mod mixed;
mod modular;
mod place;
mod pointer;
mod state;
mod written;

pub use modular::Writes;

use super::invariants::Point;
use super::points_to;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tour_ir::cfa::{CallGraph, Cfa, EdgeId, LocId, LocKind};
use tour_ir::limits::Interrupt;
use tour_ir::program::{Builtin, Call, Callee, ExprId, FnId, Op, PlaceKind, Program, VarId};
use tour_logic::term::{BaseId, Symbol, TermId, Terms};
use tour_model::encode::Cell;
use tour_model::regions::Regions;

/// A set of runs that are at the same point: under which condition, and with which values. A cell without a value
/// has the one it had at the beginning.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The condition.
    pub guard: TermId,
    values: imbl::OrdMap<Cell, TermId>,
}

impl Flow {
    /// Runs that satisfy a state formula, with the values that they have.
    pub fn from_state(guard: TermId) -> Flow {
        Flow { guard, values: imbl::OrdMap::new() }
    }

    /// The cells that were written, with what they are now.
    pub fn values(&self) -> impl Iterator<Item = (&Cell, TermId)> {
        self.values.iter().map(|(cell, value)| (cell, *value))
    }
}

/// Where a run ends.
pub enum Leads {
    /// The next cut point.
    Cut(Point),
    /// An error location.
    Error(LocId),
    /// Something that the checker does not know.
    Unmodelled(EdgeId),
}

/// What the checker can't execute.
struct Unmodelled;
type Exec<T> = Result<T, Unmodelled>;

/// Executes a program symbolically.
pub struct Executor<'a> {
    program: &'a Program,
    /// The function in whose frame runs begin.
    base: FnId,
    regions: Rc<Regions>,
    /// Variables whose life begins at a declaration.
    declared: Rc<FxHashSet<VarId>>,
    interrupt: Interrupt,
    entry_recurs: bool,
    /// The terms.
    pub terms: &'a mut Terms,
    bases: &'a FxHashMap<Cell, BaseId>,
    own: FxHashMap<Cell, BaseId>,
    fresh: u32,
    /// What holds of what the current step evaluated: pointers point to objects that were made.
    facts: Vec<TermId>,
    /// The facts of the last step.
    known: TermId,
    /// What must hold for the current step to be as executed: accesses are inside of live objects.
    obligations: Vec<TermId>,
    /// What is written are initial values, also of constants.
    initialising: bool,
}

/// What of a program the executor looks up.
#[derive(Clone)]
pub struct Knowledge {
    regions: Rc<Regions>,
    declared: Rc<FxHashSet<VarId>>,
    entry_recurs: bool,
    interrupt: Interrupt,
}

impl Knowledge {
    /// The points-to solution, which was checked.
    pub fn regions(&self) -> Rc<Regions> {
        self.regions.clone()
    }

    /// Looks at a program. The points-to solution, which the analyses use too, is checked; an error says what is wrong
    /// with it.
    pub fn of(program: &Program, interrupt: &Interrupt) -> Result<Knowledge, String> {
        let regions = Regions::of(program);
        points_to::check(program, &regions).map_err(|why| format!("the points-to analysis: {why}"))?;
        let declared = (program.cfa.edges.iter())
            .filter_map(|edge| match edge.op {
                Op::Declare(var) => Some(var),
                _ => None,
            })
            .collect();
        Ok(Knowledge {
            regions: Rc::new(regions),
            interrupt: interrupt.clone(),
            declared: Rc::new(declared),
            entry_recurs: CallGraph::of(program).is_recursive(program.entry),
        })
    }
}

impl<'a> Executor<'a> {
    /// An executor. `bases` are the variables of the invariants.
    pub fn new(
        program: &'a Program,
        terms: &'a mut Terms,
        bases: &'a FxHashMap<Cell, BaseId>,
        knowledge: &Knowledge,
    ) -> Executor<'a> {
        let known = terms.yes();
        // Beyond what any executor before has used in this arena: each such variable is a term of its own.
        let fresh = terms.len() as u32;
        Executor {
            program,
            base: program.entry,
            known,
            regions: knowledge.regions.clone(),
            declared: knowledge.declared.clone(),
            entry_recurs: knowledge.entry_recurs,
            interrupt: knowledge.interrupt.clone(),
            terms,
            bases,
            own: FxHashMap::default(),
            fresh,
            facts: Vec::new(),
            obligations: Vec::new(),
            initialising: false,
        }
    }

    /// A state formula about the values of a flow.
    pub fn state_formula(&mut self, formula: TermId, flow: &Flow) -> TermId {
        let cells: FxHashMap<BaseId, &Cell> = self.bases.iter().map(|(c, b)| (*b, c)).collect();
        let mut memo = Default::default();
        self.terms.substitute(formula, &mut memo, |terms, term| {
            let Symbol { base, .. } = terms.as_symbol(term)?;
            flow.values.get(*cells.get(&base)?).copied()
        })
    }

    /// Executes from a cut point to the next ones.
    pub fn run(
        &mut self,
        from: &Point,
        begin: Flow,
        is_cut: &dyn Fn(&Point) -> bool,
    ) -> Result<Vec<(Leads, Flow)>, String> {
        let order = self.topological(from, is_cut)?;
        let mut flows: FxHashMap<Point, Flow> = FxHashMap::default();
        flows.insert(from.clone(), begin);
        let mut ends: Vec<(Leads, Flow)> = Vec::new();
        for point in order {
            self.interrupt.check().map_err(|why| why.to_string())?;
            let Some(flow) = flows.remove(&point) else { continue };
            for (edge, to) in self.successors(&point) {
                let mut after = flow.clone();
                if let Some(guard) = self.bad_call(&point, &to, edge, &flow) {
                    ends.push((Leads::Unmodelled(edge), Flow { guard, ..flow.clone() }));
                    continue;
                }
                if self.step(&point, &to, edge, &mut after).is_err() {
                    ends.push((Leads::Unmodelled(edge), flow.clone()));
                    continue;
                }
                if !self.obligations.is_empty() {
                    let kept = self.terms.and(&self.obligations);
                    let broken = self.terms.not(kept);
                    let guard = self.terms.and(&[flow.guard, self.known, broken]);
                    ends.push((Leads::Unmodelled(edge), Flow { guard, ..flow.clone() }));
                }
                if after.guard == self.terms.no() {
                    continue;
                }
                match self.cfa().locs[to.loc].kind {
                    LocKind::Error(_) => ends.push((Leads::Error(to.loc), after)),
                    LocKind::End => {}
                    LocKind::Plain | LocKind::Entry | LocKind::Exit => {
                        if is_cut(&to) {
                            ends.push((Leads::Cut(to), after));
                        } else {
                            let merged = match flows.remove(&to) {
                                Some(old) => self.join(old, after),
                                None => after,
                            };
                            flows.insert(to, merged);
                        }
                    }
                }
            }
        }
        Ok(ends)
    }

    fn cfa(&self) -> &'a Cfa {
        &self.program.cfa
    }

    /// Points between cut points, each after its predecessors. A cycle without a cut point is an error.
    fn topological(&self, from: &Point, is_cut: &dyn Fn(&Point) -> bool) -> Result<Vec<Point>, String> {
        let inner = |p: &Point| -> Vec<Point> {
            let next = self.successors(p).into_iter().map(|(_, to)| to);
            next.filter(|to| {
                !is_cut(to) && !matches!(self.cfa().locs[to.loc].kind, LocKind::Error(_) | LocKind::End)
            })
            .collect()
        };
        let mut post = Vec::new();
        let mut open: FxHashSet<Point> = FxHashSet::default();
        let mut done: FxHashSet<Point> = FxHashSet::default();
        open.insert(from.clone());
        let mut stack = vec![(from.clone(), inner(from), 0)];
        while let Some((point, next, i)) = stack.last_mut() {
            if post.len().is_multiple_of(1024) {
                self.interrupt.check().map_err(|why| why.to_string())?;
            }
            match next.get(*i) {
                Some(to) => {
                    *i += 1;
                    if done.contains(to) {
                        continue;
                    }
                    let to = to.clone();
                    if !open.insert(to.clone()) {
                        return Err(format!("a cycle through {to:?} has no invariant"));
                    }
                    let successors = inner(&to);
                    stack.push((to, successors, 0));
                }
                None => {
                    open.remove(point);
                    done.insert(point.clone());
                    post.push(point.clone());
                    stack.pop();
                }
            }
        }
        post.reverse();
        Ok(post)
    }

    /// The cut points that can come next after one, by the graph alone.
    pub fn next_cuts(&self, from: &Point, is_cut: &dyn Fn(&Point) -> bool) -> Result<Vec<Point>, String> {
        let mut cuts = Vec::new();
        for point in self.topological(from, is_cut)? {
            cuts.extend(self.successors(&point).into_iter().map(|(_, to)| to).filter(|to| {
                is_cut(to) && !matches!(self.cfa().locs[to.loc].kind, LocKind::Error(_) | LocKind::End)
            }));
        }
        cuts.sort_unstable();
        cuts.dedup();
        Ok(cuts)
    }

    /// The functions with a body that a pointer may point to.
    fn callees(&self, pointer: ExprId) -> Vec<FnId> {
        let region = self.regions.pointee(pointer);
        let is_there = |f: &FnId| {
            self.program.functions[*f].body.is_some() && self.regions.function(*f).map(|(of, _)| of) == region
        };
        self.program.functions.indices().filter(is_there).collect()
    }

    /// The edges that can come next, with where they lead.
    pub fn successors(&self, point: &Point) -> Vec<(EdgeId, Point)> {
        if self.cfa().locs[point.loc].kind == LocKind::Exit {
            let mut calls = point.calls.clone();
            let Some((call, _)) = calls.pop() else { return Vec::new() };
            return vec![(call, Point { calls, loc: self.cfa().edges[call].to, atomic: point.atomic })];
        }
        let mut out = Vec::new();
        for (id, edge) in self.cfa().successors(point.loc) {
            let here = Point { calls: point.calls.clone(), loc: edge.to, atomic: point.atomic };
            let into = |f: FnId| {
                let body = self.program.functions[f].body?;
                let mut calls = point.calls.clone();
                calls.push((id, f));
                Some((id, Point { calls, loc: body.entry, atomic: point.atomic }))
            };
            match &edge.op {
                Op::Call(Call { callee: Callee::Direct(f), .. }) => {
                    out.push(into(*f).unwrap_or_else(|| (id, self.after(point, *f, here))));
                }
                Op::Call(Call { callee: Callee::Indirect(pointer), .. }) => {
                    out.extend(self.callees(*pointer).into_iter().filter_map(into));
                    out.push((id, here)); // none of them: not modelled
                }
                _ => out.push((id, here)),
            }
        }
        out
    }

    /// Where a function without a body leads: `here`, but for those that concern threads.
    fn after(&self, point: &Point, f: FnId, here: Point) -> Point {
        match self.program.functions[f].builtin {
            Some(Builtin::AtomicBegin) => Point { atomic: point.atomic.saturating_add(1), ..here },
            Some(Builtin::AtomicEnd) => Point { atomic: point.atomic.saturating_sub(1), ..here },
            Some(Builtin::ThreadExit) if !self.program.threads.is_empty() => {
                let function = self.cfa().locs[point.loc].function;
                let root = self.program.threads.root_of(function, function);
                match self.program.functions[root].body {
                    Some(body) => Point { calls: Vec::new(), loc: body.exit, atomic: 0 },
                    None => here,
                }
            }
            _ => here,
        }
    }

    /// How many frames of its own function lie below the top one.
    fn instance(&self, calls: &[(EdgeId, FnId)], function: FnId) -> u32 {
        let below = calls.iter().rev().skip(1).filter(|c| c.1 == function).count();
        let root = match self.base == self.program.entry {
            true => self.program.threads.root_of(function, self.program.entry),
            false => self.base,
        };
        (below + usize::from(!calls.is_empty() && root == function)) as u32
    }

    /// The step is that of a call through a pointer that points to none of the functions that can be executed.
    fn is_bad_call(&self, from: &Point, to: &Point, edge: EdgeId) -> bool {
        let op = &self.program.cfa.edges[edge].op;
        matches!(op, Op::Call(Call { callee: Callee::Indirect(_), .. })) && from.calls.len() == to.calls.len()
    }

    /// A call through a pointer that points to none of the functions that can be executed: under which condition.
    fn bad_call(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &Flow) -> Option<TermId> {
        let program = self.program;
        let Op::Call(Call { callee: Callee::Indirect(pointer), .. }) = &program.cfa.edges[edge].op else {
            return None;
        };
        if !self.is_bad_call(from, to, edge) {
            return None;
        }
        self.facts.clear();
        self.obligations.clear();
        let function = self.cfa().locs[from.loc].function;
        let instance = self.instance(&from.calls, function);
        let Ok(value) = self.value(flow, *pointer, instance) else { return Some(flow.guard) };
        // Whatever the value is worth that was read, it is none of these.
        let mut all = self.facts.clone();
        for f in self.callees(*pointer) {
            if let Ok(address) = self.function_address(f) {
                let same = self.terms.eq(value, address);
                all.push(self.terms.not(same));
            }
        }
        let kept = self.terms.and(&self.obligations);
        let none = self.terms.and(&all);
        let broken = self.terms.not(kept);
        let facts = self.terms.and(&self.facts);
        let outside = self.terms.and2(facts, broken);
        let bad = self.terms.or2(none, outside);
        Some(self.terms.and2(flow.guard, bad))
    }

    fn step(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        self.facts.clear();
        self.obligations.clear();
        self.operate(from, to, edge, flow)?;
        self.known = self.terms.and(&self.facts);
        self.facts.push(flow.guard);
        self.facts.extend(&self.obligations);
        flow.guard = self.terms.and(&self.facts);
        Ok(())
    }

    fn operate(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        let function = self.cfa().locs[from.loc].function;
        let instance = self.instance(&from.calls, function);
        let program = self.program;
        match &program.cfa.edges[edge].op {
            Op::Nop => Ok(()),
            Op::Assign(place, value) => {
                let spot = self.spot(flow, *place, instance)?;
                let held = match program.places[*place].kind {
                    PlaceKind::Var(var) if self.regions.carriers().contains(var) => {
                        Some((var, self.made_of_pointer(flow, *value, instance)?))
                    }
                    _ => None,
                };
                match program.copied_byte(*place, *value) {
                    Some(from) => {
                        let from = self.spot(flow, from, instance)?;
                        let set = self.was_written(flow, &from)?;
                        self.store(flow, spot.clone(), *value, instance)?;
                        self.mark_scalar(flow, &spot, set)?;
                    }
                    None => self.store(flow, spot, *value, instance)?,
                }
                if let Some((var, pointer)) = held {
                    self.remember(flow, var, instance, pointer);
                }
                self.any_padding_around(flow, *place, instance)
            }
            Op::Assume { cond, truth } => {
                let holds = self.truth(flow, *cond, instance)?;
                let holds = if *truth { holds } else { self.terms.not(holds) };
                flow.guard = self.terms.and2(flow.guard, holds);
                Ok(())
            }
            Op::Return(value) => match (value, program.functions[function].ret) {
                (Some(value), Some(ret)) => {
                    let spot = self.whole(flow, ret, instance);
                    self.store(flow, spot, *value, instance)
                }
                _ => Ok(()),
            },
            Op::Havoc(place, _) => {
                let spot = self.spot(flow, *place, instance)?;
                self.confirm(flow, &spot)?;
                self.forget(flow, spot, true)
            }
            Op::Declare(var) => self.declare(flow, *var, instance),
            Op::Expire(var) => {
                self.end_life(flow, *var, instance);
                Ok(())
            }
            Op::Unsupported(_) => Err(Unmodelled),
            Op::Call(call) => {
                if to.calls.len() > from.calls.len() {
                    self.enter(flow, call, to, instance)
                } else if to.calls.len() < from.calls.len() {
                    self.leave(flow, call, from, to)
                } else {
                    let Callee::Direct(f) = call.callee else { return Err(Unmodelled) };
                    let builtin = program.functions[f].builtin.ok_or(Unmodelled)?;
                    self.library(flow, edge, call, builtin, instance)
                }
            }
        }
    }

    fn enter(&mut self, flow: &mut Flow, call: &Call, to: &Point, caller: u32) -> Exec<()> {
        let callee = self.cfa().locs[to.loc].function;
        let instance = self.instance(&to.calls, callee);
        if let Callee::Indirect(pointer) = call.callee {
            let value = self.value(flow, pointer, caller)?;
            let region = self.regions.pointee(pointer);
            let same = match self.regions.function(callee) {
                Some((of, _)) if Some(of) == region => {
                    let address = self.function_address(callee)?;
                    self.terms.eq(value, address)
                }
                _ => self.terms.no(),
            };
            flow.guard = self.terms.and2(flow.guard, same);
            if flow.guard == self.terms.no() {
                // It calls another function: whether the arguments fit does not matter.
                return Ok(());
            }
        }
        let params = &self.program.functions[callee].params;
        if params.len() > call.args.len() {
            return Err(Unmodelled);
        }
        let before = flow.clone();
        let mut values = Vec::with_capacity(params.len());
        for (&param, &arg) in params.iter().zip(&call.args) {
            let ty = self.program.vars[param].ty.ty;
            values.push(if self.program.types.is_scalar(ty) {
                if self.is_pointer(ty) != self.is_pointer(self.program.exprs[arg].ty) {
                    return Err(Unmodelled);
                }
                Some(self.value(&before, arg, caller)?)
            } else {
                None
            });
        }
        self.open_frame(flow, callee, instance)?;
        if let Some(ret) = self.program.functions[callee].ret {
            let spot = self.whole(flow, ret, instance);
            if self.is_followed(&spot) {
                self.forget(flow, spot, false)?;
            }
        }
        for ((&param, &arg), value) in params.iter().zip(&call.args).zip(values) {
            let spot = self.whole(flow, param, instance);
            match value {
                Some(value) => self.set(flow, &spot, value)?,
                None => self.store(flow, spot, arg, caller)?,
            }
        }
        Ok(())
    }

    fn leave(&mut self, flow: &mut Flow, call: &Call, from: &Point, to: &Point) -> Exec<()> {
        let callee = self.cfa().locs[from.loc].function;
        let instance = self.instance(&from.calls, callee);
        if let Some(dest) = call.dest {
            let caller = self.instance(&to.calls, self.cfa().locs[to.loc].function);
            let ret = self.program.functions[callee].ret.ok_or(Unmodelled)?;
            let source = self.whole(flow, ret, instance);
            let to = self.spot(flow, dest, caller)?;
            if self.is_pointer(source.ty) != self.is_pointer(to.ty) {
                return Err(Unmodelled);
            }
            self.confirm(flow, &to)?;
            self.copy(flow, to, source)?;
            self.any_padding_around(flow, dest, caller)?;
        }
        self.close_frame(flow, callee, instance);
        Ok(())
    }
}
