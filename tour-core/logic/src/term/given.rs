//! The value of a term where the values of some variables are known: partial evaluation that says a value or nothing.
//!
//! Terms of truth values and bit-vectors are computed by machine arithmetic, and no term is made but the answer. Others
//! (arrays, floating numbers) are substituted and simplified, and answers are kept: the same question is asked again
//! wherever the same values come back.

use super::arena::{Symbol, TermId, Terms};
use super::eval::{apply_bv1, apply_bv2};
use super::op::Op;
use super::sort::Sort;
use super::value::{Bv, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use tour_ir::program::IntType;

/// A larger term is substituted, which looks at what it shares only once.
const MAX_NODES: u32 = 512;

/// How many answers are kept: it protects memory.
const MAX_ANSWERS: usize = 1 << 20;

type Answers = FxHashMap<(TermId, SmallVec<[Option<TermId>; 6]>), Option<TermId>>;

/// Values of terms, given those of some variables. It belongs to one arena.
#[derive(Default)]
pub struct Given {
    symbols: FxHashMap<TermId, Rc<[Symbol]>>,
    answers: Answers,
}

/// What is known of a part of a term: its bits, if anything.
type Known = Option<u128>;

/// The term is too large to be looked at part by part.
struct TooLarge;

impl Given {
    /// The variables of a term, ascending.
    pub fn symbols(&mut self, terms: &Terms, term: TermId) -> Rc<[Symbol]> {
        self.symbols.entry(term).or_insert_with(|| terms.free_symbols(term).into_iter().collect()).clone()
    }

    /// The value of a term: a constant, or an array in its closed form ([`Terms::closed_array`]); `known` says those of
    /// variables. `None` if these do not determine it, as far as can be seen at once.
    pub fn value(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        known: &dyn Fn(Symbol) -> Option<TermId>,
    ) -> Option<TermId> {
        if terms.value(term).is_some() {
            return Some(term);
        }
        if let Some(symbol) = terms.as_symbol(term) {
            return known(symbol);
        }
        if terms.is_bits(term)
            && let Ok(bits) = (Bits { terms, known, left: MAX_NODES }).of(term)
        {
            let bits = bits?;
            return Some(match terms.sort(term) {
                Sort::BitVec(width) => terms.bv(width, bits),
                _ => terms.bool(bits != 0),
            });
        }
        let values: SmallVec<_> = self.symbols(terms, term).iter().map(|symbol| known(*symbol)).collect();
        let question = (term, values);
        if let Some(&answer) = self.answers.get(&question) {
            return answer;
        }
        let mut memo = Default::default();
        let result = terms.substitute(term, &mut memo, |terms, part| known(terms.as_symbol(part)?));
        let answer = match terms.value(result) {
            Some(_) => Some(result),
            None if matches!(terms.sort(result), Sort::Array { .. }) => terms.closed_array(result),
            None => None,
        };
        if self.answers.len() >= MAX_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(question, answer);
        answer
    }
}

/// Evaluates terms of bits.
struct Bits<'a> {
    terms: &'a Terms,
    known: &'a dyn Fn(Symbol) -> Option<TermId>,
    /// How many parts may still be looked at.
    left: u32,
}

