//! Paths of the graph, checked exactly: with original actions, whatever was simplified.

use super::{Broken, Explorer, Found, Move, What};
use crate::analysis::confirm_schedule;
use crate::analysis::{ArgId, Engine, Event, unknown};
use crate::domain::{AbstractPath, Domain};
use std::rc::Rc;
use tour_evidence::verdict::{UnknownReason, Verdict};
use tour_ir::program::{CheckId, ThreadId};
use tour_logic::smt::{Purpose, Smt};
use tour_logic::term::TermId;
use tour_model::block::{Block, Known, NodeId, Step, Target, Walk};
use tour_model::encode::Ssa;
use tour_model::threads::TupleId;
use tour_model::threads::rules;

/// Why nothing is proved where such an access may race.
const TORN: &str = "an access that takes several steps, while another thread may access the same memory";

pub(super) enum Feasibility {
    Feasible(Walk, Vec<(ThreadId, u32)>),
    Infeasible(AbstractPath),
}

impl<D: Domain> Explorer<'_, '_, D> {
    /// What is checked is a matter of tuples: a statement that is replaced by nothing still accesses memory.
    pub(super) fn has_rules(&self) -> bool {
        let threads = &self.engine.program().threads;
        threads.looks_at_accesses() || threads.deadlock.is_some()
    }

    /// Data races and deadlocks at a tuple.
    pub(super) fn rules_at(&mut self, node: ArgId, tuple: TupleId) -> Result<Option<Found>, UnknownReason> {
        if !self.has_rules() {
            return Ok(None);
        }
        if self.stuck.is_none()
            && let Some(edge) = rules::torn(&self.threads, &mut self.engine.blocks, tuple)
        {
            if let Feasibility::Infeasible(path) = self.feasibility(node, None)? {
                self.refine(&path)?;
                return Ok(Some(Found::Refined));
            }
            let span = self.engine.program().cfa.edges[edge].span;
            let message = TORN.to_owned();
            self.stuck = Some(UnknownReason::Unsupported { kind: "tearing".into(), message, span });
        }
        let all = rules::broken(&mut self.threads, &mut self.engine.blocks, tuple);
        let Some(first) = all.first() else { return Ok(None) };
        if first.why_unknown.is_some() && self.stuck.is_some() {
            return Ok(None);
        }
        let (walk, schedule) = match self.feasibility(node, None)? {
            Feasibility::Feasible(walk, schedule) => (walk, schedule),
            Feasibility::Infeasible(path) => {
                self.refine(&path)?;
                return Ok(Some(Found::Refined));
            }
        };
        let program = self.engine.program();
        // Where control does not tell, a run may.
        let happens = |check: CheckId| {
            matches!(confirm_schedule(program, "", check, &walk, &schedule), Verdict::Violated(_))
        };
        let span = program.checks[first.check].span;
        let message = first.why_unknown.clone();
        let found = all.into_iter().find(|broken| broken.why_unknown.is_none() || happens(broken.check));
        if let Some(rules::Broken { check, poised, .. }) = found {
            return Ok(Some(Found::Error(Broken { check, walk, schedule, poised })));
        }
        let message = message.unwrap_or_default();
        self.stuck = Some(UnknownReason::Unsupported { kind: "threads".into(), message, span });
        Ok(None)
    }

    /// The block of a move as it is in the program, and which of its exits was taken. Values that were known came from
    /// blocks before, perhaps simplified ones: the path itself says them.
    fn original(&mut self, from: NodeId, target: Target) -> Option<(Rc<Block>, usize)> {
        let block = self.engine.block(from, &Known::default());
        let index = block.exits.iter().position(|exit| exit.to == target)?;
        Some((block, index))
    }

    /// The path from the root through a node, and a last move perhaps, checked exactly.
    pub(super) fn feasibility(
        &mut self,
        node: ArgId,
        last: Option<&Move>,
    ) -> Result<Feasibility, UnknownReason> {
        let mut moves: Vec<Move> =
            self.arg.path(node)[1..].iter().filter_map(|n| self.moves.get(n).cloned()).collect();
        moves.extend(last.cloned());
        let mut path =
            AbstractPath { formulas: Vec::new(), ssa: Vec::new(), sites: Vec::new(), scopes: Vec::new() };
        let mut ssa = Ssa::default();
        let mut parts: Vec<(Rc<Block>, usize, Ssa)> = Vec::new();
        for Move { what, .. } in &moves {
            let What::Exit { from, target } = what else { continue };
            let Some((block, index)) = self.original(*from, *target) else {
                return Err(UnknownReason::Internal("an action has no such way out".into()));
            };
            let exit = &block.exits[index];
            let formula: TermId = self.engine.terms.rename(exit.formula, |s| ssa.shift(s));
            path.formulas.push(formula);
            path.sites.extend(self.site(exit.to));
            let after = ssa.then(&exit.path.ssa);
            path.ssa.push(after.clone());
            parts.push((block.clone(), index, std::mem::replace(&mut ssa, after)));
        }
        // Nothing has to hold at the end: there, as at an error, no state is to be left.
        path.sites.truncate(path.formulas.len().saturating_sub(1));
        let whole = self.engine.terms.and(&path.formulas);
        let model =
            self.engine.smt.find_model(&self.engine.terms, whole, Purpose::Feasibility).map_err(unknown)?;
        let Some(model) = model else { return Ok(Feasibility::Infeasible(path)) };
        let mut walk = {
            let Engine { terms, blocks, .. } = &mut *self.engine;
            Walk::from_entry(blocks, terms, &model)
        };
        let mut schedule = Vec::new();
        let mut parts = parts.into_iter();
        for Move { thread, what } in &moves {
            let before = walk.steps.len();
            match what {
                What::Control(edge) => walk.steps.push(Step::Edge(*edge)),
                What::Exit { target, .. } => {
                    let Some((block, _, ssa)) = parts.next() else { continue };
                    let Engine { terms, blocks, .. } = &mut *self.engine;
                    if !walk.follow(blocks, terms, &block, *target, &ssa, &model) {
                        return Err(UnknownReason::Internal("a model does not describe a run".into()));
                    }
                }
            }
            schedule.push((*thread, (walk.steps.len() - before) as u32));
        }
        Ok(Feasibility::Feasible(walk, schedule))
    }

    pub(super) fn refine(&mut self, path: &AbstractPath) -> Result<(), UnknownReason> {
        self.counts.refinements += 1;
        self.engine.watch.tell(&Event::Refinement { blocks: path.formulas.len() });
        match self.domain.refine(self.engine, path)? {
            Some(_) => Ok(()),
            // A predicate may need a value that no condition observes (seed §3.3): without simplification, then.
            None if self.flows.take().is_some() => Ok(()),
            None => Err(UnknownReason::NoProgress),
        }
    }
}
