//! Abstract domains.
//!
//! A domain says what an abstract state is, how it goes through a block, when one state covers another, and how it is
//! refined when a path that it allows turns out to be infeasible. [`crate::analysis`] drives it.

mod precision;
pub mod predicate;
pub mod product;
mod scope;
pub mod value;

pub use precision::{Precision, Sharing};
pub use scope::Scope;

use crate::analysis::Engine;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::LocId;
use tour_ir::program::FnId;
use tour_logic::term::{BaseId, TermId, Terms};
use tour_model::block::{Exit, Known};
use tour_model::encode::Ssa;

/// Where a state lies, as far as precisions are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The location.
    pub loc: LocId,
    /// Its function.
    pub function: FnId,
}

/// A path of the abstract reachability graph that leads to an error, one formula a block.
#[derive(Clone, Debug, Default)]
pub struct AbstractPath {
    /// The block formulas, as one path: instances continue from block to block.
    pub formulas: Vec<TermId>,
    /// Current instances after each block.
    pub ssa: Vec<Ssa>,
    /// Where each block but the last ends.
    pub sites: Vec<Site>,
    /// What can be said there; empty if everything can be said everywhere.
    pub scopes: Vec<Scope>,
}

impl AbstractPath {
    /// A state formula as it can be said at the end of a block.
    pub fn express(&self, engine: &mut Engine, block: usize, formula: TermId) -> Option<TermId> {
        match self.scopes.get(block) {
            Some(scope) => scope.express(engine, formula),
            None => Some(formula),
        }
    }

    /// The name of a variable at the end of a block, if it can be spoken of there.
    pub fn name(&self, engine: &mut Engine, block: usize, base: BaseId) -> Option<BaseId> {
        match self.scopes.get(block) {
            Some(scope) => scope.relevant(engine, base),
            None => Some(base),
        }
    }
}

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

    /// Every concrete state of `state` is one of `by`.
    fn covers(&mut self, by: &Self::State, state: &Self::State) -> bool;

    /// The state as a state formula.
    fn formula(&mut self, terms: &mut Terms, state: &Self::State) -> TermId;

    /// Adds precision that excludes an infeasible path. Returns the first block after which the precision changed;
    /// `None` if nothing could be added.
    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason>;
}