impl Bits<'_> {
    fn of(&mut self, term: TermId) -> Result<Known, TooLarge> {
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        let args = self.terms.args(term);
        Ok(match self.terms.op(term) {
            Op::Const(_) => self.constant(term),
            Op::Var(symbol) => (self.known)(symbol).and_then(|value| self.constant(value)),
            Op::Not => self.of(args[0])?.map(|a| u128::from(a == 0)),
            // One false part, or one true one, decides.
            op @ (Op::And | Op::Or) => {
                let decides = u128::from(op == Op::Or);
                let mut all = Some(1 - decides);
                for &arg in args {
                    match self.of(arg)? {
                        Some(value) if value == decides => return Ok(Some(decides)),
                        Some(_) => {}
                        None => all = None,
                    }
                }
                all
            }
            Op::Eq => match (self.of(args[0])?, self.of(args[1])?) {
                (Some(a), Some(b)) => Some(u128::from(a == b)),
                _ => None,
            },
            Op::Ite => match self.of(args[0])? {
                Some(0) => self.of(args[2])?,
                Some(_) => self.of(args[1])?,
                None => {
                    let (a, b) = (self.of(args[1])?, self.of(args[2])?);
                    a.filter(|_| a == b)
                }
            },
            op @ (Op::BvMul | Op::BvAnd) => match (self.of(args[0])?, self.of(args[1])?) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (Some(a), Some(b)) => {
                    let width = self.terms.width(term);
                    self.bits(apply_bv2(op, Bv::new(width, a), Bv::new(width, b)))
                }
                _ => None,
            },
            op => match *args {
                [a] => {
                    let Some(value) = self.of(a)? else { return Ok(None) };
                    self.bits(apply_bv1(op, Bv::new(self.terms.width(a), value)))
                }
                [a, b] => {
                    let (Some(x), Some(y)) = (self.of(a)?, self.of(b)?) else { return Ok(None) };
                    let (x, y) = (Bv::new(self.terms.width(a), x), Bv::new(self.terms.width(b), y));
                    self.bits(apply_bv2(op, x, y))
                }
                _ => return Err(TooLarge),
            },
        })
    }

    fn constant(&self, term: TermId) -> Known {
        match self.terms.value(term)? {
            Value::Bool(value) => Some(u128::from(*value)),
            Value::Bv(bv) => Some(bv.value),
            Value::Int(_) | Value::Float(_) | Value::Array(_) => None,
        }
    }

    fn bits(&self, value: Option<Value>) -> Known {
        match value? {
            Value::Bool(value) => Some(u128::from(value)),
            Value::Bv(bv) => Some(IntType::unsigned(bv.bits).wrap(bv.value)),
            Value::Int(_) | Value::Float(_) | Value::Array(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::random::{Rng, assign, draw};

    #[test]
    fn what_is_known_decides_or_nothing_does() {
        let mut t = Terms::new();
        let mut given = Given::default();
        let x = t.declare("x", Sort::BitVec(8), false);
        let y = t.declare("y", Sort::BitVec(8), false);
        let (x1, y1, three, four) = (t.var(x, 1), t.var(y, 1), t.bv(8, 3), t.bv(8, 4));
        let known = |symbol: Symbol| (symbol.base == x).then_some(three);
        let sum = t.bv_add(x1, four);
        let seven = t.bv(8, 7);
        assert_eq!(given.value(&mut t, sum, &known), Some(seven));
        let open = t.bv_add(x1, y1);
        assert_eq!(given.value(&mut t, open, &known), None);
        // `x == 4 && y <= x` is false whatever y is.
        let (a, b) = (t.eq(x1, four), t.bv_ule(y1, x1));
        let both = t.and2(a, b);
        assert_eq!(given.value(&mut t, both, &known), Some(t.no()));
        assert_eq!(given.value(&mut t, b, &known), None);
    }

    #[test]
    fn arrays_have_values_in_closed_form() {
        let mut t = Terms::new();
        let mut given = Given::default();
        let a = t.declare("a", Sort::Array { index: 8, elem: crate::term::Elem::BitVec(8) }, false);
        let i = t.declare("i", Sort::BitVec(8), false);
        let (a1, i1, zero, five) = (t.var(a, 1), t.var(i, 1), t.bv(8, 0), t.bv(8, 5));
        let zeros = t.const_array(8, zero);
        let known = |symbol: Symbol| Some(if symbol.base == a { zeros } else { five });
        let stored = t.store(a1, i1, i1);
        let value = given.value(&mut t, stored, &known);
        let expect = t.store(zeros, five, five);
        assert_eq!(value, Some(expect));
        let read = t.select(stored, i1);
        assert_eq!(given.value(&mut t, read, &known), Some(five));
        let unknown = |symbol: Symbol| (symbol.base == a).then_some(zeros);
        assert_eq!(given.value(&mut t, stored, &unknown), None);
    }

    #[test]
    fn what_is_told_of_random_terms_is_their_value() {
        let (mut decided, mut all) = (0, 0);
        for seed in 0..4000 {
            let mut t = Terms::new();
            let mut rng = Rng(seed);
            let sort = [Sort::Bool, Sort::BitVec(8), Sort::BitVec(3)][seed as usize % 3];
            let term = draw(&mut t, &mut rng, sort, 4).simple;
            let values = assign(&t, &mut rng, term);
            // Arrays stay unknown, and of the others each second one.
            let mut known: FxHashMap<Symbol, TermId> = FxHashMap::default();
            for (symbol, value) in values.iter() {
                if !matches!(value, Value::Array(_)) && rng.below(4) > 0 {
                    known.insert(symbol, t.constant(value.clone()));
                }
            }
            let answer = Given::default().value(&mut t, term, &|symbol| known.get(&symbol).copied());
            all += 1;
            if let Some(answer) = answer
                && let Some(expect) = t.eval(term, &values)
            {
                decided += 1;
                assert_eq!(t.value(answer), Some(&expect), "{}", t.show(term));
            }
        }
        assert!(decided * 4 > all, "{decided} of {all}");
    }
}
