//! Paths of the graph, checked exactly: with original actions, whatever was simplified.

use super::expansion::Way;
use super::{Broken, Explorer, Move, What};
use crate::cegar::feasibility::{self, Feasibility, Part};
use crate::cegar::{ArgId, Examined};
use crate::confirm::confirm_schedule;
use crate::domain::Domain;
use tour_evidence::verdict::{UnknownReason, Verdict};
use tour_ir::cfa::EdgeId;
use tour_ir::program::{CheckId, ThreadId};
use tour_model::block::{Known, Target, Walk};
use tour_model::threads::{TupleId, rules};

/// Why nothing is proved where such an access may race.
const TORN: &str = "an access that takes several steps, while another thread may access the same memory";

/// Which thread takes how many steps.
type Schedule = Vec<(ThreadId, u32)>;

impl<D: Domain> Explorer<'_, '_, D> {
    /// What is checked is a matter of tuples: a statement that is replaced by nothing still accesses memory.
    pub(super) fn has_rules(&self) -> bool {
        let threads = &self.engine.program().threads;
        threads.looks_at_accesses() || threads.deadlock.is_some()
    }

    /// Data races and deadlocks at a tuple; with `modelled`, without those of which that is not known.
    pub(super) fn broken_rules(&mut self, tuple: TupleId, modelled: bool) -> Vec<Way> {
        let mut ways = Vec::new();
        if !self.has_rules() {
            return ways;
        }
        if !modelled {
            ways.extend(rules::torn(&self.threads, &mut self.engine.blocks, tuple).map(Way::Torn));
        }
        let all = rules::broken(&mut self.threads, &mut self.engine.blocks, tuple);
        if all.first().is_some_and(|first| first.why_unknown.is_none() || !modelled) {
            ways.push(Way::Rules(all));
        }
        ways
    }

    pub(super) fn examine_way(
        &mut self,
        node: ArgId,
        way: Way,
    ) -> Result<Examined<Broken, Vec<ArgId>>, UnknownReason> {
        let last = match &way {
            Way::Exit { arrival, .. } => Some(arrival),
            Way::Rules(_) | Way::Torn(_) => None,
        };
        let nodes = self.arg.path(node);
        let mut moves: Vec<Move> = nodes[1..].iter().filter_map(|n| self.moves.get(n).cloned()).collect();
        moves.extend(last.cloned());
        let parts: Vec<Part> = moves.iter().map(|moved| self.original(moved)).collect();
        Ok(match feasibility::check(self.engine, &parts)? {
            Feasibility::Infeasible(formulas) => Examined::Infeasible(nodes, formulas),
            Feasibility::Feasible(walk, counts) => {
                let schedule = moves.iter().map(|moved| moved.thread).zip(counts).collect();
                self.at_end(way, walk, schedule)
            }
        })
    }

    /// The block of a move as it is in the program. Values that were known came from blocks before, perhaps simplified
    /// ones: the path itself says them.
    fn original(&mut self, moved: &Move) -> Part {
        match moved.what {
            What::Control(edge) => Part::Control(edge),
            What::Exit { from, target } => {
                let block = self.engine.block(from, &Known::default());
                Part::Block { block, to: target, scope: None }
            }
        }
    }

    /// A run leads to the end of a path.
    fn at_end(&self, way: Way, walk: Walk, schedule: Schedule) -> Examined<Broken, Vec<ArgId>> {
        match way {
            Way::Exit { block, exit, .. } => match block.exits[exit].to {
                Target::Error(check) => {
                    Examined::Violation(Broken { check, walk, schedule, poised: Vec::new() })
                }
                Target::Unsupported(edge) => Examined::Unprovable(self.engine.unsupported(edge)),
                Target::Node(_) => Examined::Refined,
            },
            Way::Torn(edge) => Examined::Unprovable(self.torn(edge)),
            Way::Rules(all) => self.broken(all, walk, schedule),
        }
    }

    fn torn(&self, edge: EdgeId) -> UnknownReason {
        let span = self.engine.program().cfa.edges[edge].span;
        UnknownReason::Unsupported { kind: "tearing".into(), message: TORN.to_owned(), span }
    }

    /// The first of these that happens. Where control does not tell, a run may.
    fn broken(
        &self,
        all: Vec<rules::Broken>,
        walk: Walk,
        schedule: Schedule,
    ) -> Examined<Broken, Vec<ArgId>> {
        let program = self.engine.program();
        let happens = |check: CheckId| {
            matches!(
                confirm_schedule(program, &self.engine.heuristics.confirmation, "", check, &walk, &schedule),
                Verdict::Violated(_)
            )
        };
        let first = all.first().map(|first| (program.checks[first.check].span, first.why_unknown.clone()));
        let found = all.into_iter().find(|broken| broken.why_unknown.is_none() || happens(broken.check));
        match (found, first) {
            (Some(rules::Broken { check, poised, .. }), _) => {
                Examined::Violation(Broken { check, walk, schedule, poised })
            }
            (None, Some((span, message))) => Examined::Unprovable(UnknownReason::Unsupported {
                kind: "threads".into(),
                message: message.unwrap_or_default(),
                span,
            }),
            (None, None) => Examined::Refined,
        }
    }
}
