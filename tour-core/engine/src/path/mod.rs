//! Paths of abstract states, block by block: what refinement is given.

mod scope;

pub use scope::Scope;

use crate::context::{Engine, Site};
use tour_logic::term::{BaseId, TermId};
use tour_model::encode::Ssa;

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
