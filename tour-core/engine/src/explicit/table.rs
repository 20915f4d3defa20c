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
    by_node: FxHashMap<NodeId, Vec<Group>>,
}

/// States that know the same variables.
struct Group {
    variables: Box<[BaseId]>,
    states: FxHashMap<Box<[TermId]>, ArgId>,
}

impl Table {
    /// Adds a state, in place of an equal one.
    pub fn add(&mut self, node: NodeId, state: &Known, id: ArgId) {
        let (variables, values): (Vec<BaseId>, Vec<TermId>) = state.iter().unzip();
        let groups = self.by_node.entry(node).or_default();
        let group = match groups.iter_mut().position(|group| *group.variables == *variables) {
            Some(i) => &mut groups[i],
            None => {
                groups.push(Group { variables: variables.into(), states: FxHashMap::default() });
                let last = groups.len() - 1;
                &mut groups[last]
            }
        };
        group.states.insert(values.into(), id);
    }

    /// A state that covers this one, of those that `is_there` (others were removed meanwhile).
    pub fn covering(
        &self,
        node: NodeId,
        state: &Known,
        mut is_there: impl FnMut(ArgId) -> bool,
    ) -> Option<ArgId> {
        let mut values = Vec::with_capacity(state.len());
        for group in self.by_node.get(&node)? {
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
