//! From terms to circuits: each term is a word (floats are their bit patterns), each formula a literal.

use super::gates::{Gates, Lit};
use super::tables::Table;
use super::words::{Word, constant, extended, negated};
use crate::term::{FloatSort, Op, Sort, Symbol, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// A circuit for terms of one arena.
#[derive(Default)]
pub struct Blaster {
    pub gates: Gates,
    /// The bits of all terms, one after the other.
    bits: Vec<Lit>,
    words: FxHashMap<TermId, Range<u32>>,
    /// What is more than bits.
    foreign: FxHashSet<TermId>,
    /// Variables and their bits, in the order in which they were met.
    variables: Vec<(Symbol, Word)>,
}

impl Blaster {
    /// The literal of a formula; `None` if there is something in it that is not bits.
    pub fn formula(&mut self, terms: &Terms, formula: TermId) -> Option<Lit> {
        if self.foreign.contains(&formula) || !self.build(terms, formula) {
            self.foreign.insert(formula);
            return None;
        }
        Some(self.word(formula)[0])
    }

    /// The variables that there are words for, and the bits of these: inputs of the circuit.
    pub fn variables(&self) -> impl Iterator<Item = (Symbol, &[Lit])> {
        self.variables.iter().map(|(symbol, bits)| (*symbol, &bits[..]))
    }

    pub fn word(&self, term: TermId) -> &[Lit] {
        let range = &self.words[&term];
        &self.bits[range.start as usize..range.end as usize]
    }

    fn keep(&mut self, term: TermId, word: &[Lit]) {
        let start = self.bits.len() as u32;
        self.bits.extend_from_slice(word);
        self.words.insert(term, start..self.bits.len() as u32);
    }

    /// Makes the words of a term and of all that it is made of. False if that can't be.
    pub fn build(&mut self, terms: &Terms, term: TermId) -> bool {
        // The flag says that the arguments are there.
        let mut stack = vec![(term, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.words.contains_key(&term) {
                continue;
            }
            if !ready && !terms.args(term).is_empty() {
                if self.foreign.contains(&term) {
                    return false;
                }
                stack.push((term, true));
                match Table::of(terms, term) {
                    Some(table) => {
                        let elements = table.elements.into_values();
                        stack.extend(elements.chain([table.index, table.rest]).map(|part| (part, false)));
                    }
                    None => stack.extend(terms.args(term).iter().map(|arg| (*arg, false))),
                }
                continue;
            }
            let word = match Table::of(terms, term) {
                Some(table) => Some(self.look_up(&table)),
                None => self.apply(terms, term),
            };
            let Some(word) = word else {
                self.foreign.insert(term);
                return false;
            };
            self.keep(term, &word);
        }
        true
    }

    /// The word of what is read from a table, whose parts have theirs.
    fn look_up(&mut self, table: &Table) -> Word {
        let of = |term: &TermId| Word::from_slice(self.word(*term));
        let elements: Vec<(u128, Word)> = table.elements.iter().map(|(at, term)| (*at, of(term))).collect();
        let (index, rest) = (of(&table.index), of(&table.rest));
        self.gates.element(&index, &elements, &rest)
    }

    /// The word of a term whose arguments have theirs.
    fn apply(&mut self, terms: &Terms, term: TermId) -> Option<Word> {
        let width = match terms.sort(term) {
            Sort::Bool => 1,
            Sort::BitVec(bits) => bits,
            Sort::Float(sort) => sort.bits(),
            Sort::Int | Sort::Array { .. } => return None,
        };
        // Of operators on floats, the format of their arguments.
        let format = match terms.args(term).first().map(|arg| terms.sort(*arg)) {
            Some(Sort::Float(format)) => format,
            _ => FloatSort::F64,
        };
        let args: SmallVec<[Word; 3]> =
            terms.args(term).iter().map(|arg| Word::from_slice(self.word(*arg))).collect();
        let gates = &mut self.gates;
        Some(match (terms.op(term), &args[..]) {
            (Op::Var(symbol), _) => {
                let bits: Word = (0..width).map(|_| gates.input()).collect();
                self.variables.push((symbol, bits.clone()));
                match terms.sort(term) {
                    Sort::Float(sort) => gates.float(sort, &bits),
                    _ => bits,
                }
            }
            (Op::Const(_), _) => match terms.value(term)? {
                Value::Bool(value) => Word::from_slice(&[Lit::constant(*value)]),
                Value::Bv(value) => constant(value.bits, value.value),
                Value::Float(value) => constant(value.sort.bits(), value.bits().into()),
                Value::Int(_) | Value::Array(_) => return None,
            },
            (Op::Not | Op::BvNot, [a]) => negated(a),
            (Op::And, all) => one(gates.and_all(all.iter().map(|word| word[0]))),
            (Op::Or, all) => one(gates.or_all(all.iter().map(|word| word[0]))),
            (Op::Eq, [a, b]) => one(gates.equal(a, b)),
            (Op::Ite, [cond, yes, no]) => gates.choose(cond[0], yes, no),
            (Op::BvNeg, [a]) => gates.neg(a),
            (Op::BvAdd, [a, b]) => match [0, 1].map(|i| subtracted(terms, terms.args(term)[i])) {
                [_, Some(b)] => gates.sub(a, &Word::from_slice(words(&self.bits, &self.words, b))),
                [Some(a), None] => gates.sub(b, &Word::from_slice(words(&self.bits, &self.words, a))),
                [None, None] => gates.add(a, b),
            },
            (Op::BvMul, [a, b]) => gates.mul(a, b),
            (Op::BvUdiv, [a, b]) => gates.divide(a, b).0,
            (Op::BvUrem, [a, b]) => gates.divide(a, b).1,
            (Op::BvSdiv, [a, b]) => gates.divide_signed(a, b).0,
            (Op::BvSrem, [a, b]) => gates.divide_signed(a, b).1,
            (Op::BvAnd, [a, b]) => gates.each(a, b, Gates::and),
            (Op::BvOr, [a, b]) => gates.each(a, b, Gates::or),
            (Op::BvXor, [a, b]) => gates.each(a, b, Gates::xor),
            (Op::BvShl, [a, by]) => gates.shift_left(a, by),
            (Op::BvLshr, [a, by]) => gates.shift_right(a, by, Lit::NO),
            (Op::BvAshr, [a, by]) => gates.shift_right(a, by, *a.last()?),
            (Op::BvUle, [a, b]) => one(gates.at_most(a, b)),
            (Op::BvSle, [a, b]) => one(gates.at_most_signed(a, b)),
            (Op::Concat, [above, below]) => below.iter().chain(above).copied().collect(),
            (Op::Extract { hi, lo }, [a]) => Word::from_slice(&a[lo as usize..=hi as usize]),
            (Op::ZeroExt(_), [a]) => extended(a, width as usize, Lit::NO),
            (Op::SignExt(_), [a]) => extended(a, width as usize, *a.last()?),
            (
                Op::Not
                | Op::BvNot
                | Op::Eq
                | Op::Ite
                | Op::BvNeg
                | Op::BvAdd
                | Op::BvMul
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr
                | Op::BvUle
                | Op::BvSle
                | Op::Concat
                | Op::Extract { .. }
                | Op::ZeroExt(_)
                | Op::SignExt(_),
                _,
            ) => return None,
            (Op::Select | Op::Store | Op::ConstArray(_) | Op::Splice, _) => return None,
            (Op::FpNeg, [a]) => gates.float_neg(format, a),
            (Op::FpSqrt, [a]) => gates.float_sqrt(format, a),
            (Op::FpAdd, [a, b]) => gates.float_add(format, a, b),
            (Op::FpSub, [a, b]) => {
                let b = gates.float_neg(format, b);
                gates.float_add(format, a, &b)
            }
            (Op::FpMul, [a, b]) => gates.float_mul(format, a, b),
            (Op::FpDiv, [a, b]) => gates.float_div(format, a, b),
            (Op::FpEq, [a, b]) => one(gates.float_equal(format, a, b)),
            (Op::FpLt, [a, b]) => one(gates.float_less(format, a, b)),
            (Op::FpLe, [a, b]) => one(gates.float_at_most(format, a, b)),
            (Op::FpToFp(to), [a]) if to == format => a.clone(),
            (Op::FpToFp(to), [a]) => gates.float_to_float(format, to, a),
            (Op::FpFromSigned(to), [a]) => gates.float_from_int(to, a, true),
            (Op::FpFromUnsigned(to), [a]) => gates.float_from_int(to, a, false),
            (Op::FpToSigned(_), [a]) => specified(gates, format, a, width, true),
            (Op::FpToUnsigned(_), [a]) => specified(gates, format, a, width, false),
            (Op::FpFromBits(to), [a]) => gates.float(to, a),
            (
                Op::FpNeg
                | Op::FpSqrt
                | Op::FpAdd
                | Op::FpSub
                | Op::FpMul
                | Op::FpDiv
                | Op::FpEq
                | Op::FpLt
                | Op::FpLe
                | Op::FpToFp(_)
                | Op::FpFromSigned(_)
                | Op::FpFromUnsigned(_)
                | Op::FpToSigned(_)
                | Op::FpToUnsigned(_)
                | Op::FpFromBits(_),
                _,
            ) => return None,
            (Op::IntAdd | Op::IntMul | Op::IntDiv | Op::IntMod | Op::IntLe, _) => return None,
        })
    }
}

fn one(lit: Lit) -> Word {
    Word::from_slice(&[lit])
}

fn words<'b>(bits: &'b [Lit], words: &FxHashMap<TermId, Range<u32>>, term: TermId) -> &'b [Lit] {
    let range = &words[&term];
    &bits[range.start as usize..range.end as usize]
}

/// A number as an integer; anything where that is not specified.
fn specified(gates: &mut Gates, from: FloatSort, a: &[Lit], width: u32, is_signed: bool) -> Word {
    let (number, fits) = gates.float_to_int(from, a, width as usize, is_signed);
    let anything: Word = (0..width).map(|_| gates.input()).collect();
    gates.choose(fits, &number, &anything)
}

/// What a summand subtracts, if it is a negation.
fn subtracted(terms: &Terms, summand: TermId) -> Option<TermId> {
    match terms.op(summand) {
        Op::BvNeg => terms.args(summand).first().copied(),
        _ => None,
    }
}
