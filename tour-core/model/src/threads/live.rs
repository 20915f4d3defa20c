//! Which values may still be read. States need not tell apart what no thread will look at any more: two that differ in
//! nothing else are one.
//!
//! For each thread alone, by the usual analysis backwards: a variable is live where the thread may read it before it
//! writes it. Steps of others may come between, but whatever they do, what the thread reads after its own write is not
//! the value from before. So a value may still be read if some thread may read it, each from where it is.

use super::footprint::{Bits, Footprints, Shared};
use super::graph::ThreadGraph;
use super::interleaving::Tuple;
use crate::block::Blocks;
use index_vec::IndexVec;
use tour_ir::cfa::LocId;
use tour_ir::program::Program;

/// What is live at the locations of a program.
pub struct Live(IndexVec<LocId, Bits>);

impl Live {
    /// Looks at a program.
    pub fn of(program: &Program, prints: &mut Footprints, graph: &ThreadGraph) -> Live {
        let mut into: IndexVec<LocId, Vec<LocId>> = graph.out.iter().map(|_| Vec::new()).collect();
        for action in graph.out.iter().flatten() {
            into[action.to].push(action.from);
        }
        // A thread that is not there yet reads what has its first value.
        let mut starts: IndexVec<LocId, Vec<LocId>> = graph.out.iter().map(|_| Vec::new()).collect();
        for (thread, at) in graph.started_at.iter_enumerated() {
            let Some(body) = program.functions[program.threads.all[thread].root].body else { continue };
            for &loc in at {
                starts[loc].push(body.entry);
                into[body.entry].push(loc);
            }
        }
        // A variable is overwritten as a whole; of a region, other objects stay.
        let mut vars = Bits::default();
        for action in graph.out.iter().flatten() {
            prints.of(action.step);
        }
        let all = (0..).zip(&prints.all).filter(|(_, what)| matches!(what, Shared::Var(_)));
        all.for_each(|(number, _)| vars.insert(number));
        let mut live: IndexVec<LocId, Bits> = graph.out.iter().map(|_| Bits::default()).collect();
        // Locations are numbered along the program, roughly.
        let mut work: Vec<LocId> = graph.out.indices().collect();
        let mut waits: IndexVec<LocId, bool> = graph.out.iter().map(|_| true).collect();
        while let Some(loc) = work.pop() {
            waits[loc] = false;
            let mut here = Bits::default();
            for action in &graph.out[loc] {
                let print = prints.of(action.step);
                let mut through = live[action.to].clone();
                let mut overwritten = print.writes.clone();
                overwritten.retain_all(&vars);
                through.remove_all(&overwritten);
                here.union(&through);
                here.union(&print.reads);
            }
            for &entry in &starts[loc] {
                here.union(&live[entry]);
            }
            if live[loc].union(&here) {
                for &before in &into[loc] {
                    if !std::mem::replace(&mut waits[before], true) {
                        work.push(before);
                    }
                }
            }
        }
        Live(live)
    }

    /// What some thread may still read, if they are there.
    pub fn at(&self, blocks: &Blocks, tuple: &Tuple) -> Bits {
        let mut all = Bits::default();
        for node in tuple.iter().flatten() {
            all.union(&self.0[blocks.unfolding.loc(*node)]);
        }
        all
    }
}
