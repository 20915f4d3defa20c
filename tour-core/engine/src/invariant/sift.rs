//! Which candidates are worth a question: those that no state contradicts, and of these the strongest.
//!
//! A table tells in which samples each guard and each claim holds; that a candidate holds in all of them is then a
//! matter of a few words of bits. Samples are states that were reached, each with a value of the ghost. That one candidate
//! implies another is told by samples too, of *noise*: states that are drawn at random and need not be reachable.

use super::objects::Words;
use crate::context::Engine;
use crate::heuristics::ListLimits;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tour_interp::interp::Random;
use tour_logic::term::{ArrayValue, Assignment, BaseId, Elem, Sort, Symbol, TermId, Terms, Value};
use tour_model::regions::OBJECT_BITS;

/// The states, each with every object in the ghost's place.
pub fn samples(engine: &Engine, ghost: BaseId, ends: &[TermId], states: &[Assignment]) -> Vec<Assignment> {
    let max_objects = u128::from(engine.heuristics.invariants.samples.max_sampled_objects);
    let mut samples = Vec::new();
    for state in states {
        let ends = engine.terms.eval_all(ends, state);
        let end = ends.iter().flatten().filter_map(Value::as_bv).map(|end| end.value).max().unwrap_or(0);
        for object in 2..end.min(max_objects) {
            let mut sample = state.clone();
            sample.set(Symbol { base: ghost, index: 0 }, Value::bv(OBJECT_BITS, object));
            samples.push(sample);
        }
        if end <= 2 {
            samples.push(state.clone());
        }
    }
    samples
}

/// States that are drawn at random.
pub fn noise(
    engine: &Engine,
    formulas: &[TermId],
    stored: &BTreeMap<BaseId, BTreeSet<TermId>>,
) -> Vec<Assignment> {
    let terms = &engine.terms;
    let symbols: BTreeSet<Symbol> = formulas.iter().flat_map(|f| terms.free_symbols(*f)).collect();
    let mut random = Random::new(0);
    let limits = engine.heuristics.invariants.samples;
    let mut all = Vec::with_capacity(limits.random_states);
    for _ in 0..limits.random_states {
        let mut state = Assignment::default();
        for &symbol in &symbols {
            let constants: Vec<Value> = (stored.get(&symbol.base).into_iter().flatten())
                .filter_map(|constant| terms.value(*constant).cloned())
                .collect();
            state.set(
                symbol,
                any(terms.base(symbol.base).sort, limits.random_objects, &constants, &mut random),
            );
        }
        all.push(state);
    }
    all
}

/// A value of a sort, in a state with a number of objects.
fn any(sort: Sort, objects: u64, constants: &[Value], random: &mut Random) -> Value {
    let mut scalar = |sort: Sort| match sort {
        Sort::BitVec(OBJECT_BITS) => Value::bv(OBJECT_BITS, u128::from(random.word() % objects)),
        Sort::BitVec(bits) => match constants.get(random.word() as usize % (constants.len() + 1)) {
            Some(constant) => constant.clone(),
            None => Value::bv(bits, u128::from(random.word() % 3)),
        },
        other => Value::zero(other),
    };
    match sort {
        Sort::Array { index, elem: elem @ Elem::BitVec(_) } => {
            let shift = index.saturating_sub(OBJECT_BITS);
            let offsets = if shift == 0 { 1 } else { 16 };
            let mut entries = imbl::OrdMap::new();
            for object in 0..u128::from(objects) {
                for offset in 0..offsets {
                    entries.insert((object << shift) | (offset * 4), scalar(elem.sort()));
                }
            }
            Value::Array(Arc::new(ArrayValue { default: scalar(elem.sort()), entries }))
        }
        sort => scalar(sort),
    }
}

/// In which samples formulas hold.
fn table(terms: &Terms, formulas: &[TermId], samples: &[Assignment]) -> Vec<Bits> {
    let mut holds = vec![Bits::default(); formulas.len()];
    for (at, sample) in samples.iter().enumerate() {
        for (bits, value) in holds.iter_mut().zip(terms.eval_all(formulas, sample)) {
            bits.push(at, value.and_then(|value| value.as_bool()).unwrap_or(false));
        }
    }
    holds
}

/// The candidates of a node that are left.
pub struct Sieve {
    /// Simple guards first; of guards alike, strong candidates first.
    left: Vec<Left>,
    /// What was asked for last, by its place among those that are left.
    asked: Vec<(usize, TermId)>,
    limits: ListLimits,
}

struct Left {
    guard: usize,
    claim: usize,
    /// The places of those with the same claim and a guard that holds in more samples, or is simpler: they come first.
    before: Vec<usize>,
    /// In which samples of noise it holds.
    holds: Bits,
    failures: u8,
}

