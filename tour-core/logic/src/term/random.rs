//! Random terms and assignments, for property-based tests.

use super::{Assignment, Elem, Float, FloatSort, Op, Sort, Symbol, TermId, Terms, Value};

/// A small deterministic generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }

    /// Edge cases are likely.
    pub fn bits(&mut self, width: u32) -> u128 {
        let any = u128::from(self.number()) << 64 | u128::from(self.number());
        let value = match self.below(4) {
            0 => any % 4,
            1 => u128::MAX - any % 4,
            2 => (1u128 << (width - 1)).wrapping_add(any % 4).wrapping_sub(2),
            _ => any,
        };
        tour_ir::program::IntType::unsigned(width).wrap(value)
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::Int => Value::Int(self.below(9) as i128 - 4),
            Sort::BitVec(bits) => Value::bv(bits, self.bits(bits)),
            Sort::Float(sort) => {
                let some = [0.0, -0.0, 1.0, -1.5, 3.75, f64::NAN, f64::INFINITY, 1e9, -1e-40, 0.1];
                Value::Float(Float::round(sort, some[self.below(some.len())]))
            }
            Sort::Array { .. } => Value::zero(sort),
        }
    }
}

/// A term, built twice: simplified, and exactly as drawn.
#[derive(Clone, Copy)]
pub struct Pair {
    /// Built by the simplifying constructors.
    pub simple: TermId,
    /// Built as it was drawn.
    pub raw: TermId,
}

const FLOATS: [FloatSort; 2] = [FloatSort::F32, FloatSort::F64];

/// Draws a term of a sort.
pub fn draw(t: &mut Terms, rng: &mut Rng, sort: Sort, depth: u32) -> Pair {
    if depth == 0 || rng.below(8) == 0 {
        return leaf(t, rng, sort);
    }
    let (op, sorts): (Op, Vec<Sort>) = match sort {
        Sort::Bool => draw_bool(rng),
        Sort::BitVec(bits) => draw_bv(rng, bits),
        Sort::Int => match rng.below(7) {
            0 => (Op::Ite, vec![Sort::Bool, sort, sort]),
            1 => (Op::IntMul, vec![sort, sort]),
            2 => (Op::IntDiv, vec![sort, sort]),
            3 => (Op::IntMod, vec![sort, sort]),
            _ => (Op::IntAdd, vec![sort, sort]),
        },
        Sort::Float(format) => match rng.below(9) {
            0 => (Op::Ite, vec![Sort::Bool, sort, sort]),
            8 => (Op::FpSqrt, vec![sort]),
            1 => (Op::FpNeg, vec![sort]),
            2 => (Op::FpToFp(format), vec![Sort::Float(FLOATS[rng.below(2)])]),
            3 => (Op::FpFromSigned(format), vec![Sort::BitVec(8)]),
            4 => (Op::FpFromUnsigned(format), vec![Sort::BitVec(8)]),
            5 => (Op::FpFromBits(format), vec![Sort::BitVec(format.bits())]),
            _ => ([Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv][rng.below(4)], vec![sort, sort]),
        },
        Sort::Array { index, elem } => match rng.below(4) {
            0 => (Op::Ite, vec![Sort::Bool, sort, sort]),
            3 => {
                (Op::Splice, vec![sort, sort, Sort::BitVec(index), Sort::BitVec(index), Sort::BitVec(index)])
            }
            1 => (Op::ConstArray(index), vec![elem.sort()]),
            _ => (Op::Store, vec![sort, Sort::BitVec(index), elem.sort()]),
        },
    };
    let args: Vec<Pair> = sorts.iter().map(|&s| draw(t, rng, s, depth - 1)).collect();
    let simple: Vec<_> = args.iter().map(|a| a.simple).collect();
    let raw: Vec<_> = args.iter().map(|a| a.raw).collect();
    Pair { simple: t.build(op, &simple), raw: t.node(op, &raw) }
}

