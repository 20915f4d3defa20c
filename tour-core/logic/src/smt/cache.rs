//! Answers to queries that were asked before.

use crate::term::TermId;
use rustc_hash::FxHashMap;

/// A query: the set of formulas whose conjunction is asked for.
pub type Query = Box<[TermId]>;

/// Makes a query of formulas, in canonical form.
pub fn query(formulas: impl Iterator<Item = TermId>) -> Query {
    let mut all: Vec<TermId> = formulas.collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Answers by query. Only certain answers are kept: a query that failed may be asked again.
#[derive(Default)]
pub struct QueryCache {
    answers: FxHashMap<Query, bool>,
}

impl QueryCache {
    /// Is the conjunction satisfiable, if that is known?
    pub fn get(&self, query: &[TermId]) -> Option<bool> {
        self.answers.get(query).copied()
    }

    /// Keeps an answer.
    pub fn insert(&mut self, query: Query, satisfiable: bool) {
        self.answers.insert(query, satisfiable);
    }
}