impl Sieve {
    /// The candidates that hold in all samples.
    pub fn new(
        terms: &Terms,
        limits: ListLimits,
        words: &Words,
        samples: &[Assignment],
        noise: &[Assignment],
    ) -> Sieve {
        let formulas = words.formulas();
        let (seen, noisy) = (table(terms, &formulas, samples), table(terms, &formulas, noise));
        let guards = words.guards.len();
        let mut left = Vec::new();
        for (c, claim) in words.claims.iter().enumerate() {
            // Of guards of the same level that no sample tells apart, a few.
            let mut alike: FxHashMap<(&Bits, u8), Vec<usize>> = FxHashMap::default();
            for (g, guard) in words.guards.iter().enumerate() {
                if guard.of != claim.of
                    || seen[g].is_empty()
                    || !seen[g].is_subset(&seen[guards + c])
                    || noisy[g].is_subset(&noisy[guards + c])
                {
                    continue;
                }
                let others = alike.entry((&seen[g], guard.level)).or_default();
                if others.len() < limits.max_alike_guards {
                    others.push(g);
                }
            }
            for g in alike.into_values().flatten() {
                let holds = noisy[g].implies(&noisy[guards + c]);
                left.push(Left { guard: g, claim: c, before: Vec::new(), holds, failures: 0 });
            }
        }
        left.sort_by_key(|left| (words.guards[left.guard].level, left.holds.count(), left.claim, left.guard));
        let mut by_claim: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, left) in left.iter().enumerate() {
            by_claim.entry(left.claim).or_default().push(place);
        }
        for places in by_claim.values() {
            for &place in places {
                let (own, level) = (&seen[left[place].guard], words.guards[left[place].guard].level);
                let weaker = |other: &&usize| {
                    let guard = left[**other].guard;
                    own.is_subset(&seen[guard]) && (*own != seen[guard] || words.guards[guard].level < level)
                };
                left[place].before = places.iter().filter(weaker).copied().collect();
            }
        }
        Sieve { left, asked: Vec::new(), limits }
    }

    /// The next candidates, given what is known by now. With `retry`, also those that have failed.
    pub fn next(
        &mut self,
        terms: &mut Terms,
        words: &Words,
        noise: &[Assignment],
        known: &[TermId],
        retry: bool,
    ) -> Vec<TermId> {
        let proved: BTreeSet<TermId> = known.iter().copied().collect();
        for (place, formula) in std::mem::take(&mut self.asked) {
            if !terms.conjuncts(formula).iter().all(|part| proved.contains(part)) {
                self.left[place].failures += 1;
            }
        }
        // What speaks of other variables, or holds nowhere in the noise, implies nothing.
        let drawn = |symbol: &Symbol| noise.first().is_some_and(|state| state.get(*symbol).is_some());
        let known: Vec<TermId> =
            known.iter().copied().filter(|fact| terms.free_symbols(*fact).iter().all(drawn)).collect();
        let mut strong = table(terms, &known, noise);
        strong.retain(|holds| !holds.is_empty());
        let mut found = Vec::new();
        for (place, left) in self.left.iter().enumerate() {
            let failed = left.failures >= if retry { self.limits.max_failures } else { 1 };
            if failed
                || left.before.iter().any(|other| self.left[*other].failures == 0)
                || strong.iter().any(|known| known.is_subset(&left.holds))
            {
                continue;
            }
            strong.push(left.holds.clone());
            let formula = terms.implies(words.guards[left.guard].formula, words.claims[left.claim].formula);
            if terms.conjuncts(formula).iter().all(|part| proved.contains(part)) {
                continue;
            }
            self.asked.push((place, formula));
            found.push(formula);
            if found.len() >= self.limits.max_candidates {
                break;
            }
        }
        found
    }
}

/// A set of samples.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Bits(Vec<u64>);

impl Bits {
    fn push(&mut self, at: usize, bit: bool) {
        if at.is_multiple_of(64) {
            self.0.push(0);
        }
        self.0[at / 64] |= u64::from(bit) << (at % 64);
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn is_subset(&self, of: &Bits) -> bool {
        self.0.iter().zip(&of.0).all(|(a, b)| a & !b == 0)
    }

    fn implies(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| !a | b).collect())
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariant::objects::{Claim, Guard};

    #[test]
    fn the_strongest_come_first_and_weaker_ones_follow() {
        let t = &mut Terms::new();
        let x = t.declare("x", Sort::BitVec(8), false);
        let symbol = Symbol { base: x, index: 0 };
        let (v, yes) = (t.var(x, 0), t.yes());
        let mut below = |bound: u128| {
            let bound = t.bv(8, bound);
            t.bv_ult(v, bound)
        };
        let claims = [below(2), below(5), below(9)].map(|formula| Claim { formula, of: None });
        let words = Words { guards: vec![Guard { formula: yes, of: None, level: 0 }], claims: claims.into() };
        let states = |values: std::ops::Range<u128>| -> Vec<Assignment> {
            let state = |value: u128| {
                let mut state = Assignment::default();
                state.set(symbol, Value::bv(8, value));
                state
            };
            values.map(state).collect()
        };
        let noise = states(0..64);
        let mut sieve = Sieve::new(t, ListLimits::default(), &words, &states(0..4), &noise);
        // `x < 2` is false in a sample, and `x < 9` follows from `x < 5`.
        let first = sieve.next(t, &words, &noise, &[], false);
        assert_eq!(first, [words.claims[1].formula]);
        // The solver did not agree.
        let second = sieve.next(t, &words, &noise, &[], false);
        assert_eq!(second, [words.claims[2].formula]);
        // It did: nothing else is left, but what failed before.
        assert!(sieve.next(t, &words, &noise, &second, false).is_empty());
        assert_eq!(sieve.next(t, &words, &noise, &second, true), first);
    }
}
