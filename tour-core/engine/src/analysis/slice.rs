//! Analyses of a slice instead of the whole program.
//!
//! A thin slice first, of which conditions about other data are no part; then the full one; then the whole program: an
//! analysis that comes to no verdict on one goes on to the next. What a slice proves is proved, and its closure is part of
//! the certificate. A violation of the slice is one if a run of the whole program shows it ([`crate::confirm`]).

use super::{Algorithm, Analysis};
use crate::context::observe::GraphPlace;
use crate::context::{Context, Event, Observer, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::cfa::{LocId, Visit};
use tour_ir::prepared::{Fact, Prepared};
use tour_ir::program::VarId;
use tour_model::slice::{Branches, Slice};

/// A slice as a program, if it is worth it.
type Reduced = Option<(Arc<Slice>, Prepared)>;

/// A slice with a larger share of the operations, in percent, is left alone: it would have to be justified for little.
/// How evidence is given: not a matter of tuning.
const MOST: usize = 90;

/// A program that interpreters are given.
struct Whole(Arc<Prepared>);

impl Fact for Whole {
    fn of(program: &Prepared) -> Whole {
        Whole(Arc::new(program.clone()))
    }
}

fn reduced(program: &Prepared, branches: Branches) -> Reduced {
    let slice = Slice::of(program, branches).filter(|slice| slice.after * 100 <= slice.before * MOST)?;
    let part = Prepared::part(slice.apply(program), program.fact::<Whole>().0.clone());
    Some((Arc::new(slice), part))
}

struct Thin(Reduced);

impl Fact for Thin {
    fn of(program: &Prepared) -> Thin {
        // One without open branches is the full one.
        Thin(reduced(program, Branches::Thin).filter(|(slice, _)| !slice.open.is_empty()))
    }
}

struct Full(Reduced);

impl Fact for Full {
    fn of(program: &Prepared) -> Full {
        Full(reduced(program, Branches::Full))
    }
}

/// The slices that an analysis is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Thin,
    Full,
}

/// An analysis of slices.
pub(super) struct OfSlice<A: ?Sized> {
    /// In the order in which it is given them.
    parts: &'static [Part],
    /// On how many of them it had no verdict.
    failed: AtomicUsize,
    analysis: Box<A>,
}

impl<A: Analysis + ?Sized> OfSlice<A> {
    /// The analysis, of slices.
    pub fn new(algorithm: Algorithm, analysis: Box<A>) -> OfSlice<A> {
        let parts: &[Part] = match algorithm {
            // What unrolls loops follows all ways of an open branch, round after round.
            Algorithm::Bmc | Algorithm::KInduction => &[Part::Full],
            Algorithm::Auto | Algorithm::Lazy | Algorithm::ExplicitState | Algorithm::Bam => {
                &[Part::Thin, Part::Full]
            }
        };
        OfSlice { parts, failed: AtomicUsize::new(0), analysis }
    }

    /// Its verdict on a slice; `None` if there is none.
    fn on(&self, program: &Prepared, reduced: &Reduced, context: &Context) -> Option<Verdict> {
        let (slice, part) = reduced.as_ref()?;
        context.stats.set("operations", slice.before);
        context.stats.set("operations-of-slice", slice.after);
        let context = Context { watch: Known::watch(program, &context.watch), ..context.clone() };
        match self.analysis.run(&context.goals.rest(part), &context) {
            Verdict::Proved(Proof { analysis, certificate }) => {
                let certificate = Certificate::Slice { slice: slice.clone(), proof: Box::new(certificate) };
                Some(Verdict::Proved(Proof { analysis, certificate }))
            }
            verdict @ (Verdict::Violated(_)
            | Verdict::Unknown(UnknownReason::Stopped(_) | UnknownReason::Inconclusive)) => Some(verdict),
            Verdict::Unknown(_) => None,
        }
    }
}

