//! Which states may cover another one: those at the same tuple that know nothing else. States that know the values of
//! the same variables are found by these values, without looking at all of them.

use crate::cegar::ArgId;
use rustc_hash::FxHashMap;
use tour_logic::term::BaseId;
use tour_model::block::Known;
use tour_model::threads::TupleId;

/// States by what they know.
type ByValues = FxHashMap<Known, Vec<ArgId>>;

/// States that know the values of these variables.
type Group = (Box<[BaseId]>, ByValues);

/// The states of a graph.
#[derive(Default)]
pub(super) struct Reached(FxHashMap<TupleId, Vec<Group>>);

impl Reached {
    /// A state was reached in which these values are known.
    pub fn add(&mut self, tuple: TupleId, known: &Known, node: ArgId) {
        let groups = self.0.entry(tuple).or_default();
        let position =
            groups.iter().position(|(bases, _)| known.iter().map(|(b, _)| b).eq(bases.iter().copied()));
        let position = position.unwrap_or_else(|| {
            groups.push((known.iter().map(|(base, _)| base).collect(), ByValues::default()));
            groups.len() - 1
        });
        groups[position].1.entry(known.clone()).or_default().push(node);
    }

    /// A state is not part of the graph any more.
    pub fn remove(&mut self, tuple: TupleId, known: &Known, node: ArgId) {
        for (bases, states) in self.0.get_mut(&tuple).into_iter().flatten() {
            if known.iter().map(|(b, _)| b).eq(bases.iter().copied())
                && let Some(same) = states.get_mut(known)
            {
                same.retain(|other| *other != node);
            }
        }
    }

    /// The states that know some of these values and no others.
    pub fn candidates(&self, tuple: TupleId, known: &Known) -> Vec<ArgId> {
        let mut found = Vec::new();
        for (bases, states) in self.0.get(&tuple).into_iter().flatten() {
            let some = bases.iter().map(|base| Some((*base, known.get(*base)?))).collect::<Option<Vec<_>>>();
            let same = some.and_then(|values| states.get(&Known::new(values)));
            found.extend(same.into_iter().flatten().copied());
        }
        found
    }

    /// Nothing was reached.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
