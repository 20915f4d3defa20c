//! Data races and deadlocks: no tuple that has an invariant is one.

use super::race::{Candidate, is_race, is_torn};
use super::{Check, Places};
use crate::evidence::invariants::Point;
use tour_ir::program::ThreadId;

impl Check<'_> {
    /// A place where a thread waits that can't go on.
    pub(super) fn is_blocked(&self, point: &Point) -> bool {
        self.program.threads.blocked_at.contains(&point.loc)
    }

    /// Some thread is at such a place: what the others can do, other than wait too, was looked at before.
    pub(super) fn is_standstill(&self, places: &Places) -> bool {
        places.iter().flatten().any(|point| self.is_blocked(point))
    }

    /// The thread is not there yet, and does not wait for the end of one that has not ended.
    pub(super) fn has_to_wait(&self, places: &Places, thread: ThreadId) -> bool {
        let Some(point) = &places[thread.index()] else { return false };
        !self.is_blocked(point) && !self.joins(places, point)
    }

    /// A wait for the end of threads, one of which has not ended.
    pub(super) fn joins(&self, places: &Places, point: &Point) -> bool {
        let ended = |t: &ThreadId| places[t.index()].as_ref().is_some_and(|p| self.has_ended(p));
        self.awaited(point).is_some_and(|all| !all.iter().all(ended))
    }

    /// A rule that a tuple breaks, or may break, if a run gets there.
    pub(super) fn broken_rule(&self, places: &Places) -> Option<&'static str> {
        let threads = &self.program.threads;
        let running: Vec<&Point> = places.iter().flatten().filter(|p| !self.has_ended(p)).collect();
        let waits = |point: &Point| self.is_blocked(point) || self.joins(places, point);
        if threads.deadlock.is_some() && !running.is_empty() && running.iter().all(|point| waits(point)) {
            return Some("all threads wait");
        }
        if !threads.looks_at_accesses() {
            return None;
        }
        let mut next: Vec<Candidate> = Vec::new();
        for thread in threads.all.indices() {
            let Some(point) = places[thread.index()].as_ref().filter(|p| !self.has_ended(p)) else {
                continue;
            };
            let steps = self.executor.successors(point);
            let steps = steps.into_iter().map(|(edge, to)| self.step(point, edge, &to));
            next.extend(steps.map(|step| Candidate::new(&self.reader, thread, step, point.atomic)));
        }
        if is_torn(&self.reader, &next) {
            return Some("an access that takes several steps may race");
        }
        if is_race(&self.reader, &next) {
            return Some("two threads may access the same memory");
        }
        None
    }
}
