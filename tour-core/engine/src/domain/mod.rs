//! Abstract domains.
//!
//! A domain says what an abstract state is, how it goes through a block, when one state covers another, and how it is
//! refined when a path that it allows turns out to be infeasible. [`crate::cegar`] drives it.

mod precision;
pub mod predicate;
pub mod product;
pub mod value;

pub use precision::{Precision, Sharing};

use crate::context::{Engine, Site};
use crate::path::AbstractPath;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_ir::stats::Statistics;
use tour_logic::term::{BaseId, TermId, Terms};
use tour_model::block::{Exit, Known};

/// An abstract domain.
pub trait Domain {
    /// An abstract state.
    type State: Clone;

    /// The state before the first block.
    fn initial(&mut self) -> Self::State;

    /// The values that all concrete states of a state agree on: blocks are specialised for them.
    fn known(&self, _state: &Self::State) -> Known {
        Known::default()
    }

    /// The strongest states that the precision can express after a block, which together contain all concrete
    /// successors; none if there is no successor. At an error (`site` is `None`) only that matters.
    fn post(
        &mut self,
        engine: &mut Engine,
        state: &Self::State,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<Self::State>, UnknownReason>;

    /// States after the next blocks need to speak of these variables alone, and of what decides about them.
    fn focus(&mut self, _wanted: &dyn Fn(BaseId) -> bool) {}

    /// The known values say all of a state: its successors depend on nothing else.
    fn is_known(&self, _state: &Self::State) -> bool {
        false
    }

    /// A state after a block that did not touch these values, which were known before it.
    fn keep(&self, state: Self::State, _known: &Known) -> Self::State {
        state
    }

    /// The state without the values of other variables than these, which nothing will look at.
    fn only(&self, state: Self::State, _wanted: &dyn Fn(BaseId) -> bool) -> Self::State {
        state
    }

    /// The variables that states speak of, in this precision: vars(Π).
    fn tracked(&self, terms: &Terms) -> BTreeSet<BaseId>;

    /// States speak of all variables, whatever [`Domain::tracked`] says.
    fn tracks_everything(&self) -> bool {
        false
    }

    /// How much precision there is at a site: it only grows.
    fn stamp(&self, site: Site) -> u64;

    /// Every concrete state of `state` is one of `by`.
    fn covers(&mut self, by: &Self::State, state: &Self::State) -> bool;

    /// The state as a state formula.
    fn formula(&mut self, terms: &mut Terms, state: &Self::State) -> TermId;

    /// Adds precision that excludes an infeasible path. Returns the first block after which the precision changed;
    /// `None` if nothing could be added.
    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason>;

    /// Puts what there is to say of the precision into the statistics.
    fn publish(&self, _stats: &Statistics) {}
}
