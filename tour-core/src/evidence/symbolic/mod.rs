//! The checker's own execution of the program: symbolic values, merged by `ite` where control flow joins.

mod expr;
mod memory;

use super::invariants::Point;
use crate::cfa::{Cfa, EdgeId, LocId, LocKind};
use crate::encode::Cell;
use crate::program::{Call, Callee, ExprKind, FnId, Op, Program, TypeId};
use crate::term::{BaseId, Symbol, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of runs that are at the same point: under which condition, and with which values. A cell without a value
/// has the one it had at the beginning.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The condition.
    pub guard: TermId,
    values: Rc<BTreeMap<Cell, TermId>>,
}

impl Flow {
    /// Runs that satisfy a state formula, with the values that they have.
    pub fn from_state(guard: TermId) -> Flow {
        Flow { guard, values: Rc::default() }
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
    /// The terms.
    pub terms: &'a mut Terms,
    bases: &'a FxHashMap<Cell, BaseId>,
    own: FxHashMap<Cell, BaseId>,
    fresh: u32,
    /// What holds of what the current step evaluated: addresses are not null.
    facts: Vec<TermId>,
    /// What must hold for the current step to be as executed: indices in bounds.
    obligations: Vec<TermId>,
}

/// Where an lvalue lies.
struct Spot {
    cell: Cell,
    index: Option<TermId>,
    ty: TypeId,
    bits: Option<u32>,
}

impl<'a> Executor<'a> {
    /// An executor. `bases` are the variables of the invariants.
    pub fn new(
        program: &'a Program,
        terms: &'a mut Terms,
        bases: &'a FxHashMap<Cell, BaseId>,
    ) -> Executor<'a> {
        Executor {
            program,
            terms,
            bases,
            own: FxHashMap::default(),
            fresh: 1,
            facts: Vec::new(),
            obligations: Vec::new(),
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
            let Some(flow) = flows.remove(&point) else { continue };
            for (edge, to) in self.successors(&point) {
                let mut after = flow.clone();
                if self.step(&point, &to, edge, &mut after).is_err() {
                    ends.push((Leads::Unmodelled(edge), flow.clone()));
                    continue;
                }
                if !self.obligations.is_empty() {
                    let kept = self.terms.and(&self.obligations);
                    let broken = self.terms.not(kept);
                    let guard = self.terms.and2(flow.guard, broken);
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

    /// Every function whose address the program takes: what a pointer may point to.
    fn pointees(&self) -> Vec<FnId> {
        let mut all: Vec<FnId> = (self.program.exprs.iter())
            .filter_map(|e| match e.kind {
                ExprKind::FnAddr(f) => Some(f),
                _ => None,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn successors(&self, point: &Point) -> Vec<(EdgeId, Point)> {
        if self.cfa().locs[point.loc].kind == LocKind::Exit {
            let mut calls = point.calls.clone();
            let Some((call, _)) = calls.pop() else { return Vec::new() };
            return vec![(call, Point { calls, loc: self.cfa().edges[call].to })];
        }
        let mut out = Vec::new();
        for (id, edge) in self.cfa().successors(point.loc) {
            let here = Point { calls: point.calls.clone(), loc: edge.to };
            let into = |f: FnId| {
                let body = self.program.functions[f].body?;
                let mut calls = point.calls.clone();
                calls.push((id, f));
                Some((id, Point { calls, loc: body.entry }))
            };
            match &edge.op {
                Op::Call(Call { callee: Callee::Direct(f), .. }) => out.push(into(*f).unwrap_or((id, here))),
                Op::Call(Call { callee: Callee::Indirect(_), .. }) => {
                    out.extend(self.pointees().into_iter().filter_map(into));
                    out.push((id, here)); // none of them: not modelled
                }
                _ => out.push((id, here)),
            }
        }
        out
    }

    /// How many frames of its own function lie below the top one.
    fn instance(&self, calls: &[(EdgeId, FnId)], function: FnId) -> u32 {
        let below = calls.iter().rev().skip(1).filter(|c| c.1 == function).count();
        (below + usize::from(!calls.is_empty() && self.program.entry == function)) as u32
    }

    fn function(&self, calls: &[(EdgeId, FnId)]) -> FnId {
        calls.last().map_or(self.program.entry, |c| c.1)
    }

    fn step(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        self.facts.clear();
        self.obligations.clear();
        self.operate(from, to, edge, flow)?;
        self.facts.push(flow.guard);
        self.facts.extend(&self.obligations);
        flow.guard = self.terms.and(&self.facts);
        Ok(())
    }

    fn operate(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        let function = self.function(&from.calls);
        let instance = self.instance(&from.calls, function);
        let program = self.program;
        match &program.cfa.edges[edge].op {
            Op::Nop => Ok(()),
            Op::Assign(place, value) => {
                let spot = self.spot(flow, *place, instance)?;
                self.store(flow, spot, *value, instance)
            }
            Op::Assume { cond, truth } => {
                let holds = self.truth(flow, *cond, instance)?;
                let holds = if *truth { holds } else { self.terms.not(holds) };
                flow.guard = self.terms.and2(flow.guard, holds);
                Ok(())
            }
            Op::Return(value) => match (value, program.functions[function].ret) {
                (Some(value), Some(ret)) => {
                    let spot = self.whole(ret, instance);
                    self.store(flow, spot, *value, instance)
                }
                _ => Ok(()),
            },
            Op::Havoc(place, _) => {
                let spot = self.spot(flow, *place, instance)?;
                self.forget(flow, spot)
            }
            Op::Declare(var) => {
                let spot = self.whole(*var, instance);
                self.forget(flow, spot)
            }
            Op::Unsupported(_) => Err(Unmodelled),
            Op::Call(call) => {
                if to.calls.len() > from.calls.len() {
                    self.enter(flow, call, to, instance)
                } else if to.calls.len() < from.calls.len() {
                    self.leave(flow, call, from, to)
                } else {
                    Err(Unmodelled)
                }
            }
        }
    }

    fn enter(&mut self, flow: &mut Flow, call: &Call, to: &Point, caller: u32) -> Exec<()> {
        let callee = self.function(&to.calls);
        let instance = self.instance(&to.calls, callee);
        if let Callee::Indirect(pointer) = call.callee {
            let pointer = self.value(flow, pointer, caller)?;
            let address = self.function_address(callee);
            let same = self.terms.eq(pointer, address);
            flow.guard = self.terms.and2(flow.guard, same);
        }
        let params = &self.program.functions[callee].params;
        if params.len() > call.args.len() {
            return Err(Unmodelled);
        }
        let before = flow.clone();
        for (&param, &arg) in params.iter().zip(&call.args) {
            let spot = self.whole(param, instance);
            if self.program.types.is_scalar(spot.ty) {
                let value = self.value(&before, arg, caller)?;
                self.set(flow, &spot, value)?;
            } else {
                self.store(flow, spot, arg, caller)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, flow: &mut Flow, call: &Call, from: &Point, to: &Point) -> Exec<()> {
        let Some(dest) = call.dest else { return Ok(()) };
        let callee = self.function(&from.calls);
        let instance = self.instance(&from.calls, callee);
        let caller = self.instance(&to.calls, self.function(&to.calls));
        let ret = self.program.functions[callee].ret.ok_or(Unmodelled)?;
        let source = self.whole(ret, instance);
        let dest = self.spot(flow, dest, caller)?;
        self.copy(flow, dest, source)
    }
}
