//! Call contexts of re-used sub-graphs [TOUR §7.1, Figures 7.3 and 7.4].
//!
//! Block-abstraction memoization puts a sub-graph that was explored for one call behind another one. The distances in it
//! depend on the call, so they can't be stored with its states. What is stored: for every state, the entry state of its
//! function (`entry`); for entry states only, the state of the call (`call`). Re-using a sub-graph changes one number, the
//! call of its entry. A distance is computed when it is asked for; `CD` keeps what is left to go after the return from a
//! call, so that a chain of calls is gone through once.

use super::dist::Dist;
use super::distances::Distances;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::Program;

/// A call that is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Call<S> {
    /// The state in which it was made.
    state: S,
    /// Where it returns to.
    to: LocId,
}

/// Call contexts of states.
#[derive(Clone, Debug)]
pub struct CallContexts<S> {
    entry: FxHashMap<S, S>,
    /// By entry state; the program's first state has none.
    call: FxHashMap<S, Call<S>>,
    /// What is left to go after the return to a call's state, by the entry state of the callee.
    cd: FxHashMap<S, Dist>,
}

impl<S> Default for CallContexts<S> {
    fn default() -> CallContexts<S> {
        CallContexts { entry: FxHashMap::default(), call: FxHashMap::default(), cd: FxHashMap::default() }
    }
}

impl<S: Copy + Eq + Hash> CallContexts<S> {
    /// The first state of the program, or of a sub-graph whose call is not known yet.
    pub fn begin(&mut self, state: S) {
        self.entry.insert(state, state);
    }

    /// `next` follows `state` within a function.
    pub fn step(&mut self, state: S, next: S) {
        if let Some(entry) = self.entry(state) {
            self.entry.insert(next, entry);
        }
    }

    /// `entry` is the entry state of the callee when `state` makes a call. For the entry of a sub-graph that is re-used,
    /// this gives all states of the sub-graph their new context.
    pub fn enter(&mut self, program: &Program, state: S, call: EdgeId, entry: S) {
        if self.is_below(state, entry) {
            // Re-used below itself, it keeps the call from outside: the distance through that is the shorter one.
            return;
        }
        self.entry.insert(entry, entry);
        let new = Call { state, to: program.cfa.edges[call].to };
        if self.call.insert(entry, new) != Some(new) {
            // Distances in callees of the sub-graph depend on it too.
            self.cd.clear();
        }
    }

    /// A state is in the sub-graph of an entry state, or in a call below it.
    fn is_below(&self, state: S, entry: S) -> bool {
        if !self.entry.contains_key(&entry) {
            return false;
        }
        let mut at = self.entry(state);
        while let Some(below) = at.filter(|below| *below != entry) {
            at = self.call.get(&below).and_then(|call| self.entry(call.state));
        }
        at.is_some()
    }

    /// `next` follows when `state`, at the exit of a function, returns.
    pub fn leave(&mut self, state: S, next: S) {
        if let Some(call) = self.call(state)
            && let Some(entry) = self.entry(call)
        {
            self.entry.insert(next, entry);
        }
    }

    /// entry(s): the entry state of a state's function.
    pub fn entry(&self, state: S) -> Option<S> {
        self.entry.get(&state).copied()
    }

    /// call(entry(s)): the state that called a state's function.
    pub fn call(&self, state: S) -> Option<S> {
        Some(self.call.get(&self.entry(state)?)?.state)
    }

    /// dist(s), for a state at a location.
    pub fn dist(&mut self, distances: &Distances, state: S, loc: LocId) -> Dist {
        let after = self.after_of(distances, state);
        distances.dist(loc, after)
    }

    /// What is left to go after the return from a state's function.
    pub fn after_of(&mut self, distances: &Distances, state: S) -> Dist {
        match self.entry(state) {
            Some(entry) => self.after(distances, entry),
            None => Dist::INFINITE,
        }
    }

    /// What is left to go after the return from the function with this entry state.
    pub fn after(&mut self, distances: &Distances, entry: S) -> Dist {
        let mut open = Vec::new();
        let mut at = Some(entry);
        let mut after = Dist::INFINITE;
        while let Some(entry) = at {
            if let Some(&known) = self.cd.get(&entry) {
                after = known;
                break;
            }
            let Some(call) = self.call.get(&entry) else { break };
            open.push((entry, call.to));
            at = self.entry(call.state);
        }
        while let Some((entry, to)) = open.pop() {
            after = distances.after_return(to, after);
            self.cd.insert(entry, after);
        }
        after
    }
}
