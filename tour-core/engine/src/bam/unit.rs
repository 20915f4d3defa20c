//! Blocks of block-abstraction memoization: functions, and loops with a single head.
//!
//! A loop's block begins at its head. It is entered wherever its function, or a loop around it, comes to the head from
//! outside, and left at the locations behind the edges that leave it.

use super::effects::{Effects, effects_of_loop};
use crate::context::Engine;
use index_vec::IndexVec;
use std::rc::Rc;
use std::sync::Arc;
use tour_ir::cfa::{LocId, LoopId, Loops};
use tour_ir::choice::Choice;
use tour_ir::prepared::Prepared;
use tour_ir::program::FnId;
use tour_model::block::StackId;

/// What is analysed for itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    /// A function's frame with nothing below. That of the program's entry is the start of the program.
    pub stack: StackId,
    /// The function.
    pub function: FnId,
    /// The loop of it, if it is not the whole function.
    pub within: Option<LoopId>,
}

/// Which parts of a program are blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Partition {
    /// Functions.
    #[default]
    Functions,
    /// Functions and loops.
    Loops,
}

impl Choice for Partition {
    fn all() -> Vec<(Partition, &'static str, &'static str)> {
        vec![
            (Partition::Functions, "functions", "Each function for itself"),
            (Partition::Loops, "loops", "Each function, and each loop of it"),
        ]
    }
}

/// The loops that are blocks.
pub struct LoopUnits {
    loops: Arc<Loops>,
    effects: IndexVec<LoopId, Option<Rc<Effects>>>,
}

impl LoopUnits {
    /// Those of a partition.
    pub fn of(
        engine: &mut Engine,
        functions: &IndexVec<FnId, Effects>,
        partition: Partition,
        is_reachable: impl Fn(FnId) -> bool,
    ) -> LoopUnits {
        let loops = engine.program().fact::<Loops>();
        let mut effects: IndexVec<LoopId, Option<Rc<Effects>>> = loops.iter().map(|_| None).collect();
        if partition == Partition::Loops {
            for (id, of) in loops.iter().filter(|(_, of)| of.reducible && is_reachable(of.function)) {
                let own = effects_of_loop(engine, functions, of.function, loops.members(id));
                effects[id] = Some(Rc::new(own));
            }
        }
        LoopUnits { loops, effects }
    }

    /// No loop is a block any more. False if none was.
    pub fn give_up(&mut self) -> bool {
        let any = self.effects.iter().any(Option::is_some);
        self.effects.iter_mut().for_each(|effects| *effects = None);
        any
    }

    /// What a loop reads and writes, if it is a block.
    pub fn effects(&self, id: LoopId) -> Option<Rc<Effects>> {
        self.effects[id].clone()
    }

    /// The loop block that a unit enters at a location.
    pub fn entered(&self, unit: Unit, loc: LocId) -> Option<LoopId> {
        let id = self.loops.innermost(loc).filter(|_| self.loops.is_head(loc))?;
        (unit.within != Some(id) && self.effects[id].is_some() && !self.is_left(unit, loc)).then_some(id)
    }

    /// A loop block is left at a location.
    pub fn is_left(&self, unit: Unit, loc: LocId) -> bool {
        unit.within.is_some_and(|id| !self.loops.contains(id, loc))
    }
}

/// Where loops of a program are left: blocks of formulas end there if loops are units.
pub fn loop_ends(program: &Prepared, partition: Partition) -> Vec<LocId> {
    if partition == Partition::Functions {
        return Vec::new();
    }
    let loops = program.fact::<Loops>();
    let edges = loops.iter().flat_map(|(id, _)| loops.exit_edges(&program.cfa, id).collect::<Vec<_>>());
    edges.map(|edge| program.cfa.edges[edge].to).collect()
}
