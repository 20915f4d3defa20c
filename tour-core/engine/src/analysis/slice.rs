//! Analyses of a slice instead of the whole program.
//!
//! What a slice proves is proved, and its closure is part of the certificate. A violation of the slice is one if a run of
//! the whole program shows it ([`crate::confirm`]). An analysis that comes to no verdict on the slice is run on the whole
//! program.

use super::Analysis;
use crate::context::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tour_evidence::verdict::{Certificate, Proof, UnknownReason, Verdict};
use tour_ir::prepared::{Fact, Prepared};
use tour_model::slice::{Slice, Sliced};

/// The slice of a program as a program, if it is worth it.
struct Reduced(Option<(Arc<Slice>, Prepared)>);

/// A slice with more than so many percent of the operations is left alone: it would have to be justified for little.
/// How evidence is given: not a matter of tuning.
const MOST: usize = 90;

impl Fact for Reduced {
    fn of(program: &Prepared) -> Reduced {
        let sliced = program.fact::<Sliced>();
        let worth = |slice: &&Slice| slice.after * 100 <= slice.before * MOST;
        Reduced(sliced.0.as_ref().filter(worth).map(|slice| {
            let whole = Arc::new(Prepared::new((**program).clone()));
            (Arc::new(slice.clone()), Prepared::part(slice.apply(program), whole))
        }))
    }
}

/// An analysis of the slice.
pub(super) struct OfSlice<A: ?Sized> {
    /// It had no verdict on the slice.
    whole: AtomicBool,
    analysis: Box<A>,
}

impl<A: Analysis + ?Sized> OfSlice<A> {
    /// The analysis, of slices.
    pub fn new(analysis: Box<A>) -> OfSlice<A> {
        OfSlice { whole: AtomicBool::new(false), analysis }
    }
}

impl<A: Analysis + ?Sized> Analysis for OfSlice<A> {
    fn name(&self) -> &'static str {
        self.analysis.name()
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let reduced = program.fact::<Reduced>();
        let slice = reduced.0.as_ref().filter(|_| !self.whole.load(Ordering::Relaxed));
        let Some((slice, part)) = slice else { return self.analysis.run(program, context) };
        context.stats.set("operations", slice.before);
        context.stats.set("operations-of-slice", slice.after);
        match self.analysis.run(part, context) {
            Verdict::Proved(Proof { analysis, certificate }) => {
                let certificate = Certificate::Slice { slice: slice.clone(), proof: Box::new(certificate) };
                Verdict::Proved(Proof { analysis, certificate })
            }
            verdict @ (Verdict::Violated(_)
            | Verdict::Unknown(UnknownReason::Stopped(_) | UnknownReason::Inconclusive)) => verdict,
            Verdict::Unknown(_) => {
                self.whole.store(true, Ordering::Relaxed);
                self.analysis.run(&context.goals.rest(program), context)
            }
        }
    }
}
