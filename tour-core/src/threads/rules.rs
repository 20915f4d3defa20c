//! The rules that are a matter of where several threads are: data races and deadlocks, looked for at each tuple.

use super::interleaving::{Deadlock, Interleaving, TupleId};
use super::race::{self, Access, Overlap};
use crate::block::{Blocks, Step};
use crate::cfa::EdgeId;
use crate::program::{CheckId, ThreadId};

/// What is broken at a tuple, if a run gets there.
pub(super) struct Broken {
    pub check: CheckId,
    /// The steps that race.
    pub poised: Vec<(ThreadId, EdgeId)>,
    /// Control alone does not tell whether it is.
    pub why_unknown: Option<String>,
}

/// Looks at what the threads are about to do.
pub(super) fn broken(threads: &mut Interleaving, blocks: &mut Blocks, id: TupleId) -> Option<Broken> {
    let program = blocks.unfolding.program();
    if let Some(check) = program.threads.deadlock {
        let why_unknown = match threads.deadlock(blocks, id) {
            Deadlock::Yes => Some(None),
            Deadlock::Perhaps => {
                Some(Some("a wait for one of several threads, some of which have ended".into()))
            }
            Deadlock::No => None,
        };
        if let Some(why_unknown) = why_unknown {
            return Some(Broken { check, poised: Vec::new(), why_unknown });
        }
    }
    if program.threads.races.is_empty() {
        return None;
    }
    let regions = threads.prints.regions();
    let tuple = threads.get(id);
    let mut poised: Vec<(ThreadId, Step, Vec<Access>, bool)> = Vec::new();
    for thread in threads.running(id) {
        let Some(node) = tuple[thread.index()] else { continue };
        let atomic = blocks.unfolding.get(node).atomic > 0;
        for transition in blocks.unfolding.successors(node).to_vec() {
            let accesses = race::accesses(program, transition.step);
            if !accesses.is_empty() {
                poised.push((thread, transition.step, accesses, atomic));
            }
        }
    }
    let mut found: Option<Broken> = None;
    for (i, (one, step, accesses, atomic)) in poised.iter().enumerate() {
        for (two, other, theirs, inside) in &poised[i + 1..] {
            if one == two {
                continue;
            }
            let overlap = race::conflict(program, &regions, (accesses, *atomic), (theirs, *inside));
            let edges = [(*one, step.edge()), (*two, other.edge())];
            let races = &program.threads.races;
            let own = edges.iter().find_map(|(_, edge)| races.get(edge));
            // Bodies of the library for threads have no checks of their own.
            let Some(&check) = own.or_else(|| races.values().next()) else { continue };
            match overlap {
                Overlap::Never => {}
                Overlap::Always => return Some(Broken { check, poised: edges.to_vec(), why_unknown: None }),
                Overlap::Perhaps => {
                    let why = "whether two accesses are to the same memory depends on pointers or indices";
                    let why_unknown = Some(why.to_owned());
                    found.get_or_insert(Broken { check, poised: edges.to_vec(), why_unknown });
                }
            }
        }
    }
    found
}
