//! Where blocks end.

use super::summarise::summarise;
use super::unfolding::{NodeId, Unfolding};
use crate::tuning::BlockLimits;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use tour_ir::cfa::{LocId, LocKind, Loops};
use tour_ir::program::{Callee, Op, Program};

/// A block operator: which nodes end a block. Error locations and entries of recursive calls always do.
#[derive(Clone, Debug)]
pub enum BlockOperator {
    /// Every node: single-block encoding.
    Single,
    /// The nodes that summarisation of the unfolded automaton keeps: large-block encoding.
    Kept(FxHashSet<NodeId>),
    /// Loop heads: adjustable-block encoding.
    LoopHeads,
    /// Loop heads, and entries and exits of functions.
    LoopsAndFunctions,
    /// Loop heads, entries and exits of functions, where calls return to, or loops are left, and nodes at least a number of
    /// steps away from the beginning of the block: each block lies within one function.
    Calls(FxHashSet<LocId>, u32),
    /// Loop heads, and nodes at least a number of steps away from the beginning of the block.
    Threshold(u32),
    /// For programs with threads: outside of atomic sections, locations where the next step concerns other threads.
    Visible(Rc<Visible>),
}

/// Where the steps of a thread concern others.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    /// A step that leaves here accesses what others access, or begins an atomic section.
    pub steps: FxHashSet<LocId>,
    /// A step that leaves here is about the beginning or the end of a thread.
    pub control: FxHashSet<LocId>,
    /// Where threads wait that can't go on.
    pub blocked: FxHashSet<LocId>,
    /// Steps inside of atomic sections matter, too: each access is looked at.
    pub inside: bool,
}

impl Visible {
    /// Other threads are concerned at a location, inside or outside of an atomic section.
    pub fn concerns(&self, loc: LocId, atomic: bool) -> bool {
        self.control.contains(&loc)
            || self.blocked.contains(&loc)
            || (self.inside || !atomic) && self.steps.contains(&loc)
    }
}

impl BlockOperator {
    /// Large-block encoding by summarisation; `None` if the unfolding is too large or infinite.
    pub fn summarised(limits: &BlockLimits, unfolding: &mut Unfolding) -> Option<BlockOperator> {
        let start = unfolding.start()?;
        let mut nodes = vec![start];
        let mut numbers = rustc_hash::FxHashMap::default();
        numbers.insert(start, 0usize);
        let mut edges = Vec::new();
        let mut next = 0;
        while next < nodes.len() {
            let node = nodes[next];
            for transition in unfolding.successors(node).to_vec() {
                let Some(to) = transition.to else { continue };
                let number = *numbers.entry(to).or_insert_with(|| {
                    nodes.push(to);
                    nodes.len() - 1
                });
                edges.push((next, number));
            }
            if nodes.len() > limits.max_summarised_nodes || unfolding.frame(node).instance > 0 {
                return None;
            }
            next += 1;
        }
        let program = unfolding.program();
        let keep =
            |n: usize| n == 0 || matches!(program.cfa.locs[unfolding.loc(nodes[n])].kind, LocKind::Error(_));
        let summary = summarise(nodes.len(), edges, keep);
        let mut kept = FxHashSet::default();
        for (from, edges) in summary.iter().enumerate() {
            for &to in edges {
                kept.insert(nodes[from]);
                kept.insert(nodes[to]);
            }
        }
        Some(BlockOperator::Kept(kept))
    }

    /// Blocks that lie within one function, and end at these locations too, or after a number of steps.
    pub fn within_functions(
        program: &Program,
        ends: impl IntoIterator<Item = LocId>,
        max_steps: u32,
    ) -> BlockOperator {
        let enters = |op: &Op| match op {
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => program.functions[f].body.is_some(),
                Callee::Indirect(_) => true,
            },
            _ => false,
        };
        let returns = program.cfa.edges.iter().filter(|e| enters(&e.op)).map(|e| e.to);
        BlockOperator::Calls(returns.chain(ends).collect(), max_steps)
    }

    /// A block that has come to `node` after `steps` steps ends there.
    pub fn ends_at(&self, unfolding: &Unfolding, loops: &Loops, node: NodeId, steps: u32) -> bool {
        let loc = unfolding.loc(node);
        let kind = unfolding.program().cfa.locs[loc].kind;
        if kind == LocKind::Entry && unfolding.frame(node).instance > 0 {
            return true;
        }
        match self {
            BlockOperator::Single => true,
            BlockOperator::Kept(kept) => kept.contains(&node),
            BlockOperator::LoopHeads => loops.is_head(loc),
            BlockOperator::LoopsAndFunctions => {
                loops.is_head(loc) || matches!(kind, LocKind::Entry | LocKind::Exit)
            }
            BlockOperator::Calls(returns, limit) => {
                loops.is_head(loc)
                    || matches!(kind, LocKind::Entry | LocKind::Exit)
                    || returns.contains(&loc)
                    || steps >= *limit
            }
            BlockOperator::Threshold(limit) => loops.is_head(loc) || steps >= *limit,
            BlockOperator::Visible(visible) => {
                loops.is_head(loc)
                    || visible.concerns(loc, unfolding.get(node).atomic > 0)
                    || kind == LocKind::Exit && unfolding.frame(node).caller.is_none()
            }
        }
    }
}
