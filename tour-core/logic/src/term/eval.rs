//! The value of operators on constants, and of terms under an assignment.

use super::arena::{BaseId, Symbol, TermId, Terms};
use super::op::Op;
use super::value::{ArrayValue, Bv, Float, Value};
use imbl::OrdMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::Arc;
use tour_ir::program::{BinOp, IntType};

/// Values of variables, such as a solver's model. What is not named has the value zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: BTreeMap<Symbol, Value>,
}

impl Assignment {
    /// Sets the value of a variable.
    pub fn set(&mut self, symbol: Symbol, value: Value) {
        self.values.insert(symbol, value);
    }

    /// The value of a variable, if it is named.
    pub fn get(&self, symbol: Symbol) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// The values of the instances of a variable.
    pub fn of_base(&self, base: BaseId) -> impl Iterator<Item = (Symbol, &Value)> {
        let (first, last) = (Symbol { base, index: 0 }, Symbol { base, index: u32::MAX });
        self.values.range(first..=last).map(|(s, v)| (*s, v))
    }

    /// The variables and their values, in the order of the symbols.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &Value)> {
        self.values.iter().map(|(s, v)| (*s, v))
    }
}

/// The values of terms under an assignment, each computed once.
pub struct Evaluation<'t> {
    terms: &'t Terms,
    assignment: Cow<'t, Assignment>,
    known: FxHashMap<TermId, Option<Value>>,
}

impl<'t> Evaluation<'t> {
    /// Nothing is computed yet.
    pub fn new(terms: &'t Terms, assignment: Cow<'t, Assignment>) -> Evaluation<'t> {
        Evaluation { terms, assignment, known: FxHashMap::default() }
    }

    /// The value of a term; `None` if it depends on something unspecified.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        let terms = self.terms;
        // The flag says that the arguments have been visited.
        let mut stack = vec![(term, false)];
        while let Some((id, visited)) = stack.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            let value = match terms.op(id) {
                Op::Var(symbol) => Some(match self.assignment.get(symbol) {
                    Some(value) => value.clone(),
                    None => Value::zero(terms.sort(id)),
                }),
                Op::Const(_) => terms.value(id).cloned(),
                op if visited => {
                    let args = terms.args(id).iter().map(|arg| self.known[arg].clone()).collect();
                    apply_partial(op, args)
                }
                _ => {
                    stack.push((id, true));
                    stack.extend(terms.args(id).iter().map(|arg| (*arg, false)));
                    continue;
                }
            };
            self.known.insert(id, value);
        }
        self.known[&term].clone()
    }

    /// Sets the value of a variable that no term spoke of so far.
    pub fn set(&mut self, symbol: Symbol, value: Value) {
        self.assignment.to_mut().set(symbol, value);
    }

    /// The assignment.
    pub fn into_assignment(self) -> Assignment {
        self.assignment.into_owned()
    }
}

impl Terms {
    /// The value of a term; `None` if it depends on something unspecified (such as a float that does not fit in the
    /// integer that it is converted to, or an integer beyond 128 bits).
    pub fn eval(&self, term: TermId, assignment: &Assignment) -> Option<Value> {
        Evaluation::new(self, Cow::Borrowed(assignment)).value(term)
    }

    /// The values of several terms, which share what they have in common.
    pub fn eval_all(&self, terms: &[TermId], assignment: &Assignment) -> Vec<Option<Value>> {
        let mut evaluation = Evaluation::new(self, Cow::Borrowed(assignment));
        terms.iter().map(|term| evaluation.value(*term)).collect()
    }

    /// Whether a formula holds; `None` if that depends on something unspecified.
    pub fn holds(&self, formula: TermId, assignment: &Assignment) -> Option<bool> {
        self.eval(formula, assignment)?.as_bool()
    }
}

/// [`apply`], where arguments may be unspecified if they do not matter.
fn apply_partial(op: Op, args: SmallVec<[Option<Value>; 3]>) -> Option<Value> {
    match op {
        Op::Ite => {
            let chosen = if args[0].as_ref()?.as_bool()? { 1 } else { 2 };
            args[chosen].clone()
        }
        Op::And if args.contains(&Some(Value::Bool(false))) => Some(Value::Bool(false)),
        Op::Or if args.contains(&Some(Value::Bool(true))) => Some(Value::Bool(true)),
        _ => apply(op, &args.into_iter().collect::<Option<SmallVec<[Value; 3]>>>()?),
    }
}

