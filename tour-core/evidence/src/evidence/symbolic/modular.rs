//! Executing one function for itself: what functions write, and states of a callee as its caller sees them.

use super::{Executor, Flow, Unmodelled};
use crate::evidence::Point;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use tour_ir::cfa::{CallGraph, LocId};
use tour_ir::program::{FnId, Op};
use tour_logic::term::{BaseId, Sort, TermId};
use tour_model::encode::Cell;

/// What a function, with all that it calls, may write.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// Cells of its own frame (as frame 0).
    own: BTreeMap<Cell, Sort>,
    /// Cells that all functions share.
    shared: BTreeMap<Cell, Sort>,
    /// Perhaps others, too.
    anything: bool,
    /// Whom it may call.
    callees: BTreeSet<FnId>,
}

impl<'a> Executor<'a> {
    /// Runs begin in a frame of this function, and nothing is known of its caller.
    pub fn in_function(mut self, function: FnId) -> Executor<'a> {
        self.base = function;
        self
    }

    /// What each function may write: each step is executed in any state at all, and what it gives a value is written.
    pub fn writes(mut self) -> BTreeMap<FnId, Writes> {
        let program = self.program;
        let calls = CallGraph::of(program);
        let mut locs: BTreeMap<FnId, Vec<LocId>> = BTreeMap::new();
        for (loc, at) in program.cfa.locs.iter_enumerated() {
            locs.entry(at.function).or_default().push(loc);
        }
        // Callees before their callers, so that one round is enough where there is no recursion.
        let functions: Vec<FnId> = (calls.components().iter().flatten().copied())
            .filter(|f| program.functions[*f].body.is_some())
            .collect();
        let mut all: BTreeMap<FnId, Writes> = BTreeMap::new();
        for &function in &functions {
            self.base = function;
            let own = self.own_writes(function, locs.get(&function).map_or(&[], Vec::as_slice));
            all.insert(function, own);
        }
        loop {
            let mut grown = false;
            for &function in &functions {
                let mut own = all.remove(&function).unwrap_or_default();
                let before = (own.shared.len(), own.anything);
                for of in own.callees.iter().filter_map(|callee| all.get(callee)) {
                    own.shared.extend(of.shared.iter().map(|(cell, sort)| (cell.clone(), *sort)));
                    own.anything |= of.anything;
                }
                grown |= before != (own.shared.len(), own.anything);
                all.insert(function, own);
            }
            if !grown {
                return all;
            }
        }
    }

    fn own_writes(&mut self, function: FnId, locs: &[LocId]) -> Writes {
        let mut writes = Writes::default();
        for &loc in locs {
            let point = Point { calls: Vec::new(), loc, atomic: 0 };
            for (edge, to) in self.successors(&point) {
                let op = &self.program.cfa.edges[edge].op;
                if matches!(op, Op::Unsupported(_)) || self.is_bad_call(&point, &to, edge) {
                    // No run goes on behind it.
                    continue;
                }
                self.note(function, &point, &to, edge, &mut writes);
                writes.callees.extend(to.calls.last().map(|call| call.1));
                let callee = to.calls.last().and_then(|c| self.program.functions[c.1].body);
                if let Some(body) = callee {
                    let exit = Point { calls: to.calls, loc: body.exit, atomic: 0 };
                    let back = Point { calls: Vec::new(), loc: self.program.cfa.edges[edge].to, atomic: 0 };
                    self.note(function, &exit, &back, edge, &mut writes);
                }
            }
        }
        writes
    }

    /// Notes what a step writes.
    fn note(
        &mut self,
        function: FnId,
        from: &Point,
        to: &Point,
        edge: tour_ir::cfa::EdgeId,
        writes: &mut Writes,
    ) {
        let mut flow = Flow::from_state(self.terms.yes());
        // What can't be executed in any state may be in some.
        if let Err(Unmodelled) = self.step(from, to, edge, &mut flow) {
            writes.anything = true;
        }
        for (cell, &value) in flow.values.iter() {
            let sort = self.terms.sort(value);
            match cell.frame(self.program) {
                None => _ = writes.shared.insert(cell.clone(), sort),
                Some((of, 0)) if of == function => _ = writes.own.insert(cell.clone(), sort),
                // The frame of a callee.
                Some(_) => {}
            }
        }
    }

    /// What a callee may have written has any value.
    pub fn overwrite(&mut self, flow: &mut Flow, writes: &Writes, entry: &Point) {
        let Some(&(_, callee)) = entry.calls.last() else { return };
        let instance = self.instance(&entry.calls, callee);
        let mut cells: BTreeMap<Cell, Sort> = writes.shared.clone();
        cells.extend(writes.own.iter().map(|(cell, sort)| (cell.in_frame(instance), *sort)));
        if writes.anything {
            let known =
                self.bases.iter().chain(&self.own).map(|(c, b)| (c.clone(), self.terms.base(*b).sort));
            let stored = flow.values.iter().map(|(c, v)| (c.clone(), self.terms.sort(*v)));
            let shared = known.chain(stored).filter(|(cell, _)| {
                !matches!(cell, Cell::Old(_))
                    && cell.frame(self.program).is_none_or(|f| f == (callee, instance))
            });
            cells.extend(shared.collect::<Vec<_>>());
        }
        for (cell, sort) in cells {
            let any = self.anything(sort);
            self.put(flow, cell, any);
        }
    }

    /// A formula of a callee's contract about the states at its entry and now, as the caller sees them.
    pub fn as_callee(
        &mut self,
        formula: TermId,
        entry: &Point,
        cells: &FxHashMap<BaseId, Cell>,
        before: &Flow,
        now: &Flow,
    ) -> TermId {
        let Some(&(_, callee)) = entry.calls.last() else { return formula };
        let instance = self.instance(&entry.calls, callee);
        let mut values = FxHashMap::default();
        for symbol in self.terms.free_symbols(formula) {
            let Some(cell) = cells.get(&symbol.base) else { continue };
            let sort = self.terms.base(symbol.base).sort;
            let (cell, flow) = match cell {
                Cell::Old(cell) => (&**cell, before),
                cell => (cell, now),
            };
            let cell =
                if cell.frame(self.program).is_some() { cell.in_frame(instance) } else { cell.clone() };
            values.insert(symbol, self.get(flow, &cell, sort));
        }
        let mut memo = Default::default();
        self.terms.substitute(formula, &mut memo, |terms, term| values.get(&terms.as_symbol(term)?).copied())
    }

    /// At the entry of a function, the old value of a cell is the one it has.
    pub fn keep_old(&mut self, flow: &mut Flow, cell: &Cell, old: BaseId) {
        let sort = self.terms.base(old).sort;
        let value = self.get(flow, cell, sort);
        flow.values.insert(Cell::Old(Box::new(cell.clone())), value);
    }
}
