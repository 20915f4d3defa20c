//! What is read from arrays: the same where the indices are the same, and what was stored last.
//!
//! An array is no integer. But what two reads of it have to do with each other is said by a formula for each pair
//! (Ackermann's reduction), and what a store does by two for each read behind it.

use super::linear::Linear;
use super::translate::Translation;
use crate::term::{Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

/// An element of an array.
struct Read {
    array: TermId,
    index: TermId,
    value: Linear,
}

/// What holds for the reads in formulas.
pub fn facts(integers: &mut Translation, terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut known = FxHashMap::default();
    let mut waiting = Vec::new();
    for term in terms.postorder(formulas) {
        if let (Op::Select, &[array, index]) = (terms.op(term), terms.args(term))
            && let Some(value) = integers.linear(term)
        {
            known.insert((array, index), value.clone());
            waiting.push(Read { array, index, value });
        }
    }
    let mut facts = Vec::new();
    let mut variables: FxHashMap<TermId, Vec<Read>> = FxHashMap::default();
    let mut order = Vec::new();
    while let Some(read) = waiting.pop() {
        let Sort::Array { elem, .. } = terms.sort(read.array) else { continue };
        let Sort::BitVec(bits) = elem.sort() else { continue };
        let mut element = |integers: &mut Translation, array: TermId| {
            let key = (array, read.index);
            known
                .entry(key)
                .or_insert_with(|| {
                    let value = integers.any_word(bits);
                    waiting.push(Read { array, index: read.index, value: value.clone() });
                    value
                })
                .clone()
        };
        let (condition, yes, no) = match (terms.op(read.array), terms.args(read.array)) {
            (Op::Store, &[before, index, stored]) => {
                let (Some(same), Some(stored)) =
                    (same(integers, terms, index, read.index), integers.linear(stored))
                else {
                    continue;
                };
                (same, stored, element(integers, before))
            }
            (Op::Ite, &[condition, yes, no]) => {
                let Some(condition) = integers.bool(condition) else { continue };
                (condition, element(integers, yes), element(integers, no))
            }
            _ => {
                let reads = variables.entry(read.array).or_default();
                if reads.is_empty() {
                    order.push(read.array);
                }
                if reads.len() < integers.max_reads {
                    reads.push(read);
                }
                continue;
            }
        };
        let otherwise = integers.ints.not(condition);
        for (case, value) in [(condition, yes), (otherwise, no)] {
            if let Some(equal) = integers.equal_words(&read.value, &value, bits) {
                facts.push(integers.ints.implies(case, equal));
            }
        }
    }
    for array in order {
        let reads = &variables[&array];
        let Sort::Array { elem, .. } = terms.sort(array) else { continue };
        let Sort::BitVec(bits) = elem.sort() else { continue };
        for (i, a) in reads.iter().enumerate() {
            for b in &reads[..i] {
                if let (Some(same), Some(equal)) =
                    (same(integers, terms, a.index, b.index), integers.equal_words(&a.value, &b.value, bits))
                {
                    facts.push(integers.ints.implies(same, equal));
                }
            }
        }
    }
    facts
}

/// Two indices are equal. An index that is too wide is an object above an offset.
fn same(integers: &mut Translation, terms: &Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(integers.ints.yes());
    }
    if let Some(equal) = integers.equal(terms, a, b) {
        return Some(equal);
    }
    let ((Op::Concat, &[a_high, a_low]), (Op::Concat, &[b_high, b_low])) =
        ((terms.op(a), terms.args(a)), (terms.op(b), terms.args(b)))
    else {
        return None;
    };
    if terms.width(a_low) != terms.width(b_low) {
        return None;
    }
    let (high, low) = (same(integers, terms, a_high, b_high)?, same(integers, terms, a_low, b_low)?);
    Some(integers.ints.and2(high, low))
}
