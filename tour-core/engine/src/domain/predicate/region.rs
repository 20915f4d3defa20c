//! Abstract states of the predicate domain: Boolean combinations of predicates as binary decision diagrams.

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet};

index_vec::define_index_type! {
    /// A predicate.
    pub struct PredId = u16;
    DEBUG_FORMAT = "pred{}";
}

/// How many predicates one analysis can hold.
/// What the representation holds: ids, and variables of decision diagrams, have 16 bits.
pub const MAX_PREDICATES: usize = 16_000;

/// A Boolean combination of predicates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Region(Bdd);

/// Makes regions.
#[derive(Clone, Debug)]
pub struct Regions {
    vars: BddVariableSet,
    top: Bdd,
    bottom: Bdd,
}

impl Default for Regions {
    fn default() -> Regions {
        let vars = BddVariableSet::new_anonymous(MAX_PREDICATES as u16);
        Regions { top: vars.mk_true(), bottom: vars.mk_false(), vars }
    }
}

fn var(pred: PredId) -> BddVariable {
    BddVariable::from_index(pred.index())
}

impl Regions {
    /// All states.
    pub fn top(&self) -> Region {
        Region(self.top.clone())
    }

    /// No state.
    pub fn bottom(&self) -> Region {
        Region(self.bottom.clone())
    }

    /// The conjunction of literals.
    pub fn cube(&self, literals: &[(PredId, bool)]) -> Region {
        let mut valuation = BddPartialValuation::empty();
        for &(pred, value) in literals {
            valuation.set_value(var(pred), value);
        }
        Region(self.vars.mk_conjunctive_clause(&valuation))
    }

    /// The disjunction of cubes.
    pub fn dnf(&self, cubes: &[Vec<(PredId, bool)>]) -> Region {
        let cubes: Vec<_> = cubes
            .iter()
            .map(|cube| {
                let mut valuation = BddPartialValuation::empty();
                for &(pred, value) in cube {
                    valuation.set_value(var(pred), value);
                }
                valuation
            })
            .collect();
        Region(self.vars.mk_dnf(&cubes))
    }
}

impl Region {
    /// No state.
    #[cfg(test)]
    fn is_bottom(&self) -> bool {
        self.0.is_false()
    }

    /// All states.
    pub fn is_top(&self) -> bool {
        self.0.is_true()
    }

    /// Every state of this region is in `other`.
    pub fn entails(&self, other: &Region) -> bool {
        self.0.and_not(&other.0).is_false()
    }

    /// States in both.
    pub fn and(&self, other: &Region) -> Region {
        Region(self.0.and(&other.0))
    }

    /// States in either.
    pub fn or(&self, other: &Region) -> Region {
        Region(self.0.or(&other.0))
    }

    /// The predicates that it depends on, ascending.
    pub fn support(&self) -> Vec<PredId> {
        let mut support: Vec<PredId> =
            self.0.support_set().into_iter().map(|v| PredId::new(v.to_index())).collect();
        support.sort_unstable();
        support
    }

    /// The literals whose conjunction the region is, ascending; `None` if it is none.
    pub fn literals(&self) -> Option<Vec<(PredId, bool)>> {
        let mut found = Vec::new();
        let mut at = self.0.root_pointer();
        while !at.is_one() {
            if at.is_zero() {
                return None;
            }
            let (low, high) = (self.0.low_link_of(at), self.0.high_link_of(at));
            let value = low.is_zero();
            if !value && !high.is_zero() {
                return None;
            }
            found.push((PredId::new(self.0.var_of(at).to_index()), value));
            at = if value { high } else { low };
        }
        Some(found)
    }

    /// The region without what it says of some predicates: for each of its states, the states that differ in them.
    #[must_use]
    pub fn without(&self, dropped: impl Fn(PredId) -> bool) -> Region {
        let dropped: Vec<BddVariable> = self.support().into_iter().filter(|p| dropped(*p)).map(var).collect();
        if dropped.is_empty() { self.clone() } else { Region(self.0.exists(&dropped)) }
    }

    /// Number of nodes of the diagram.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Folds the diagram bottom up: `leaf(value)`, then `ite(predicate, high, low)` for each inner node once.
    pub fn fold<T: Copy>(
        &self,
        mut leaf: impl FnMut(bool) -> T,
        mut ite: impl FnMut(PredId, T, T) -> T,
    ) -> T {
        let zero = leaf(false);
        let one = leaf(true);
        // Nodes are stored children first; the first two are the constants.
        let mut values = Vec::with_capacity(self.0.size());
        for pointer in self.0.pointers() {
            let value = if pointer.is_zero() {
                zero
            } else if pointer.is_one() {
                one
            } else {
                let high: T = values[self.0.high_link_of(pointer).to_index()];
                let low: T = values[self.0.low_link_of(pointer).to_index()];
                ite(PredId::new(self.0.var_of(pointer).to_index()), high, low)
            };
            values.push(value);
        }
        values[self.0.root_pointer().to_index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entailment_and_folding() {
        let regions = Regions::default();
        let [p, q] = [PredId::new(0), PredId::new(1)];
        let pq = regions.cube(&[(p, true), (q, true)]);
        let either = regions.dnf(&[vec![(p, true)], vec![(q, true)]]);
        assert!(pq.entails(&either) && !either.entails(&pq));
        assert!(regions.bottom().entails(&pq) && pq.entails(&regions.top()));
        assert!(regions.dnf(&[]).is_bottom());
        let cube = [(p, false), (q, true)];
        assert_eq!(regions.cube(&cube).literals(), Some(cube.to_vec()));
        assert_eq!(regions.top().literals(), Some(Vec::new()));
        assert_eq!((either.literals(), regions.bottom().literals()), (None, None));
        assert_eq!(
            regions.dnf(&[vec![(p, true), (q, true)], vec![(p, true), (q, false)]]),
            regions.cube(&[(p, true)])
        );
        let eval = |region: &Region, p_value: bool, q_value: bool| {
            region.fold(
                |leaf| leaf,
                |pred, high, low| if [p_value, q_value][pred.index()] { high } else { low },
            )
        };
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(eval(&either, a, b), a || b);
            assert_eq!(eval(&pq, a, b), a && b);
        }
        assert!(eval(&regions.top(), false, false) && !eval(&regions.bottom(), true, true));
    }
}
