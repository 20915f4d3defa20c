//! The conditions of partial-order reduction.

use super::interference::Footprint;
use super::progress::goes_on;
use super::{Check, Places};
use crate::evidence::invariants::Point;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tour_ir::program::{Builtin, ThreadId};

/// What an action of a thread can do to others.
pub(super) struct Action {
    /// What it accesses.
    print: Footprint,
    /// It may lead to the head of a loop.
    closes: bool,
    /// It happens, whatever the data, and does not end the program.
    sure: bool,
}

impl Check<'_> {
    /// The threads explored at a tuple are enough: the conditions of partial-order reduction.
    pub(super) fn explores_enough(&mut self, places: &Places, explored: &[ThreadId]) -> Result<(), String> {
        let running: Vec<ThreadId> = (self.program.threads.all.indices())
            .filter(|t| places[t.index()].as_ref().is_some_and(|p| !self.has_ended(p)))
            .collect();
        if self.is_standstill(places) {
            let next = running.iter().find(|t| self.has_to_wait(places, **t)).map(std::slice::from_ref);
            let ok = explored == next.unwrap_or_default();
            return if ok { Ok(()) } else { Err(format!("at {places:?}, another thread has to wait first")) };
        }
        let inside = running.iter().find(|t| places[t.index()].as_ref().is_some_and(|p| p.atomic > 0));
        if let Some(inside) = inside {
            let ok = explored == [*inside];
            return if ok { Ok(()) } else { Err(format!("at {places:?}, an atomic section is left")) };
        }
        if running.iter().all(|t| explored.contains(t)) {
            return Ok(());
        }
        let mut blocked: FxHashMap<ThreadId, Vec<ThreadId>> = FxHashMap::default();
        let mut next: FxHashMap<ThreadId, (Rc<Action>, bool)> = FxHashMap::default();
        for &thread in &running {
            let Some(point) = &places[thread.index()] else { continue };
            if let Some(all) = self.awaited(point)
                && all.iter().all(|t| !places[t.index()].as_ref().is_some_and(|p| self.has_ended(p)))
            {
                blocked.insert(thread, all);
            }
            let action = self.next(thread, point);
            let sure = match self.awaited(point) {
                Some(all) => {
                    all.iter().all(|t| places[t.index()].as_ref().is_some_and(|p| self.has_ended(p)))
                }
                None => action.sure,
            };
            next.insert(thread, (action, sure));
        }
        let fail = |why: &str| Err(format!("at {places:?}, exploring {explored:?} is not enough: {why}"));
        if !explored.iter().any(|t| next.get(t).is_some_and(|(_, sure)| *sure)) {
            return fail("none of them is sure to move");
        }
        for thread in explored {
            let Some((action, _)) = next.get(thread) else {
                return fail("one is not running");
            };
            if action.closes {
                return fail("an action leads to a loop");
            }
            if let Some(awaited) = blocked.get(thread) {
                let all_there = awaited
                    .iter()
                    .all(|t| places[t.index()].is_some() && (explored.contains(t) || !running.contains(t)));
                if !all_there {
                    return fail("it waits for another thread");
                }
                continue;
            }
            for other in running.iter().filter(|t| !explored.contains(t)) {
                if blocked.get(other).is_some_and(|all| all.iter().all(|t| explored.contains(t))) {
                    continue;
                }
                let Some(point) = &places[other.index()] else { continue };
                if self.interference.future(point.loc).conflicts(&action.print) {
                    return fail("another thread can interfere");
                }
            }
        }
        Ok(())
    }

    /// The threads for one of which the next action waits.
    pub(super) fn awaited(&self, point: &Point) -> Option<Vec<ThreadId>> {
        let [(begin, inside)] = &self.executor.successors(point)[..] else { return None };
        if self.builtin(*begin) != Some(Builtin::AtomicBegin) {
            return None;
        }
        let mut all = Vec::new();
        for (edge, _) in self.executor.successors(inside) {
            match self.builtin(edge) {
                Some(Builtin::ThreadFinished) => all.extend(self.reader.about(edge, 0)),
                Some(Builtin::ThreadStart) => return None,
                _ => {}
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// The next action of a thread.
    fn next(&mut self, thread: ThreadId, from: &Point) -> Rc<Action> {
        if let Some(known) = self.next.get(from) {
            return known.clone();
        }
        let mut print = Footprint::default();
        let (mut closes, mut sure) = (false, true);
        let mut seen: FxHashSet<Point> = FxHashSet::default();
        let mut work = vec![from.clone()];
        while let Some(point) = work.pop() {
            sure &= goes_on(self.program, point.loc);
            for (edge, to) in self.executor.successors(&point) {
                let step = self.step(&point, edge, &to);
                print.add(&self.interference.footprint(step));
                closes |= self.loops.is_head(to.loc);
                sure &= (to.atomic == 0 || !self.loops.is_head(to.loc)) && !self.is_blocked(&to);
                if self.has_ended(&to) {
                    print.add(&self.interference.end_of(thread));
                }
                if (to.atomic > 0 || !self.is_end(&to)) && seen.insert(to.clone()) {
                    work.push(to);
                }
            }
        }
        let action = Rc::new(Action { print, closes, sure });
        self.next.insert(from.clone(), action.clone());
        action
    }
}