fn draw_bool(rng: &mut Rng) -> (Op, Vec<Sort>) {
    let bv = Sort::BitVec([1, 3, 8][rng.below(3)]);
    match rng.below(12) {
        0 => (Op::Not, vec![Sort::Bool]),
        1 => (Op::And, vec![Sort::Bool; 2 + rng.below(3)]),
        2 => (Op::Or, vec![Sort::Bool; 2 + rng.below(3)]),
        3 => (Op::Eq, vec![Sort::Bool; 2]),
        4 => (Op::Ite, vec![Sort::Bool; 3]),
        5 | 6 => (Op::Eq, vec![bv; 2]),
        7 => (Op::BvUle, vec![bv; 2]),
        8 => (Op::BvSle, vec![bv; 2]),
        9 => (Op::IntLe, vec![Sort::Int; 2]),
        10 => (Op::Eq, vec![Sort::Int; 2]),
        _ => ([Op::FpEq, Op::FpLt, Op::FpLe][rng.below(3)], vec![Sort::Float(FLOATS[rng.below(2)]); 2]),
    }
}

fn draw_bv(rng: &mut Rng, bits: u32) -> (Op, Vec<Sort>) {
    const TWO: [Op; 14] = [
        Op::BvAdd,
        Op::BvAdd,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvAdd,
    ];
    let sort = Sort::BitVec(bits);
    match rng.below(12) {
        0 => (Op::BvNeg, vec![sort]),
        1 => (Op::BvNot, vec![sort]),
        2 => (Op::Ite, vec![Sort::Bool, sort, sort]),
        3 if bits < 64 => {
            let lo = rng.below(4) as u32;
            let above = rng.below(4) as u32;
            (Op::Extract { hi: lo + bits - 1, lo }, vec![Sort::BitVec(lo + bits + above)])
        }
        4 if bits > 1 => {
            let low = 1 + rng.below(bits as usize - 1) as u32;
            (Op::Concat, vec![Sort::BitVec(bits - low), Sort::BitVec(low)])
        }
        5 | 6 if bits > 1 => {
            let by = 1 + rng.below(bits as usize - 1) as u32;
            let op = if rng.below(2) == 0 { Op::ZeroExt(by) } else { Op::SignExt(by) };
            (op, vec![Sort::BitVec(bits - by)])
        }
        7 => (Op::Select, vec![Sort::Array { index: 3, elem: Elem::BitVec(bits) }, Sort::BitVec(3)]),
        _ => (TWO[rng.below(TWO.len())], vec![sort, sort]),
    }
}

fn leaf(t: &mut Terms, rng: &mut Rng, sort: Sort) -> Pair {
    if rng.below(3) == 0
        && let value @ (Value::Bool(_) | Value::Bv(_) | Value::Int(_) | Value::Float(_)) = rng.value(sort)
    {
        let constant = t.constant(value);
        return Pair { simple: constant, raw: constant };
    }
    let name = ["a", "b"][rng.below(2)];
    let base = t.declare(name, sort, true);
    let var = t.var(base, rng.below(2) as u32);
    Pair { simple: var, raw: var }
}

/// Random values for all variables of a term.
pub fn assign(t: &Terms, rng: &mut Rng, term: TermId) -> Assignment {
    let mut assignment = Assignment::default();
    for Symbol { base, index } in t.free_symbols(term) {
        let value = rng.value(t.base(base).sort);
        assignment.set(Symbol { base, index }, value);
    }
    assignment
}

/// A formula of random equations and comparisons between words of two bits, as paths through a program are.
pub fn equations(t: &mut Terms, rng: &mut Rng, depth: u32) -> TermId {
    if depth > 0 && rng.below(5) > 0 {
        let parts: Vec<TermId> = (0..2 + rng.below(3)).map(|_| equations(t, rng, depth - 1)).collect();
        return if rng.below(2) == 0 { t.and(&parts) } else { t.or(&parts) };
    }
    let variable = |t: &mut Terms, rng: &mut Rng| {
        let base = t.declare(["x", "y", "z"][rng.below(3)], Sort::BitVec(2), false);
        t.var(base, 1 + rng.below(4) as u32)
    };
    let (a, b) = (variable(t, rng), variable(t, rng));
    let number = t.bv(2, rng.below(4) as u128);
    let sum = t.bv_add(b, number);
    match rng.below(4) {
        0 => t.bv_ule(a, sum),
        1 => t.eq(a, number),
        _ => t.eq(a, sum),
    }
}