/// The value of an operator on constants; `None` where it is unspecified.
pub(super) fn apply(op: Op, args: &[Value]) -> Option<Value> {
    if let [Value::Float(a), ..] = args {
        return apply_float(op, *a, args);
    }
    match (op, args) {
        (Op::Not, [Value::Bool(a)]) => Some(Value::Bool(!a)),
        (Op::And, _) => Some(Value::Bool(args.iter().all(|a| a.as_bool() == Some(true)))),
        (Op::Or, _) => Some(Value::Bool(args.iter().any(|a| a.as_bool() == Some(true)))),
        (Op::Eq, [a, b]) => Some(Value::Bool(same(a, b))),
        (Op::Ite, [Value::Bool(cond), yes, no]) => Some(if *cond { yes.clone() } else { no.clone() }),
        (_, [Value::Bv(a)]) => apply_bv1(op, *a),
        (_, [Value::Bv(a), Value::Bv(b)]) => apply_bv2(op, *a, *b),
        (_, [Value::Int(a), Value::Int(b)]) => apply_int(op, *a, *b),
        (Op::Select, [Value::Array(array), Value::Bv(index)]) => Some(array.select(index.value).clone()),
        (
            Op::Splice,
            [Value::Array(array), Value::Array(other), Value::Bv(at), Value::Bv(from), Value::Bv(count)],
        ) => splice(array, other, *at, *from, *count).map(|array| Value::Array(Arc::new(array))),
        (Op::Store, [Value::Array(array), Value::Bv(index), value]) => {
            let mut array = ArrayValue::clone(array);
            if array.default == *value {
                array.entries.remove(&index.value);
            } else {
                array.entries.insert(index.value, value.clone());
            }
            Some(Value::Array(Arc::new(array)))
        }
        _ => None,
    }
}

/// Larger parts of arrays are not told element by element.
/// It protects memory.
const MAX_SPLICED: u128 = 1 << 20;

fn splice(array: &ArrayValue, other: &ArrayValue, at: Bv, from: Bv, count: Bv) -> Option<ArrayValue> {
    let ty = IntType::unsigned(at.bits);
    let inside = |index: u128| ty.wrap(index.wrapping_sub(at.value)) < count.value;
    let outside = array.entries.iter().filter(|(index, _)| !inside(**index));
    let entries = outside.map(|(index, value)| (*index, value.clone())).collect();
    let mut new = ArrayValue { default: array.default.clone(), entries };
    if other.default == new.default {
        // What is nowhere named is the same on both sides.
        for (index, value) in &other.entries {
            let index = ty.wrap(index.wrapping_sub(from.value).wrapping_add(at.value));
            if inside(index) {
                new.entries.insert(index, value.clone());
            }
        }
        return Some(new);
    }
    if count.value > MAX_SPLICED {
        return None;
    }
    for k in 0..count.value {
        let value = other.select(ty.wrap(from.value.wrapping_add(k)));
        if *value != new.default {
            new.entries.insert(ty.wrap(at.value.wrapping_add(k)), value.clone());
        }
    }
    Some(new)
}

/// Equality. Arrays are compared entry by entry; those whose defaults differ are different (indices that no entry
/// names exist for all widths in use).
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            let keys = a.entries.keys().chain(b.entries.keys());
            a.default == b.default && keys.into_iter().all(|&k| a.select(k) == b.select(k))
        }
        _ => a == b,
    }
}

pub(super) fn apply_bv1(op: Op, a: Bv) -> Option<Value> {
    let ty = IntType::unsigned(a.bits);
    Some(match op {
        Op::BvNeg => Value::bv(a.bits, ty.neg(a.value)),
        Op::BvNot => Value::bv(a.bits, ty.not(a.value)),
        Op::Extract { hi, lo } => Value::bv(hi - lo + 1, a.value >> lo),
        Op::ZeroExt(by) => Value::bv(a.bits + by, a.value),
        Op::SignExt(by) => Value::bv(a.bits + by, IntType::signed(a.bits).extend(a.value)),
        Op::ConstArray(_) => {
            Value::Array(Arc::new(ArrayValue { default: Value::Bv(a), entries: OrdMap::new() }))
        }
        Op::FpFromBits(to) => Value::Float(Float::from_bits(to, a.value as u64)),
        Op::FpFromSigned(to) => Value::Float(from_signed(to, a.signed())),
        Op::FpFromUnsigned(to) => Value::Float(from_unsigned(to, a.value)),
        _ => return None,
    })
}

/// Rust rounds to nearest even when it converts integers.
fn from_signed(to: super::FloatSort, value: i128) -> Float {
    match to {
        super::FloatSort::F32 => Float::f32(value as f32),
        super::FloatSort::F64 => Float::f64(value as f64),
    }
}

fn from_unsigned(to: super::FloatSort, value: u128) -> Float {
    match to {
        super::FloatSort::F32 => Float::f32(value as f32),
        super::FloatSort::F64 => Float::f64(value as f64),
    }
}

