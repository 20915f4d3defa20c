//! Static partial-order reduction by source sets ([COI §2.5.2]; `[SOURCE]`). From a tuple of locations, a set of
//! threads is enough if nothing that the others can do before it depends on its next actions.
//!
//! The set depends on the tuple alone, so that the reduced graph is the same in whatever order it is explored. A thread
//! that is ignored on a cycle would be ignored forever: where an action may close a cycle of a thread's automaton (it
//! leads to the head of a loop), all threads are explored. The same holds where no thread of the set is sure to move: if
//! all of them are stopped, by the data or by the end of the program, those that are left out still have to be seen.

use super::footprint::Footprint;
use super::interleaving::{Interleaving, Next, TupleId};
use crate::block::Blocks;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tour_ir::program::ThreadId;

/// The smallest source set. `reduced` has the footprints of next actions that were simplified.
pub fn source_set(
    threads: &mut Interleaving,
    blocks: &mut Blocks,
    id: TupleId,
    reduced: &FxHashMap<ThreadId, Footprint>,
) -> Vec<ThreadId> {
    let running = threads.running(id);
    if running.len() < 2 {
        return running;
    }
    let state = State::of(threads, blocks, id, &running);
    let mut best: Option<Vec<ThreadId>> = None;
    for &seed in &running {
        if state.blocked[seed.index()] {
            continue;
        }
        let set = state.close(seed, reduced);
        let size = |set: &[ThreadId]| set.iter().filter(|t| !state.blocked[t.index()]).count();
        let closes = set.iter().any(|t| state.next(*t).is_some_and(|next| next.closes));
        let moves = set.iter().any(|t| state.sure[t.index()]);
        let set = if closes || !moves { running.clone() } else { set };
        if best.as_ref().is_none_or(|best| size(&set) < size(best)) {
            best = Some(set);
        }
    }
    best.unwrap_or(running)
}

struct State {
    running: Vec<ThreadId>,
    next: Vec<Option<Rc<Next>>>,
    future: Vec<Option<Rc<Footprint>>>,
    blocked: Vec<bool>,
    sure: Vec<bool>,
    begun: Vec<bool>,
}

impl State {
    fn of(threads: &mut Interleaving, blocks: &mut Blocks, id: TupleId, running: &[ThreadId]) -> State {
        let tuple = threads.get(id);
        let mut state = State {
            running: running.to_vec(),
            next: vec![None; tuple.len()],
            future: vec![None; tuple.len()],
            blocked: vec![false; tuple.len()],
            sure: vec![false; tuple.len()],
            begun: tuple.iter().map(Option::is_some).collect(),
        };
        for &thread in running {
            let Some(node) = tuple[thread.index()] else { continue };
            let next = threads.next(blocks, node);
            state.blocked[thread.index()] = threads.is_blocked(&tuple, &next);
            state.sure[thread.index()] = threads.is_sure(&tuple, &next);
            state.next[thread.index()] = Some(next);
            state.future[thread.index()] = Some(threads.graph.future(blocks.unfolding.loc(node)).clone());
        }
        state
    }

    fn next(&self, thread: ThreadId) -> Option<&Next> {
        self.next[thread.index()].as_deref()
    }

    /// Adds threads until nothing that the others can do depends on the next actions of those in the set.
    fn close(&self, seed: ThreadId, reduced: &FxHashMap<ThreadId, Footprint>) -> Vec<ThreadId> {
        let mut set = vec![seed];
        'again: loop {
            for &thread in &set {
                let Some(next) = self.next(thread) else { continue };
                if self.blocked[thread.index()] {
                    // Only the end of one of these lets it go on.
                    let awaited = next.waits.as_deref().unwrap_or_default();
                    if awaited.iter().any(|t| !self.begun[t.index()]) {
                        return self.running.clone();
                    }
                    if let Some(&new) = awaited.iter().find(|t| self.running.contains(t) && !set.contains(t))
                    {
                        set.push(new);
                        continue 'again;
                    }
                    continue;
                }
                let print = reduced.get(&thread).unwrap_or(&next.print);
                for &other in &self.running {
                    if set.contains(&other) || self.waits_for_set(other, &set) {
                        continue;
                    }
                    if self.future[other.index()].as_ref().is_some_and(|future| future.conflicts(print)) {
                        set.push(other);
                        continue 'again;
                    }
                }
            }
            set.sort_unstable();
            return set;
        }
    }

    /// The thread can do nothing until a thread of the set has ended.
    fn waits_for_set(&self, thread: ThreadId, set: &[ThreadId]) -> bool {
        self.blocked[thread.index()]
            && self
                .next(thread)
                .and_then(|next| next.waits.as_ref())
                .is_some_and(|all| all.iter().all(|t| set.contains(t)))
    }
}
