//! Proofs as summaries of functions, and their independent check, function by function.
//!
//! A [`Contract`] says of a function: if it is entered in a state that satisfies `entry`, nothing goes wrong in it or in
//! what it calls, at its locations the formulas `at` hold, and in particular that of its exit when it returns. The
//! formulas speak of the function's own frame, of what all functions share, and of what both were at the entry
//! ([`Cell::Old`]).
//!
//! The check: the program begins in the contract of its entry. For each contract, runs from each location with a claim
//! to the next keep the claims, and no error is reached. A call must be entered in a state that satisfies the entry of
//! some contract of the callee; what the callee may write (as the checker finds out itself) is unknown afterwards but
//! for what the exits of all contracts say whose entry the state satisfies. By induction over the depth of calls,
//! recursive or not, no run goes wrong.

use super::invariants::{Checker, Point};
use super::symbolic::{Executor, Flow, Leads, Writes};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::limits::Interrupt;
use tour_ir::program::{FnId, Program};
use tour_logic::smt::Opinions;
use tour_logic::term::{BaseId, Copy, TermId, Terms};
use tour_model::encode::Cell;

/// What is claimed of a function that is entered in some states.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The function.
    pub function: FnId,
    /// It is the run of the program itself, which begins with the initial values: not a call.
    pub main: bool,
    /// The states in which it is entered.
    pub entry: TermId,
    /// What holds at its locations.
    pub at: BTreeMap<LocId, TermId>,
}

/// A proof by summaries.
#[derive(Clone, Debug)]
pub struct Summaries {
    /// The formulas' arena: nothing else is in it.
    pub terms: Arc<Terms>,
    /// What the variables of the formulas stand for.
    pub cells: Vec<(BaseId, Cell)>,
    /// The contracts.
    pub contracts: Vec<Contract>,
}

/// The contracts with their formulas copied.
pub fn copied(contracts: Vec<Contract>, mut copy: impl FnMut(TermId) -> TermId) -> Vec<Contract> {
    let contract = |c: Contract| Contract {
        entry: copy(c.entry),
        at: c.at.into_iter().map(|(loc, formula)| (loc, copy(formula))).collect(),
        ..c
    };
    contracts.into_iter().map(contract).collect()
}

/// Do the summaries prove the program? An error says why not.
pub fn check_summaries(
    program: &Program,
    summaries: &Summaries,
    interrupt: &Interrupt,
) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let mut checker = Checker::new(program, None, interrupt, &mut terms)?;
    let mut copy = Copy::default();
    let contracts = copied(summaries.contracts.clone(), |f| copy.term(&summaries.terms, &mut terms, f));
    let mut cells = FxHashMap::default();
    for (base, cell) in &summaries.cells {
        if let Some(&base) = copy.bases.get(base) {
            cells.insert(base, cell.clone());
            checker.bases.insert(cell.clone(), base);
        }
    }
    for contract in &contracts {
        is_about_its_function(program, &terms, &cells, contract)?;
    }
    let mut of: BTreeMap<FnId, Vec<&Contract>> = BTreeMap::new();
    for contract in contracts.iter().filter(|c| !c.main) {
        of.entry(contract.function).or_default().push(contract);
    }
    let writes = Executor::new(program, &mut terms, &checker.bases, &checker.knowledge).writes();
    let modular = Modular { checker: &checker, cells: &cells, of, writes };
    if !contracts.iter().any(|c| c.main && c.function == program.entry) {
        return Err("there is no summary of the program's entry".into());
    }
    contracts.iter().try_for_each(|contract| modular.keeps(contract, &mut terms))?;
    Ok(checker.opinions())
}

/// A contract speaks of its own function's frame only, and of what all functions share.
fn is_about_its_function(
    program: &Program,
    terms: &Terms,
    cells: &FxHashMap<BaseId, Cell>,
    contract: &Contract,
) -> Result<(), String> {
    for &formula in contract.at.values().chain([&contract.entry]) {
        for symbol in terms.free_symbols(formula) {
            let frame = cells.get(&symbol.base).map(|cell| cell.frame(program));
            if symbol.index != 0 || !matches!(frame, Some(f) if f.is_none_or(|f| f == (contract.function, 0)))
            {
                let name = &terms.base(symbol.base).name;
                return Err(format!("the summary of {:?} speaks of {name}", contract.function));
            }
        }
    }
    Ok(())
}

struct Modular<'a> {
    checker: &'a Checker<'a>,
    cells: &'a FxHashMap<BaseId, Cell>,
    /// The contracts of calls, by function.
    of: BTreeMap<FnId, Vec<&'a Contract>>,
    writes: BTreeMap<FnId, Writes>,
}

