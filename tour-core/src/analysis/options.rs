//! What a user can choose about an analysis.

use super::engine::BlockEncoding;
use super::waitlist::Order;
use crate::domain::Sharing;
use crate::domain::predicate::Abstraction;
use crate::refine::Strategy;
use crate::threads::{Coi, Por};

/// Which analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Kind {
    /// All of them, one after the other and side by side.
    #[default]
    Auto,
    /// Lazy predicate abstraction.
    Predicate,
    /// Explicit values.
    Value,
    /// Explicit values and predicates.
    Product,
    /// Bounded model checking.
    Bmc,
    /// k-induction.
    KInduction,
}

/// The choices. The default is the best that is known.
#[derive(Clone, Debug)]
pub struct Options {
    /// The analysis.
    pub analysis: Kind,
    /// Blocks.
    pub block: BlockEncoding,
    /// The kind of predicate abstraction.
    pub abstraction: Abstraction,
    /// Who shares predicates.
    pub sharing: Sharing,
    /// Which state is looked at next.
    pub search: Order,
    /// Refinement strategies for predicates, in the order in which they are tried.
    pub refinement: Vec<Strategy>,
    /// Look for invariants by templates before lazy abstraction begins.
    pub invariants: bool,
    /// How many blocks deep bounded model checking and k-induction go.
    pub max_depth: usize,
    /// Check the certificates of proofs.
    pub certify: bool,
    /// Which interleavings of threads are left out.
    pub por: Por,
    /// Which statements of threads are simplified.
    pub coi: Coi,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            analysis: Kind::default(),
            block: BlockEncoding::default(),
            abstraction: Abstraction::default(),
            sharing: Sharing::default(),
            search: Order::ReversePostOrder,
            refinement: Strategy::PORTFOLIO.to_vec(),
            invariants: false,
            max_depth: usize::MAX,
            certify: true,
            por: Por::default(),
            coi: Coi::default(),
        }
    }
}
