//! The rules that are a matter of where several threads are: data races and deadlocks, looked for at each tuple.

use super::interleaving::{Deadlock, Interleaving, TupleId};
use super::race::{self, Poised, Race};
use crate::block::Blocks;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{CheckId, ThreadId};

/// What is broken at a tuple, if a run gets there.
pub struct Broken {
    /// The check.
    pub check: CheckId,
    /// The steps that race.
    pub poised: Vec<(ThreadId, EdgeId)>,
    /// Control alone does not tell whether it is.
    pub why_unknown: Option<String>,
}

/// What threads are about to access.
fn poised(threads: &Interleaving, blocks: &mut Blocks, id: TupleId) -> Vec<Poised> {
    let program = blocks.unfolding.program();
    let tuple = threads.get(id);
    let mut poised: Vec<Poised> = Vec::new();
    for thread in threads.running(id) {
        let Some(node) = tuple[thread.index()] else { continue };
        let sections = blocks.unfolding.get(node).atomic.into();
        let steps = blocks.unfolding.successors(node).iter().map(|transition| transition.step);
        poised.extend(steps.filter_map(|step| Poised::new(program, thread, step, sections)));
    }
    poised
}

/// An access that a machine does not do at once, while another thread accesses the same memory, or may.
pub fn torn(threads: &Interleaving, blocks: &mut Blocks, id: TupleId) -> Option<EdgeId> {
    let program = blocks.unfolding.program();
    if program.threads.torn.is_empty() {
        return None;
    }
    race::torn(program, &threads.prints.regions(), &poised(threads, blocks, id))
}

/// Looks at what the threads are about to do. If it is not sure that something is broken, all that may be is told.
pub fn broken(threads: &mut Interleaving, blocks: &mut Blocks, id: TupleId) -> Vec<Broken> {
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
            return vec![Broken { check, poised: Vec::new(), why_unknown }];
        }
    }
    if program.threads.races.is_empty() {
        return Vec::new();
    }
    let regions = threads.prints.regions();
    let poised = poised(threads, blocks, id);
    let why = "whether two accesses are to the same memory depends on pointers or indices";
    let races = race::races(program, &regions, &poised).into_iter();
    let broken = |Race { check, steps, sure }| Broken {
        check,
        poised: steps.to_vec(),
        why_unknown: (!sure).then(|| why.to_owned()),
    };
    races.map(broken).collect()
}
