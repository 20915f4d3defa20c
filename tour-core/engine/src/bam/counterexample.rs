//! Counterexamples: the nested graphs flattened into one path of the unfolded program, and checked exactly.

use super::call::Call;
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use crate::analysis::{ArgId, Arrival, Engine, unknown};
use crate::domain::{AbstractPath, Scope};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, Smt};
use tour_logic::term::Assignment;
use tour_model::block::{Known, NodeId, StackId, Target, Walk};
use tour_model::encode::Ssa;

/// Longer paths are not looked at.
const MAX_HOPS: usize = 3000;

/// Beyond so many states it is worth the try to follow recursive functions by values.
const LONG_PATH: usize = 60;

/// A state on the flattened path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub level: LevelId,
    pub node: ArgId,
    /// Where it is in the unfolded program.
    pub at: NodeId,
}

/// Part of a path that is not flattened yet.
enum Part {
    Hop(Hop),
    /// From the root of a level, which is left out, to a node; under a call stack of the unfolded program.
    Path(LevelId, ArgId, StackId),
}

/// A path that is checked exactly.
struct Checked {
    path: AbstractPath,
    /// Instances at the beginning of each block.
    before: Vec<Ssa>,
    model: Option<Assignment>,
}

impl<D: Reducer> Bam<'_, '_, D> {
    /// The path from the program's entry to a node of a level (through the callee to its exit `inner`, if the node is
    /// a call) and on to a target. A run, if there is one; otherwise the precision is refined.
    pub(super) fn examine(
        &mut self,
        level: LevelId,
        node: ArgId,
        inner: Option<ArgId>,
        target: Target,
    ) -> Result<Option<Walk>, UnknownReason> {
        let Some(start) = self.engine.blocks.unfolding.start() else { return Ok(None) };
        let (mut hops, whole) = self.flatten(level, node, inner);
        if hops.len() > LONG_PATH && self.follow_values(&hops) {
            return Ok(None);
        }
        let last = match hops.pop() {
            Some(last) if !whole => Target::Node(last.at),
            Some(last) => {
                hops.push(last);
                target
            }
            None => target,
        };
        let checked = self.check(start, &hops, last)?;
        match checked.model {
            None => {
                self.refine(&hops, &checked.path)?;
                Ok(None)
            }
            Some(_) if !whole => Err(UnknownReason::NoProgress),
            Some(model) => self.walk(start, &hops, last, &checked.before, &model).map(Some),
        }
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
            parts.push_back(Part::Path(from, call, stack));
            stack = self.stack_of_call(from, call, stack);
        }
        parts.push_back(Part::Path(level, node, stack));
        if let Some(exit) = inner {
            let callee = self.levels[level].calls[&node];
            let stack = self.stack_of_call(level, node, stack);
            parts.push_back(Part::Path(callee, exit, stack));
        }
        let mut hops = Vec::new();
        while let Some(part) = parts.pop_front() {
            if hops.len() >= MAX_HOPS {
                return (hops, false);
            }
            match part {
                Part::Hop(hop) => hops.push(hop),
                Part::Path(level, node, stack) => {
                    for part in self.unfold(level, node, stack).into_iter().rev() {
                        parts.push_front(part);
                    }
                }
            }
        }
        (hops, true)
    }

    /// The states of a level on the way to one of its nodes; calls that return are opened.
    fn unfold(&mut self, level: LevelId, node: ArgId, stack: StackId) -> Vec<Part> {
        let mut parts = Vec::new();
        for node in self.levels[level].arg.path(node).into_iter().skip(1) {
            let of = &self.levels[level];
            if let (Some(&exit), Some(Arrival { parent: call, .. })) =
                (of.returns.get(&node), of.arg.node(node).arrival)
            {
                let callee = of.calls[&call];
                let is_loop = self.levels[callee].unit.within.is_some();
                parts.push(Part::Path(callee, exit, self.stack_of_call(level, call, stack)));
                if is_loop {
                    // The exit of the loop is this very place.
                    continue;
                }
            }
            let Target::Node(flat) = self.levels[level].arg.node(node).at else { continue };
            let stack = self.stack_of_call(level, node, stack);
            let loc = self.engine.blocks.unfolding.loc(flat);
            let at = self.engine.blocks.unfolding.at(stack, loc);
            parts.push(Part::Hop(Hop { level, node, at }));
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

    /// Is there a run along the path?
    fn check(&mut self, start: NodeId, hops: &[Hop], last: Target) -> Result<Checked, UnknownReason> {
        let mut path = AbstractPath::default();
        let mut before = Vec::with_capacity(hops.len() + 1);
        let mut ssa = Ssa::default();
        let mut from = start;
        let mut entered: FxHashMap<StackId, usize> = FxHashMap::default();
        let targets = hops.iter().map(|hop| Target::Node(hop.at)).chain([last]);
        for (i, to) in targets.enumerate() {
            let block = self.engine.block(from, &Known::default());
            before.push(ssa.clone());
            match block.exits.iter().find(|exit| exit.to == to) {
                Some(exit) => {
                    path.formulas.push(self.engine.terms.rename(exit.formula, |s| ssa.shift(s)));
                    ssa = ssa.then(&exit.path.ssa);
                }
                // Its formula is `false`.
                None => path.formulas.push(self.engine.terms.no()),
            }
            path.ssa.push(ssa.clone());
            let (Target::Node(at), Some(hop)) = (to, hops.get(i)) else { break };
            let stack = self.engine.blocks.unfolding.get(at).stack;
            let nested = self.levels[hop.level].calls.get(&hop.node);
            if nested.is_some_and(|nested| self.levels[*nested].unit.within.is_none()) {
                entered.insert(stack, i);
            }
            let frame = self.engine.blocks.unfolding.frame(at);
            path.sites.extend(self.engine.site(to));
            path.scopes.push(Scope {
                function: frame.function,
                instance: frame.instance,
                relevant: self.effects[frame.function].relevant.clone(),
                entered: entered.get(&stack).copied(),
            });
            from = at;
        }
        let whole = self.engine.terms.and(&path.formulas);
        let Engine { terms, smt, .. } = &*self.engine;
        let model = smt.find_model(terms, whole, Purpose::Feasibility).map_err(unknown)?;
        Ok(Checked { path, before, model })
    }

    /// The run that a model describes.
    fn walk(
        &mut self,
        start: NodeId,
        hops: &[Hop],
        last: Target,
        before: &[Ssa],
        model: &Assignment,
    ) -> Result<Walk, UnknownReason> {
        let Engine { terms, blocks, .. } = &mut *self.engine;
        let mut walk = Walk::from_entry(blocks, terms, model);
        let mut from = start;
        for (to, before) in hops.iter().map(|hop| Target::Node(hop.at)).chain([last]).zip(before) {
            let block = self.engine.block(from, &Known::default());
            let Engine { terms, blocks, .. } = &mut *self.engine;
            if !walk.follow(blocks, terms, &block, to, before, model) {
                return Err(UnknownReason::Internal("a model does not describe a run of the program".into()));
            }
            if let Target::Node(at) = to {
                from = at;
            }
        }
        Ok(walk)
    }
}