impl<A: Analysis + ?Sized> Analysis for OfSlice<A> {
    fn name(&self) -> &'static str {
        self.analysis.name()
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        if !program.threads.is_empty() {
            return self.analysis.run(program, context);
        }
        for part in self.parts.iter().skip(self.failed.load(Ordering::Relaxed)) {
            let verdict = match part {
                Part::Thin => self.on(program, &program.fact::<Thin>().0, context),
                Part::Full => self.on(program, &program.fact::<Full>().0, context),
            };
            if let Some(verdict) = verdict {
                return verdict;
            }
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        self.analysis.run(&context.goals.rest(program), context)
    }
}

/// Tells observers what concerns the program: a slice has a few locations, edges and variables of its own, behind
/// those of the program.
struct Known {
    watch: Watch,
    locs: usize,
    edges: usize,
    vars: usize,
}

impl Known {
    fn watch(program: &Prepared, watch: &Watch) -> Watch {
        if !watch.is_on() {
            return watch.clone();
        }
        let (locs, edges) = (program.cfa.locs.len(), program.cfa.edges.len());
        let known = Known { watch: watch.clone(), locs, edges, vars: program.vars.len() };
        Watch::new(Arc::new(known)).of(watch.who())
    }

    fn loc(&self, loc: LocId) -> bool {
        loc.index() < self.locs
    }

    fn visits(&self, visits: &[Visit]) -> Vec<Visit> {
        let known = |visit: &Visit| visit.edge.index() < self.edges;
        let to = |visit: Visit| Visit { to: visit.to.filter(|to| self.loc(*to)), ..visit };
        visits.iter().copied().filter(known).map(to).collect()
    }

    fn variables(&self, variables: &[VarId]) -> Vec<VarId> {
        variables.iter().copied().filter(|var| var.index() < self.vars).collect()
    }
}

impl Observer for Known {
    fn observe(&self, who: &'static str, event: &Event) {
        let watch = self.watch.of(who);
        match *event {
            Event::Visited { visits } => watch.emit(&Event::Visited { visits: &self.visits(visits) }),
            Event::Reached { at, call_depth, trail } if self.loc(at) => {
                watch.emit(&Event::Reached { at, call_depth, trail: &self.visits(trail) });
            }
            Event::Expanded { at, call_depth, distance, ended } if self.loc(at) => {
                watch.emit(&Event::Expanded { at, call_depth, distance, ended: &self.visits(ended) });
            }
            Event::Removed { at, trail, ended } if self.loc(at) => {
                let (trail, ended) = (self.visits(trail), self.visits(ended));
                watch.emit(&Event::Removed { at, trail: &trail, ended: &ended });
            }
            Event::Abstraction { at, variables } if self.loc(at) => {
                watch.emit(&Event::Abstraction { at, variables: &self.variables(variables) });
            }
            Event::Predicate { at, text, variables } if self.loc(at) => {
                watch.emit(&Event::Predicate { at, text, variables: &self.variables(variables) });
            }
            Event::Tracked { at, variables } if self.loc(at) => {
                watch.emit(&Event::Tracked { at, variables: &self.variables(variables) });
            }
            Event::Covered { at } if self.loc(at) => watch.emit(event),
            Event::Graph { states } => {
                let known = |place: &GraphPlace| match place {
                    GraphPlace::Loc(loc, _) => self.loc(*loc),
                    GraphPlace::Unsupported(edge) => edge.index() < self.edges,
                    GraphPlace::Error(_) => true,
                };
                if states.iter().all(|state| known(&state.at)) {
                    watch.emit(event);
                }
            }
            Event::Begins | Event::Ends { .. } | Event::Refinement { .. } | Event::Depth { .. } => {
                watch.emit(event)
            }
            // At a location of the slice's own.
            Event::Reached { .. }
            | Event::Expanded { .. }
            | Event::Removed { .. }
            | Event::Abstraction { .. }
            | Event::Predicate { .. }
            | Event::Tracked { .. }
            | Event::Covered { .. } => {}
        }
    }

    fn wants_graph(&self) -> bool {
        self.watch.wants_graph()
    }
}
