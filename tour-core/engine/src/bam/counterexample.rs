//! Counterexamples: the nested graphs flattened into one path of the unfolded program, and checked exactly.

use super::call::Call;
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::{Bam, Work};
use crate::cegar::feasibility::{self, Feasibility, Part};
use crate::cegar::{ArgId, Arrival, Examined, System};
use crate::context::Site;
use crate::path::Scope;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::CheckId;
use tour_model::block::{Known, NodeId, StackId, Target, Walk};

/// A state on the flattened path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub level: LevelId,
    pub node: ArgId,
    /// Where it is in the unfolded program.
    pub at: NodeId,
}

/// Part of a path that is not flattened yet.
enum Piece {
    Hop(Hop),
    /// From the root of a level, which is left out, to a node; under a call stack of the unfolded program.
    Path(LevelId, ArgId, StackId),
}

/// An infeasible path through nested graphs.
pub struct NestedPath {
    /// Its states.
    pub(super) hops: Vec<Hop>,
    /// How much precision there was at their sites.
    pub(super) stamps: Vec<(Site, u64)>,
    /// What it leads to an error from.
    pub(super) work: Work,
}

impl<D: Reducer> Bam<'_, '_, D> {
    /// The path from the program's entry to a node of a level (through the callee to an exit of it, if a return leads to
    /// the error) and on to a target.
    pub(super) fn examine_path(
        &mut self,
        work: Work,
        target: Target,
    ) -> Result<Examined<(CheckId, Walk), NestedPath>, UnknownReason> {
        let Some(start) = self.engine.blocks.unfolding.start() else { return Ok(Examined::Refined) };
        let (mut hops, whole) = match work {
            Work::Node(level, node) => self.flatten(level, node, None),
            Work::Return(level, call, exit) => self.flatten(level, call, Some(exit)),
        };
        // It is worth the try to follow functions by values.
        if hops.len() > self.engine.heuristics.bam.min_path_for_values && self.follow_values(&hops, whole) {
            return Ok(Examined::Refined);
        }
        let last = if whole { target } else { hops.pop().map_or(target, |last| Target::Node(last.at)) };
        let parts = self.blocks(start, &hops, last);
        Ok(match feasibility::check(self.engine, &parts)? {
            Feasibility::Infeasible(formulas) => {
                let stamps = formulas.sites.iter().map(|site| (*site, self.domain.stamp(*site))).collect();
                let path = NestedPath { hops, stamps, work };
                // A state that was computed before the precision of its site was refined elsewhere comes first.
                if let Some(first) = self.first_stale(&path) {
                    self.cut_path(&path, first)?;
                    return Ok(Examined::Refined);
                }
                Examined::Infeasible(path, formulas)
            }
            Feasibility::Feasible(..) if !whole => return Err(UnknownReason::NoProgress),
            Feasibility::Feasible(walk, _) => Examined::run(self.engine, target, walk),
        })
    }

    /// How the program's entry gets to a level: the calls on the way.
    fn context(&self, level: LevelId) -> Vec<(LevelId, ArgId)> {
        let main = LevelId::new(0);
        let mut came: BTreeMap<LevelId, (LevelId, ArgId)> = BTreeMap::new();
        let mut queue = VecDeque::from([main]);
        while let Some(from) = queue.pop_front() {
            if from == level {
                break;
            }
            for (&call, &callee) in &self.levels[from].calls {
                if callee != main && !came.contains_key(&callee) {
                    came.insert(callee, (from, call));
                    queue.push_back(callee);
                }
            }
        }
        let mut context = Vec::new();
        let mut at = level;
        while let Some(&(from, call)) = came.get(&at) {
            context.push((from, call));
            at = from;
        }
        context.reverse();
        context
    }

    /// The states on the way to a node, in the order of the run. False if that are too many: then only the first.
    fn flatten(&mut self, level: LevelId, node: ArgId, inner: Option<ArgId>) -> (Vec<Hop>, bool) {
        let mut stack = self.levels[LevelId::new(0)].unit.stack;
        let mut parts = VecDeque::new();
        for (from, call) in self.context(level) {
            parts.push_back(Piece::Path(from, call, stack));
            stack = self.stack_of_call(from, call, stack);
        }
        parts.push_back(Piece::Path(level, node, stack));
        if let Some(exit) = inner {
            let callee = self.levels[level].calls[&node];
            let stack = self.stack_of_call(level, node, stack);
            parts.push_back(Piece::Path(callee, exit, stack));
        }
        let mut hops = Vec::new();
        while let Some(part) = parts.pop_front() {
            if hops.len() >= self.engine.heuristics.bam.max_path {
                return (hops, false);
            }
            match part {
                Piece::Hop(hop) => hops.push(hop),
                Piece::Path(level, node, stack) => {
                    for part in self.unfold(level, node, stack).into_iter().rev() {
                        parts.push_front(part);
                    }
                }
            }
        }
        (hops, true)
    }

    /// The states of a level on the way to one of its nodes; calls that return are opened.
    fn unfold(&mut self, level: LevelId, node: ArgId, stack: StackId) -> Vec<Piece> {
        let mut parts = Vec::new();
        for node in self.levels[level].arg.path(node).into_iter().skip(1) {
            let of = &self.levels[level];
            if let (Some(&exit), Some(Arrival { parent: call, .. })) =
                (of.returns.get(&node), of.arg.node(node).arrival)
            {
                let callee = of.calls[&call];
                let is_loop = self.levels[callee].unit.within.is_some();
                parts.push(Piece::Path(callee, exit, self.stack_of_call(level, call, stack)));
                if is_loop {
                    // The exit of the loop is this very place.
                    continue;
                }
            }
            let Target::Node(flat) = self.levels[level].arg.node(node).at else { continue };
            let stack = self.stack_of_call(level, node, stack);
            let loc = self.engine.blocks.unfolding.loc(flat);
            let at = self.engine.blocks.unfolding.at(stack, loc);
            parts.push(Piece::Hop(Hop { level, node, at }));
        }
        parts
    }

    /// The call stack at a node of a level that is under a stack: one more call if the node is a call.
    fn stack_of_call(&mut self, level: LevelId, node: ArgId, stack: StackId) -> StackId {
        let Target::Node(flat) = self.levels[level].arg.node(node).at else { return stack };
        match Call::at(self.engine, flat) {
            Some(call) => self.engine.blocks.unfolding.enter(stack, call.edge, call.callee),
            None => stack,
        }
    }

    /// The blocks of a path, with what can be said between them.
    fn blocks(&mut self, start: NodeId, hops: &[Hop], last: Target) -> Vec<Part> {
        let mut entered: FxHashMap<StackId, usize> = FxHashMap::default();
        let mut parts = Vec::with_capacity(hops.len() + 1);
        let mut from = start;
        for (i, hop) in hops.iter().enumerate() {
            let stack = self.engine.blocks.unfolding.get(hop.at).stack;
            let nested = self.levels[hop.level].calls.get(&hop.node);
            if nested.is_some_and(|nested| self.levels[*nested].unit.within.is_none()) {
                entered.insert(stack, i);
            }
            let frame = self.engine.blocks.unfolding.frame(hop.at);
            let scope = Scope {
                function: frame.function,
                instance: frame.instance,
                relevant: self.effects[frame.function].relevant.clone(),
                entered: entered.get(&stack).copied(),
            };
            let block = self.engine.block(from, &Known::default());
            parts.push(Part::Block { block, to: Target::Node(hop.at), scope: Some(scope) });
            from = hop.at;
        }
        let block = self.engine.block(from, &Known::default());
        parts.push(Part::Block { block, to: last, scope: None });
        parts
    }
}
