//! Which analysis: an algorithm, and the abstract domain that it works in.
//!
//! What can be combined is a table ([`combinations`]). A combination that is not in it is an error which lists those that
//! are; nothing silently becomes something else.

use super::{
    Analysis, Bam, Bmc, DomainKind, ExplicitState, Interleavings, KInduction, Lazy, Options, Portfolio,
};
use std::fmt;
use tour_ir::choice::Choice;

/// How the states of a program are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// All of them, one after the other and side by side.
    #[default]
    Auto,
    /// Lazy abstraction: counterexample-guided abstraction refinement.
    Lazy,
    /// Explicit-state search: values of the variables that matter, edge by edge, without a solver.
    ExplicitState,
    /// Block-abstraction memoization.
    Bam,
    /// Bounded model checking.
    Bmc,
    /// k-induction.
    KInduction,
}

impl Choice for Algorithm {
    fn all() -> Vec<(Algorithm, &'static str, &'static str)> {
        vec![
            (Algorithm::Auto, "auto", "A quick bug hunt, then the others in rounds of growing budgets"),
            (Algorithm::Lazy, "lazy", "Lazy abstraction, in the abstract domain of --domain"),
            (
                Algorithm::ExplicitState,
                "explicit-state",
                "Explicit-state search: values of the variables that matter, edge by edge",
            ),
            (Algorithm::Bam, "bam", "Block-abstraction memoization, with recursion"),
            (
                Algorithm::Bmc,
                "bmc",
                "Bounded model checking: all runs with a bounded number of rounds of each loop",
            ),
            (Algorithm::KInduction, "k-induction", "k-induction with invariants from templates"),
        ]
    }
}

/// An algorithm in a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kind {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The domain, where the algorithm has one.
    pub domain: Option<DomainKind>,
}

impl Kind {
    /// All analyses that suit a program.
    pub const AUTO: Kind = Kind { algorithm: Algorithm::Auto, domain: None };
    /// Lazy predicate abstraction.
    pub const PREDICATE: Kind = Kind::lazy(DomainKind::Predicate);
    /// Lazy abstraction by explicit values of the variables that matter.
    pub const VALUE: Kind = Kind::lazy(DomainKind::Value);
    /// Lazy abstraction by explicit values of all variables.
    pub const EXPLICIT: Kind = Kind::lazy(DomainKind::Explicit);
    /// Lazy abstraction by explicit values and predicates.
    pub const PRODUCT: Kind = Kind::lazy(DomainKind::Product);
    /// Explicit-state search.
    pub const EXPLICIT_STATE: Kind = Kind { algorithm: Algorithm::ExplicitState, domain: None };
    /// Block-abstraction memoization by explicit values and predicates.
    pub const BAM: Kind = Kind::bam(DomainKind::Product);
    /// Bounded model checking.
    pub const BMC: Kind = Kind { algorithm: Algorithm::Bmc, domain: None };
    /// k-induction.
    pub const K_INDUCTION: Kind = Kind { algorithm: Algorithm::KInduction, domain: None };

    /// Lazy abstraction in a domain.
    pub const fn lazy(domain: DomainKind) -> Kind {
        Kind { algorithm: Algorithm::Lazy, domain: Some(domain) }
    }

    /// Block-abstraction memoization in a domain.
    pub const fn bam(domain: DomainKind) -> Kind {
        Kind { algorithm: Algorithm::Bam, domain: Some(domain) }
    }

    /// By the names that users write: an algorithm and a domain, or a domain alone, which means lazy abstraction in it.
    pub fn named(algorithm: &str, domain: Option<DomainKind>) -> Option<Kind> {
        match (Algorithm::named(algorithm), DomainKind::named(algorithm)) {
            (Some(algorithm @ (Algorithm::Lazy | Algorithm::Bam)), _) => {
                Some(Kind { algorithm, domain: Some(domain.unwrap_or_default()) })
            }
            (Some(algorithm), _) => Some(Kind { algorithm, domain }),
            (None, Some(own)) if domain.is_none_or(|domain| domain == own) => Some(Kind::lazy(own)),
            (None, _) => None,
        }
    }

