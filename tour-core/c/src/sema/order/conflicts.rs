//! Pairs of events that can notice which of them comes first.

use super::super::Sema;
use super::super::effects::{Cell, Effects, Summaries};
use super::events::{Event, Kind};
use std::cell::OnceCell;
use std::rc::Rc;

/// What two events that are not ordered mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conflict {
    /// Either may come first.
    Choice,
    /// Undefined behaviour.
    Undefined,
    /// Undefined behaviour if they access the same memory.
    Perhaps,
    /// More orders than those of whole events, or undefined behaviour on some way only.
    Unsupported,
}

/// Compares events; what calls do is looked up when it is asked for.
pub(super) struct Pairs<'p, 'a, 'e> {
    pub sema: &'p Sema<'a>,
    pub events: &'p [Event<'e>],
    pub all: Vec<OnceCell<Vec<Rc<Effects>>>>,
}

impl Pairs<'_, '_, '_> {
    /// All effects of an event.
    fn all(&self, event: usize) -> &[Rc<Effects>] {
        let summaries = &self.sema.shared.summaries;
        self.all[event].get_or_init(|| summaries.with_calls(&self.events[event].effects))
    }

    pub fn conflict(&self, a: usize, b: usize) -> Option<Conflict> {
        let summaries = &self.sema.shared.summaries;
        let (x, y) = (&self.events[a], &self.events[b]);
        let direct = collide(summaries, &x.effects, &y.effects);
        if !x.effects.has_calls() && !y.effects.has_calls() {
            if !direct {
                // Another thread may come between two atomic reads.
                let both = summaries.threads && x.effects.atomic && y.effects.atomic;
                return both.then_some(Conflict::Choice);
            }
            if x.item != y.item {
                return Some(Conflict::Choice);
            }
            if x.kind == Kind::Composite || y.kind == Kind::Composite {
                return Some(Conflict::Unsupported);
            }
            let same = self.sema.same_memory(x, y);
            return Some(if same { Conflict::Undefined } else { Conflict::Perhaps });
        }
        // A call does not know the variables of its caller.
        let hidden = |event: &Event<'_>| {
            let effects = &event.effects;
            let mut cells = effects.reads.iter().chain(&effects.writes);
            !effects.has_calls() && !effects.fails && cells.all(|cell| summaries.is_private(cell))
        };
        if !direct && (hidden(x) || hidden(y)) || !self.any(self.all(a), self.all(b)) {
            return None;
        }
        // Something else could come between the parts of a composite event.
        let many = |of: &Event<'_>, other: &[Rc<Effects>]| {
            of.parts.iter().filter(|part| self.any(&summaries.with_calls(part), other)).count() > 1
        };
        let composite = x.kind == Kind::Composite || y.kind == Kind::Composite;
        if composite && (direct || many(x, self.all(b)) || many(y, self.all(a))) {
            return Some(Conflict::Unsupported);
        }
        Some(Conflict::Choice)
    }

    /// Some of the first effects depend on whether some of the others come before.
    fn any(&self, xs: &[Rc<Effects>], ys: &[Rc<Effects>]) -> bool {
        let summaries = &self.sema.shared.summaries;
        let atomic = |x: &Effects, y: &Effects| summaries.threads && x.atomic && y.atomic;
        xs.iter().any(|x| ys.iter().any(|y| matters(summaries, x, y) || ends(x, y) || atomic(x, y)))
    }
}

pub(super) enum Relation {
    /// Neither is an operand of the other.
    Unordered,
    /// The second is inside of the first, and no call is between them.
    Inside,
    /// The second is an argument of a call in the first.
    Ordered,
}

/// How two events are related; the first has the smaller number.
pub(super) fn relation(events: &[Event<'_>], a: usize, b: usize) -> Relation {
    let mut at = events[b].parent;
    let mut call = false;
    while let Some(event) = at {
        if event == a {
            return if call || events[a].kind == Kind::Call { Relation::Ordered } else { Relation::Inside };
        }
        call |= events[event].kind == Kind::Call;
        at = events[event].parent;
    }
    Relation::Unordered
}

/// One writes what the other accesses.
fn collide(summaries: &Summaries, x: &Effects, y: &Effects) -> bool {
    let overlap = |a: &Cell, b: &Cell| summaries.overlap(a, b);
    x.writes.iter().any(|w| y.writes.iter().chain(&y.reads).any(|c| overlap(w, c)))
        || y.writes.iter().any(|w| x.reads.iter().any(|c| overlap(w, c)))
}

/// The same, where someone may notice: which of two writes is the last one matters to those who read it.
fn matters(summaries: &Summaries, x: &Effects, y: &Effects) -> bool {
    let overlap = |a: &Cell, b: &Cell| summaries.overlap(a, b);
    x.writes.iter().any(|w| summaries.is_read(w) && y.writes.iter().any(|c| overlap(w, c)))
        || x.writes.iter().any(|w| y.reads.iter().any(|c| overlap(w, c)))
        || y.writes.iter().any(|w| x.reads.iter().any(|c| overlap(w, c)))
}

/// One may end the run before the other violates something.
fn ends(x: &Effects, y: &Effects) -> bool {
    x.ends && y.fails || y.ends && x.fails
}
