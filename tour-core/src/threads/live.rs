//! Which values may still be read. States need not tell apart what no thread will look at any more: two that differ in
//! nothing else are one.
//!
//! A variable that one thread alone accesses is live where that thread reads it before it writes it, by the usual
//! analysis backwards. One that several access is live as long as one of them can still get to a step that reads it.

use super::footprint::{Bits, Footprints};
use super::graph::{ThreadGraph, thread_at};
use super::interleaving::Tuple;
use crate::block::Blocks;
use crate::cfa::LocId;
use crate::program::Program;
use index_vec::IndexVec;

/// What is live at the locations of a program.
pub struct Live(IndexVec<LocId, Bits>);

impl Live {
    /// Looks at a program.
    pub fn of(program: &Program, prints: &mut Footprints, graph: &ThreadGraph) -> Live {
        let own = accessed_by_one(program, prints, graph);
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
                through.remove_all(&print.writes);
                here.union(&through);
                here.union(&print.reads);
            }
            for &entry in &starts[loc] {
                here.union(&live[entry]);
            }
            here.retain_all(&own);
            if live[loc].union(&here) {
                for &before in &into[loc] {
                    if !std::mem::replace(&mut waits[before], true) {
                        work.push(before);
                    }
                }
            }
        }
        for (loc, live) in live.iter_mut_enumerated() {
            let mut shared = graph.future(loc).reads.clone();
            shared.remove_all(&own);
            live.union(&shared);
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

/// What no two threads access.
fn accessed_by_one(program: &Program, prints: &mut Footprints, graph: &ThreadGraph) -> Bits {
    let mut by: Vec<Option<usize>> = Vec::new();
    let mut shared = Bits::default();
    for action in graph.out.iter().flatten() {
        let thread = thread_at(program, action.from).index();
        let print = prints.of(action.step);
        for number in print.reads.iter().chain(print.writes.iter()) {
            by.resize(by.len().max(number as usize + 1), None);
            match by[number as usize] {
                Some(other) if other != thread => shared.insert(number),
                _ => by[number as usize] = Some(thread),
            }
        }
    }
    let mut own = Bits::default();
    (0..by.len() as u32).filter(|number| !shared.contains(*number)).for_each(|number| own.insert(number));
    own
}
