//! What a user can choose about an analysis.

use super::engine::BlockEncoding;
use super::waitlist::Order;
use crate::bam::DomainKind;
use crate::domain::Sharing;
use crate::domain::predicate::Abstraction;
use crate::refine::Strategy;

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
    /// Block-abstraction memoization.
    Bam,
}

/// The choices. The default is the best that is known.
#[derive(Clone, Debug)]
pub struct Options {
    /// The analysis.
    pub analysis: Kind,
    /// The abstract domain of block-abstraction memoization.
    pub domain: DomainKind,
    /// Use results of blocks again (block-abstraction memoization).
    pub cache: bool,
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
}

impl Default for Options {
    fn default() -> Options {
        Options {
            analysis: Kind::default(),
            domain: DomainKind::default(),
            cache: true,
            block: BlockEncoding::default(),
            abstraction: Abstraction::default(),
            sharing: Sharing::default(),
            search: Order::ReversePostOrder,
            refinement: Strategy::PORTFOLIO.to_vec(),
            invariants: false,
            max_depth: usize::MAX,
            certify: true,
        }
    }
}
