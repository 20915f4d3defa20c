//! What is read from a table at some index: a tree of choices by the bits of the index.
//!
//! Formulas say it as a chain, `index == 0 ? a : index == 1 ? b : …`. As a tree it is shallow, and where the elements are
//! constants, most of it folds away: a table for a checksum becomes the exclusive ors that it was computed by.

use super::gates::{Gates, Lit};
use super::words::Word;
use crate::term::{Op, TermId, Terms};
use std::collections::BTreeMap;

/// Shorter chains are left as they are.
/// The form of a circuit, which questions about evidence have too.
const SHORT: usize = 3;

/// A chain of comparisons of one index with constants.
pub struct Table {
    pub index: TermId,
    /// By the value of the index.
    pub elements: BTreeMap<u128, TermId>,
    /// Everywhere else.
    pub rest: TermId,
}

impl Table {
    /// The chain that a term is, if it is long enough.
    pub fn of(terms: &Terms, term: TermId) -> Option<Table> {
        let (index, ..) = link(terms, term)?;
        let (mut elements, mut rest) = (BTreeMap::new(), term);
        while let Some((_, at, element, other)) = link(terms, rest).filter(|(same, ..)| *same == index) {
            // The first one counts.
            elements.entry(at).or_insert(element);
            rest = other;
        }
        (elements.len() >= SHORT).then_some(Table { index, elements, rest })
    }
}

/// The parts of `index == at ? element : other`.
fn link(terms: &Terms, term: TermId) -> Option<(TermId, u128, TermId, TermId)> {
    let (Op::Ite, &[cond, element, other]) = (terms.op(term), terms.args(term)) else { return None };
    let (Op::Eq, &[index, at]) = (terms.op(cond), terms.args(cond)) else { return None };
    Some((index, terms.as_bv(at)?.value, element, other))
}

impl Gates {
    /// The element at an index. `elements` ascend by the value of the index.
    pub fn element(&mut self, index: &[Lit], elements: &[(u128, Word)], rest: &[Lit]) -> Word {
        let (Some((first, word)), Some((last, _))) = (elements.first(), elements.last()) else {
            return Word::from_slice(rest);
        };
        // Bits in which they do not differ are looked at once.
        let below = (u128::BITS - (first ^ last).leading_zeros()) as usize;
        let above = index.iter().enumerate().skip(below);
        let is_there =
            self.and_all(above.map(|(i, bit)| bit.negate_if(first >> i & 1 == 0)).collect::<Word>());
        let there = match below.checked_sub(1) {
            None => word.clone(),
            Some(next) => {
                let split = elements.partition_point(|(at, _)| at >> next & 1 == 0);
                let no = self.element(&index[..next], &masked(&elements[..split], next), rest);
                let yes = self.element(&index[..next], &masked(&elements[split..], next), rest);
                self.choose(index[next], &yes, &no)
            }
        };
        self.choose(is_there, &there, rest)
    }
}

/// Elements by the low bits of the index.
fn masked(elements: &[(u128, Word)], bits: usize) -> Vec<(u128, Word)> {
    elements.iter().map(|(at, word)| (at & ((1 << bits) - 1), word.clone())).collect()
}