    /// What the metrics of a directed search are selected for: lazy abstraction and block-abstraction memoization suit
    /// different ones.
    pub fn technique(self) -> &'static str {
        match self.algorithm {
            Algorithm::Auto | Algorithm::Lazy | Algorithm::ExplicitState => "lazy",
            Algorithm::Bam => "bam",
            Algorithm::Bmc | Algorithm::KInduction => "none",
        }
    }

    /// The analysis, for programs with threads or without; an error if there is no such combination.
    pub fn analysis(self, threads: bool, options: &Options) -> Result<Box<dyn Analysis>, NoSuchKind> {
        let found = combinations().into_iter().find(|(kind, with, _)| *kind == self && *with == threads);
        match found {
            Some((.., make)) => Ok(make(Options { analysis: self, ..options.clone() })),
            None => Err(NoSuchKind { kind: self, threads }),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "--analysis {}", self.algorithm.name())?;
        match self.domain {
            Some(domain) => write!(f, " --domain {}", domain.name()),
            None => Ok(()),
        }
    }
}

type Make = fn(Options) -> Box<dyn Analysis>;

/// What there is: algorithm and domain, for programs with threads or without.
pub fn combinations() -> Vec<(Kind, bool, Make)> {
    let mut all: Vec<(Kind, bool, Make)> = vec![
        (Kind::AUTO, false, |options| Box::new(Portfolio(options))),
        (Kind::AUTO, true, |options| Box::new(Portfolio(options))),
        (Kind::EXPLICIT_STATE, false, |options| Box::new(ExplicitState(options))),
        (Kind::BMC, false, |options| Box::new(Bmc { options, patience: None })),
        (Kind::K_INDUCTION, false, |options| Box::new(KInduction(options))),
    ];
    for (domain, ..) in DomainKind::all() {
        all.push((Kind::lazy(domain), false, |options| Box::new(Lazy(options))));
        all.push((Kind::lazy(domain), true, |options| Box::new(Interleavings(options))));
        if domain != DomainKind::Explicit {
            all.push((Kind::bam(domain), false, |options| Box::new(Bam(options))));
        }
    }
    all
}

/// There is no such combination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchKind {
    kind: Kind,
    threads: bool,
}

impl fmt::Display for NoSuchKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let programs = if self.threads { "programs with threads" } else { "programs without threads" };
        let there: Vec<String> = combinations()
            .into_iter()
            .filter(|(_, threads, _)| *threads == self.threads)
            .map(|(kind, ..)| kind.to_string())
            .collect();
        write!(f, "there is no `{}` for {programs}; there is {}", self.kind, there.join(", "))
    }
}

impl std::error::Error for NoSuchKind {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |algorithm: &str, domain, expect| assert_eq!(Kind::named(algorithm, domain), expect);
        check("predicate", None, Some(Kind::PREDICATE));
        check("lazy", Some(DomainKind::Predicate), Some(Kind::PREDICATE));
        check("lazy", None, Some(Kind::PRODUCT));
        check("bam", Some(DomainKind::Value), Some(Kind::bam(DomainKind::Value)));
        check("value", Some(DomainKind::Predicate), None);
        check("nothing", None, None);
    }

    #[test]
    fn what_does_not_exist_is_an_error_that_lists_what_does() {
        let error =
            Kind::BMC.analysis(true, &Options::default()).err().expect("no such analysis").to_string();
        assert!(
            error.starts_with("there is no `--analysis bmc` for programs with threads; there is"),
            "{error}"
        );
        assert!(error.contains("--analysis lazy --domain explicit"), "{error}");
        assert!(
            Kind::named("bmc", Some(DomainKind::Value))
                .unwrap()
                .analysis(false, &Options::default())
                .is_err()
        );
    }
}
