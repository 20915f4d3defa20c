//! States by location, for coverage: a state is covered by an equal one, and by one that knows less and contradicts nothing.
//!
//! The states of a node that know the same variables are in one hash table. A state is looked up in the tables of all
//! subsets of its variables that there are, with the values that it has for them.

use crate::cegar::ArgId;
use rustc_hash::FxHashMap;
use tour_logic::term::{BaseId, TermId};
use tour_model::block::{Known, NodeId};

/// The states that may cover others.
#[derive(Default)]
pub struct Table {
    by_node: FxHashMap<NodeId, AtNode>,
}

/// The states of a node.
#[derive(Default)]
struct AtNode {
    /// Variables by number, in the order in which they were met.
    numbers: FxHashMap<BaseId, usize>,
    groups: Vec<Group>,
}

impl AtNode {
    /// The first variables that a state knows, as bits: what is no subset of these can be told apart at once.
    fn mask(&self, state: &Known) -> u128 {
        let numbers = state.iter().filter_map(|(base, _)| self.numbers.get(&base));
        numbers.filter(|number| **number < 128).fold(0, |mask: u128, number| mask | 1u128 << *number)
    }
}

/// States that know the same variables.
struct Group {
    mask: u128,
    variables: Box<[BaseId]>,
    states: FxHashMap<Box<[TermId]>, ArgId>,
}

impl Table {
    /// Adds a state, in place of an equal one.
    pub fn add(&mut self, node: NodeId, state: &Known, id: ArgId) {
        let (variables, values): (Vec<BaseId>, Vec<TermId>) = state.iter().unzip();
        let at = self.by_node.entry(node).or_default();
        for &base in &variables {
            let next = at.numbers.len();
            at.numbers.entry(base).or_insert(next);
        }
        let mask = at.mask(state);
        let found = at.groups.iter().position(|group| group.mask == mask && *group.variables == *variables);
        let group = found.unwrap_or_else(|| {
            at.groups.push(Group { mask, variables: variables.into(), states: FxHashMap::default() });
            at.groups.len() - 1
        });
        at.groups[group].states.insert(values.into(), id);
    }

    /// A state that covers this one, of those that `is_there` (others were removed meanwhile).
    pub fn covering(
        &self,
        node: NodeId,
        state: &Known,
        mut is_there: impl FnMut(ArgId) -> bool,
    ) -> Option<ArgId> {
        let mut values = Vec::with_capacity(state.len());
        let at = self.by_node.get(&node)?;
        let mask = at.mask(state);
        for group in at.groups.iter().filter(|group| group.mask & !mask == 0) {
            values.clear();
            values.extend(group.variables.iter().map_while(|base| state.get(*base)));
            if values.len() == group.variables.len()
                && let Some(&id) = group.states.get(&values[..])
                && is_there(id)
            {
                return Some(id);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_logic::term::{Sort, Terms};

    #[test]
    fn equal_states_and_those_that_know_less_cover() {
        let mut t = Terms::new();
        let [x, y] = ["x", "y"].map(|name| t.declare(name, Sort::BitVec(8), false));
        let (one, two) = (t.bv(8, 1), t.bv(8, 2));
        let (here, there) = (NodeId::new(0), NodeId::new(1));
        let mut table = Table::default();
        let (both, only_x) = (Known::new(vec![(x, one), (y, two)]), Known::new(vec![(x, one)]));
        table.add(here, &both, ArgId::new(1));
        let find = |table: &Table, node, state: &Known| table.covering(node, state, |_| true);
        assert_eq!(find(&table, here, &both), Some(ArgId::new(1)));
        assert_eq!(find(&table, there, &both), None);
        assert_eq!(find(&table, here, &only_x), None);
        table.add(here, &only_x, ArgId::new(2));
        let other_y = Known::new(vec![(x, one), (y, one)]);
        assert_eq!(find(&table, here, &other_y), Some(ArgId::new(2)));
        assert_eq!(table.covering(here, &both, |id| id != ArgId::new(1)), Some(ArgId::new(2)));
        assert_eq!(find(&table, here, &Known::new(vec![(x, two), (y, two)])), None);
    }
}