pub(super) fn apply_bv2(op: Op, a: Bv, b: Bv) -> Option<Value> {
    let (unsigned, signed) = (IntType::unsigned(a.bits), IntType::signed(a.bits));
    let arith = |ty: IntType, op: BinOp| ty.binary(op, a.value, b.value);
    let value = match op {
        Op::BvUle => return Some(Value::Bool(!unsigned.less(b.value, a.value))),
        Op::BvSle => return Some(Value::Bool(!signed.less(b.value, a.value))),
        Op::Concat => return Some(Value::bv(a.bits + b.bits, a.value << b.bits | b.value)),
        Op::BvAdd => arith(unsigned, BinOp::Add),
        Op::BvMul => arith(unsigned, BinOp::Mul),
        // The other results for division by zero are what SMT-LIB says.
        Op::BvUdiv => arith(unsigned, BinOp::Div).or(Some(u128::MAX)),
        Op::BvUrem => arith(unsigned, BinOp::Rem).or(Some(a.value)),
        Op::BvSdiv => arith(signed, BinOp::Div).or(Some(if a.signed() < 0 { 1 } else { u128::MAX })),
        Op::BvSrem => arith(signed, BinOp::Rem).or(Some(a.value)),
        Op::BvAnd => arith(unsigned, BinOp::And),
        Op::BvOr => arith(unsigned, BinOp::Or),
        Op::BvXor => arith(unsigned, BinOp::Xor),
        Op::BvShl => arith(unsigned, BinOp::Shl),
        Op::BvLshr => arith(unsigned, BinOp::Shr),
        Op::BvAshr => arith(signed, BinOp::Shr),
        _ => None,
    };
    value.map(|value| Value::bv(a.bits, value))
}

fn apply_int(op: Op, a: i128, b: i128) -> Option<Value> {
    match op {
        Op::IntAdd => a.checked_add(b).map(Value::Int),
        Op::IntMul => a.checked_mul(b).map(Value::Int),
        Op::IntDiv => a.checked_div_euclid(b).map(Value::Int),
        Op::IntMod => a.checked_rem_euclid(b).map(Value::Int),
        Op::IntLe => Some(Value::Bool(a <= b)),
        _ => None,
    }
}

fn apply_float(op: Op, a: Float, args: &[Value]) -> Option<Value> {
    let float = |f: Float| Some(Value::Float(f));
    match (op, args) {
        (Op::FpNeg, [_]) => {
            let sign = 1u64 << (a.sort.bits() - 1);
            float(Float::from_bits(a.sort, a.bits() ^ sign))
        }
        (Op::FpSqrt, [_]) => float(Float::round(a.sort, a.to_f64().sqrt())),
        (Op::FpToFp(to), [_]) => float(Float::round(to, a.to_f64())),
        (Op::FpToSigned(bits), [_]) => a.to_int(IntType::signed(bits)).map(|v| Value::bv(bits, v)),
        (Op::FpToUnsigned(bits), [_]) => a.to_int(IntType::unsigned(bits)).map(|v| Value::bv(bits, v)),
        (Op::ConstArray(_), [value]) => {
            Some(Value::Array(Arc::new(ArrayValue { default: value.clone(), entries: OrdMap::new() })))
        }
        (_, [_, Value::Float(b)]) => match op {
            Op::FpAdd => float(a.binary(*b, f32::add, f64::add)),
            Op::FpSub => float(a.binary(*b, f32::sub, f64::sub)),
            Op::FpMul => float(a.binary(*b, f32::mul, f64::mul)),
            Op::FpDiv => float(a.binary(*b, f32::div, f64::div)),
            Op::Eq => Some(Value::Bool(a == *b)),
            // A float as a double is the same number.
            Op::FpEq => Some(Value::Bool(a.to_f64() == b.to_f64())),
            Op::FpLt => Some(Value::Bool(a.to_f64() < b.to_f64())),
            Op::FpLe => Some(Value::Bool(a.to_f64() <= b.to_f64())),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn unspecified_parts_matter_only_where_they_are_used() {
        let mut t = Terms::new();
        let p = t.declare("p", Sort::Bool, false);
        let (p, nan) = (t.var(p, 0), t.float(crate::term::FloatSort::F64, f64::NAN));
        let lost = t.build(Op::FpToSigned(32), &[nan]);
        let one = t.bv(32, 1);
        let choice = t.ite(p, lost, one);
        assert_eq!(t.eval(choice, &Assignment::default()), Some(Value::bv(32, 1)));
        let mut yes = Assignment::default();
        yes.set(t.as_symbol(p).unwrap(), Value::Bool(true));
        assert_eq!(t.eval(choice, &yes), None);
    }

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(32), true);
        let mut sum = t.var(x, 0);
        for i in 1..100_000 {
            let next = t.var(x, i);
            sum = t.bv_xor(sum, next);
        }
        let mut ones = Assignment::default();
        (0..100_000).for_each(|index| ones.set(Symbol { base: x, index }, Value::bv(32, 1)));
        assert_eq!(t.eval(sum, &ones), Some(Value::bv(32, 0)));
        assert_eq!(t.free_symbols(sum).len(), 100_000);
        let flat = t.rename(sum, |s| s.with_index(0));
        let again = t.rename(sum, |s| s);
        assert_eq!(again, sum);
        assert_eq!(t.eval(flat, &ones), Some(Value::bv(32, 0)));
        assert!(t.show(sum).len() > 100_000);
        assert!(t.show(sum).len() > 100_000);
    }
}
