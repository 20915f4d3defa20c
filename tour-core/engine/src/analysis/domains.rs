//! The abstract domains that users can choose: each a line in [`ALL`], its names, and how it is made, [`DomainKind::run`].
//!
//! An algorithm is generic in its domain ([`InDomain`]): it says what domains are made of, and never which there are.

use crate::bam::Reducer;
use crate::context::Context;
use crate::domain::predicate::PredicateDomain;
use crate::domain::product::ProductDomain;
use crate::domain::value::{Tracking, ValueDomain};
use crate::heuristics::Heuristics;
use tour_evidence::verdict::Verdict;
use tour_ir::choice::Choice;
use tour_ir::prepared::Prepared;

/// The abstract domain of an algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DomainKind {
    /// Predicates.
    Predicate,
    /// Explicit values of the variables that matter.
    Value,
    /// Explicit values of all variables.
    Explicit,
    /// Explicit values and predicates.
    #[default]
    Product,
}

/// All domains, as users see them.
const ALL: &[DomainKind] =
    &[DomainKind::Predicate, DomainKind::Value, DomainKind::Explicit, DomainKind::Product];

/// What there is to say of a domain.
struct About {
    /// The name that users write: that of lazy abstraction in it, too.
    name: &'static str,
    /// The name of lazy abstraction in it where there are threads.
    with_threads: &'static str,
    help: &'static str,
}

impl DomainKind {
    fn about(self) -> About {
        let (name, with_threads, help) = match self {
            DomainKind::Predicate => ("predicate", "threads-predicate", "Boolean combinations of predicates"),
            DomainKind::Value => ("value", "threads-value", "Explicit values of the variables that matter"),
            DomainKind::Explicit => ("explicit", "threads-explicit", "Explicit values of all variables"),
            DomainKind::Product => ("product", "threads-product", "Explicit values and predicates together"),
        };
        About { name, with_threads, help }
    }

    /// The name of lazy abstraction in this domain where there are threads.
    pub(super) fn with_threads(self) -> &'static str {
        self.about().with_threads
    }
}

impl Choice for DomainKind {
    fn all() -> Vec<(DomainKind, &'static str, &'static str)> {
        ALL.iter().map(|kind| (*kind, kind.about().name, kind.about().help)).collect()
    }
}

/// An algorithm that works in any domain: what it makes domains of, and what it does in one.
pub(super) trait InDomain {
    /// Predicates.
    fn predicates(&self, heuristics: &Heuristics) -> PredicateDomain;

    /// Values of the variables that matter, where nothing else speaks of them.
    fn values(&self, heuristics: &Heuristics) -> Tracking;

    /// Values of all variables.
    fn all_values(&self, heuristics: &Heuristics) -> Tracking;

    /// Values of the variables that matter, beside predicates.
    fn values_beside_predicates(&self, heuristics: &Heuristics) -> Tracking;

    /// Analyses the program in a domain.
    fn run_in<D: Reducer>(&self, program: &Prepared, context: &Context, domain: D) -> Verdict;
}

impl DomainKind {
    /// Runs an algorithm in this domain.
    pub(super) fn run(self, algorithm: &impl InDomain, program: &Prepared, context: &Context) -> Verdict {
        let heuristics = &context.heuristics;
        match self {
            DomainKind::Predicate => algorithm.run_in(program, context, algorithm.predicates(heuristics)),
            DomainKind::Value => {
                let tracking = algorithm.values(heuristics);
                algorithm.run_in(program, context, ValueDomain { tracking })
            }
            DomainKind::Explicit => {
                let tracking = algorithm.all_values(heuristics);
                algorithm.run_in(program, context, ValueDomain { tracking })
            }
            DomainKind::Product => {
                let tracking = algorithm.values_beside_predicates(heuristics);
                let predicates = algorithm.predicates(heuristics);
                algorithm.run_in(program, context, ProductDomain { tracking, predicates })
            }
        }
    }
}