impl Modular<'_> {
    /// Every run through the function keeps the contract.
    fn keeps(&self, contract: &Contract, terms: &mut Terms) -> Result<(), String> {
        let program = self.checker.program;
        let function = contract.function;
        let body = program.functions[function].body.ok_or("a summary of a function without a body")?;
        let mut executor =
            Executor::new(program, terms, &self.checker.bases, &self.checker.knowledge).in_function(function);
        let mut begin = match contract.main {
            true => executor.initial(),
            false => Flow::from_state(executor.terms.yes()),
        };
        let mut olds: Vec<(&Cell, BaseId)> = self.checker.bases.iter().map(|(c, b)| (c, *b)).collect();
        olds.sort_unstable();
        for (cell, base) in olds {
            if let Cell::Old(now) = cell {
                executor.keep_old(&mut begin, now, base);
            }
        }
        let entry = executor.state_formula(contract.entry, &begin);
        if contract.main {
            let not = executor.terms.not(entry);
            let broken = executor.terms.and2(begin.guard, not);
            self.checker.refute(executor.terms, broken, || "the program begins in another state".into())?;
        }
        begin.guard = executor.terms.and2(begin.guard, entry);
        self.stretch(contract, &mut executor, body.entry, begin)?;
        // Nothing leads back to the entry but where it is the head of a loop: then runs begin there again.
        let again = |loc: LocId| loc != body.entry || self.checker.is_loop_head(loc);
        for (&loc, &claim) in contract.at.iter().filter(|(loc, _)| again(**loc)) {
            self.checker.interrupt.check().map_err(|why| why.to_string())?;
            if program.cfa.locs[loc].function != function {
                return Err(format!("{loc:?} is not in {function:?}"));
            }
            self.stretch(contract, &mut executor, loc, Flow::from_state(claim))?;
        }
        Ok(())
    }

    /// Runs from a location to the next ones with a claim, over calls.
    fn stretch(
        &self,
        contract: &Contract,
        executor: &mut Executor,
        from: LocId,
        begin: Flow,
    ) -> Result<(), String> {
        let program = self.checker.program;
        let is_cut = |p: &Point| {
            !p.calls.is_empty()
                || contract.at.contains_key(&p.loc)
                || self.checker.is_loop_head(p.loc)
                || program.cfa.locs[p.loc].kind == LocKind::Exit
        };
        let mut work = vec![(Point { calls: Vec::new(), loc: from, atomic: 0 }, begin)];
        while let Some((point, flow)) = work.pop() {
            for (to, flow) in executor.run(&point, flow, &is_cut)? {
                let what = match to {
                    Leads::Cut(to) if !to.calls.is_empty() => {
                        work.extend(self.call(executor, to, flow)?);
                        continue;
                    }
                    Leads::Cut(to) => {
                        let claim = match contract.at.get(&to.loc) {
                            Some(&claim) => executor.state_formula(claim, &flow),
                            None => executor.terms.no(),
                        };
                        let not = executor.terms.not(claim);
                        let broken = executor.terms.and2(flow.guard, not);
                        self.checker.refute(executor.terms, broken, || {
                            format!("from {from:?}, the claim at {:?} is not kept", to.loc)
                        })?;
                        continue;
                    }
                    Leads::Error(loc) => format!("from {from:?}, error location {loc:?} is reached"),
                    Leads::Unmodelled(edge) => {
                        format!("from {from:?}, {edge:?} is reached, which is not modelled")
                    }
                };
                self.checker.refute(executor.terms, flow.guard, || what.clone())?;
            }
        }
        Ok(())
    }

    /// A call, replaced by what the contracts of the callee say. Returns the runs at the callee's exit.
    fn call(
        &self,
        executor: &mut Executor,
        entry: Point,
        before: Flow,
    ) -> Result<Option<(Point, Flow)>, String> {
        let Some(&(_, callee)) = entry.calls.last() else { return Ok(None) };
        let body =
            self.checker.program.functions[callee].body.ok_or("a call of a function without a body")?;
        let contracts = self.of.get(&callee).map(Vec::as_slice).unwrap_or_default();
        let mut after = before.clone();
        match self.writes.get(&callee) {
            Some(writes) => executor.overwrite(&mut after, writes, &entry),
            None => return Err(format!("nothing is known of what {callee:?} writes")),
        }
        let (mut begins, mut promises) = (Vec::new(), Vec::new());
        for contract in contracts {
            let begin = executor.as_callee(contract.entry, &entry, self.cells, &before, &before);
            begins.push(begin);
            let end = match contract.at.get(&body.exit) {
                Some(&exit) => executor.as_callee(exit, &entry, self.cells, &before, &after),
                None => executor.terms.no(),
            };
            // Each contract that the call satisfies binds the callee, not just one of them.
            let other = executor.terms.not(begin);
            promises.push(executor.terms.or(&[other, end]));
        }
        let some = executor.terms.or(&begins);
        let none = executor.terms.not(some);
        let broken = executor.terms.and2(before.guard, none);
        self.checker.refute(executor.terms, broken, || {
            format!("{:?} is called in a state that no summary of {callee:?} begins with", entry.calls)
        })?;
        promises.push(before.guard);
        after.guard = executor.terms.and(&promises);
        let exit = Point { calls: entry.calls, loc: body.exit, atomic: 0 };
        Ok((after.guard != executor.terms.no()).then_some((exit, after)))
    }
}
