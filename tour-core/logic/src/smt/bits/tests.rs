//! Circuits against our own semantics, and the solver against Z3.

use super::blast::Blaster;
use super::cnf::{Cnf, Outcome};
use super::gates::{Gate, Lit};
use super::*;
use crate::smt::meter::Meter;
use crate::smt::{Purpose, QueryLimits, SatResult, Smt, Solver, Unknown, Z3};
use crate::term::random::{Rng, assign, draw};
use crate::term::{Assignment, Float, FloatSort, Op, Sort, TermId, Terms, Value};
use std::rc::Rc;
use tour_ir::limits::{Interrupt, StopReason};

fn bits() -> Bits {
    Bits::new(meter(None), Purpose::Feasibility)
}

fn meter(steps: Option<u32>) -> Rc<Meter> {
    Rc::new(Meter::new(Default::default(), QueryLimits { steps }, Interrupt::new()))
}

/// The values of all gates under an assignment.
fn simulate(blaster: &Blaster, assignment: &Assignment) -> Vec<bool> {
    let gates = &blaster.gates;
    let mut values = vec![false; gates.len()];
    for (symbol, word) in blaster.variables() {
        let number = match assignment.get(symbol) {
            Some(Value::Bool(value)) => u128::from(*value),
            Some(Value::Bv(value)) => value.value,
            Some(Value::Float(value)) => u128::from(value.bits()),
            other => panic!("{other:?}"),
        };
        for (i, bit) in word.iter().enumerate() {
            values[bit.node()] = number >> i & 1 == 1;
        }
    }
    for node in 0..gates.len() {
        let value = |lit: Lit| values[lit.node()] != lit.is_negated();
        values[node] = match gates.gate(node) {
            Gate::Constant => false,
            Gate::Input => values[node],
            Gate::And(a, b) => value(a) && value(b),
            Gate::Wide(index) => gates.wide(index).iter().all(|lit| value(*lit)),
            Gate::Xor(a, b) => value(a) ^ value(b),
            Gate::Xor3(a, b, c) => value(a) ^ value(b) ^ value(c),
            Gate::Ite(a, b, c) => {
                if value(a) {
                    value(b)
                } else {
                    value(c)
                }
            }
            Gate::Majority(a, b, c) => u8::from(value(a)) + u8::from(value(b)) + u8::from(value(c)) >= 2,
        };
    }
    values
}

const BINARY: [Op; 16] = [
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
    Op::BvUle,
    Op::BvSle,
    Op::Concat,
    Op::Eq,
];

/// The circuits of terms compute their values under an assignment.
fn all_agree(t: &Terms, blaster: &Blaster, terms: &[TermId], assignment: &Assignment) {
    let values = simulate(blaster, assignment);
    terms.iter().for_each(|term| agrees(t, blaster, *term, assignment, &values));
}

fn agrees(t: &Terms, blaster: &Blaster, term: TermId, assignment: &Assignment, values: &[bool]) {
    let bits = blaster.word(term).iter().map(|lit| values[lit.node()] != lit.is_negated());
    let found = bits.rev().fold(0, |number, bit| number << 1 | u128::from(bit));
    match t.eval(term, assignment) {
        Some(Value::Bool(value)) => assert_eq!(found, u128::from(value), "{} {assignment:?}", t.show(term)),
        Some(Value::Bv(value)) => assert_eq!(found, value.value, "{} {assignment:?}", t.show(term)),
        Some(Value::Float(value)) => {
            assert_eq!(found, u128::from(value.bits()), "{} {assignment:?}", t.show(term));
        }
        Some(other) => panic!("{other:?}"),
        None => {}
    }
}

#[test]
fn every_operator_on_all_small_words() {
    let mut t = Terms::new();
    for width in 1..=4 {
        let sort = Sort::BitVec(width);
        let (a, b) = (t.declare("a", sort, false), t.declare("b", sort, false));
        let (a, b) = (t.var(a, 0), t.var(b, 0));
        let mut made: Vec<TermId> = BINARY.iter().map(|op| t.node(*op, &[a, b])).collect();
        made.extend([Op::BvNeg, Op::BvNot, Op::ZeroExt(2), Op::SignExt(3)].map(|op| t.node(op, &[a])));
        made.extend((0..width).map(|lo| t.node(Op::Extract { hi: width - 1, lo }, &[b])));
        for number in 0..1 << width {
            let number = t.bv(width, number);
            made.extend(BINARY.iter().flat_map(|op| [t.node(*op, &[a, number]), t.node(*op, &[number, b])]));
        }
        let neg = t.node(Op::BvNeg, &[b]);
        made.extend([t.node(Op::BvAdd, &[a, neg]), t.node(Op::BvAdd, &[neg, a])]);
        let less = t.node(Op::BvUle, &[a, b]);
        made.extend([t.node(Op::Ite, &[less, a, b]), t.node(Op::Not, &[less])]);
        let mut blaster = Blaster::default();
        assert!(made.iter().all(|term| blaster.build(&t, *term)));
        for (x, y) in (0..1 << width).flat_map(|x| (0..1 << width).map(move |y| (x, y))) {
            let mut values = Assignment::default();
            values.set(t.as_symbol(a).unwrap(), Value::bv(width, x));
            values.set(t.as_symbol(b).unwrap(), Value::bv(width, y));
            all_agree(&t, &blaster, &made, &values);
        }
    }
}

#[test]
fn every_operator_on_random_large_words() {
    let (mut t, mut rng) = (Terms::new(), Rng(1));
    for width in [7, 8, 32, 64] {
        let sort = Sort::BitVec(width);
        let (a, b) = (t.declare("a", sort, false), t.declare("b", sort, false));
        let (a, b) = (t.var(a, 0), t.var(b, 0));
        for op in BINARY {
            let number = t.bv(width, rng.bits(width));
            let made = [t.node(op, &[a, b]), t.node(op, &[a, number]), t.node(op, &[number, b])];
            let mut blaster = Blaster::default();
            assert!(made.iter().all(|term| blaster.build(&t, *term)));
            let all = t.node(Op::Concat, &[a, b]);
            blaster.build(&t, all);
            for _ in 0..40 {
                let values = assign(&t, &mut rng, all);
                all_agree(&t, &blaster, &made, &values);
            }
        }
    }
}

/// Bit patterns of all kinds: special ones, near powers of two, near each other, and any.
fn pattern(rng: &mut Rng, sort: FloatSort, other: u64) -> u64 {
    let (exponent, significand) = sort.format();
    let mask = u64::MAX >> (64 - sort.bits());
    let sign = rng.number() << (sort.bits() - 1) & mask;
    let largest = ((1 << exponent) - 1) << (significand - 1);
    let bias = (1 << (exponent - 1)) - 1;
    let size = match rng.below(8) {
        0 => [0, 1, largest, largest | 1, largest - 1, 1 << (significand - 1)][rng.below(6)],
        // Subnormal.
        1 => rng.number() & ((1 << (significand - 1)) - 1),
        // Small integers and their neighbours.
        2 => Float::round(sort, rng.below(70) as f64).bits().wrapping_add(rng.below(3) as u64),
        // Around the limits of integers.
        3 => (bias + [7, 8, 15, 31, 32, 62, 63, 64][rng.below(8)]) << (significand - 1) | rng.below(3) as u64,
        4 => (other ^ rng.below(4) as u64) & (mask >> 1),
        5 => {
            (bias + rng.below(60) as u64 - 30) << (significand - 1)
                | rng.number() & ((1 << (significand - 1)) - 1)
        }
        _ => rng.number() & (mask >> 1),
    };
    Float::from_bits(sort, sign | size & (mask >> 1)).bits()
}

#[test]
fn floats_are_what_the_machine_computes() {
    let (mut t, mut rng) = (Terms::new(), Rng(3));
    for sort in [FloatSort::F32, FloatSort::F64] {
        let (a, b) = (t.declare("a", Sort::Float(sort), false), t.declare("b", Sort::Float(sort), false));
        let (a, b) = (t.var(a, 0), t.var(b, 0));
        let binary = [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv, Op::FpEq, Op::FpLt, Op::FpLe, Op::Eq];
        let mut made: Vec<TermId> = binary.iter().map(|op| t.node(*op, &[a, b])).collect();
        let unary = [Op::FpNeg, Op::FpSqrt, Op::FpToFp(FloatSort::F32), Op::FpToFp(FloatSort::F64)];
        made.extend(unary.map(|op| t.node(op, &[a])));
        for width in [8, 32, 64] {
            made.extend([Op::FpToSigned(width), Op::FpToUnsigned(width)].map(|op| t.node(op, &[a])));
        }
        let mut blaster = Blaster::default();
        assert!(made.iter().all(|term| blaster.build(&t, *term)));
        let rounds = if sort == FloatSort::F32 { 3000 } else { 1500 };
        for _ in 0..rounds {
            let x = pattern(&mut rng, sort, 0);
            let y = pattern(&mut rng, sort, x);
            let mut values = Assignment::default();
            values.set(t.as_symbol(a).unwrap(), Value::Float(Float::from_bits(sort, x)));
            values.set(t.as_symbol(b).unwrap(), Value::Float(Float::from_bits(sort, y)));
            all_agree(&t, &blaster, &made, &values);
        }
    }
}

#[test]
fn floats_from_integers_and_bits() {
    let (mut t, mut rng) = (Terms::new(), Rng(4));
    for width in [1, 8, 32, 64, 128] {
        let a = t.declare("a", Sort::BitVec(width), false);
        let a = t.var(a, 0);
        let mut made = Vec::new();
        for sort in [FloatSort::F32, FloatSort::F64] {
            made.extend([Op::FpFromSigned(sort), Op::FpFromUnsigned(sort)].map(|op| t.node(op, &[a])));
            if width == sort.bits() {
                made.push(t.node(Op::FpFromBits(sort), &[a]));
            }
        }
        let mut blaster = Blaster::default();
        assert!(made.iter().all(|term| blaster.build(&t, *term)));
        for _ in 0..300 {
            let far = rng.below(width as usize);
            let value = Value::bv(width, rng.bits(width) >> far);
            let mut values = Assignment::default();
            values.set(t.as_symbol(a).unwrap(), value);
            all_agree(&t, &blaster, &made, &values);
        }
    }
}

#[test]
fn elements_of_tables() {
    let (mut t, mut rng) = (Terms::new(), Rng(2));
    for _ in 0..60 {
        let width = 1 + rng.below(5) as u32;
        let index = t.declare("i", Sort::BitVec(width), false);
        let index = t.var(index, 0);
        let mut chain = draw(&mut t, &mut rng, Sort::BitVec(3), 0).raw;
        for _ in 0..rng.below(24) {
            let (at, element) =
                (t.bv(width, rng.bits(width)), draw(&mut t, &mut rng, Sort::BitVec(3), 0).raw);
            let there = t.node(Op::Eq, &[index, at]);
            chain = t.node(Op::Ite, &[there, element, chain]);
        }
        let both = t.node(Op::Concat, &[chain, index]);
        let mut blaster = Blaster::default();
        assert!(blaster.build(&t, both));
        for at in 0..1 << width {
            let mut values = assign(&t, &mut rng, both);
            values.set(t.as_symbol(index).unwrap(), Value::bv(width, at));
            all_agree(&t, &blaster, &[chain, both], &values);
        }
    }
}

#[test]
fn a_table_of_exclusive_ors_is_nothing_else() {
    let mut t = Terms::new();
    let index = t.declare("i", Sort::BitVec(8), false);
    let index = t.var(index, 0);
    let mut chain = t.bv(32, 0);
    for at in 0..256 {
        let step = |word: u32, _| if word & 1 == 1 { 0xedb8_8320 ^ word >> 1 } else { word >> 1 };
        let (element, at) = (t.bv(32, u128::from((0..8).fold(at, step))), t.bv(8, u128::from(at)));
        let there = t.eq(index, at);
        chain = t.ite(there, element, chain);
    }
    let mut blaster = Blaster::default();
    assert!(blaster.build(&t, chain));
    assert!(blaster.gates.len() < 500, "{}", blaster.gates.len());
    let only = |gate| matches!(gate, Gate::Constant | Gate::Input | Gate::Xor(..));
    assert!(blaster.word(chain).iter().all(|lit| only(blaster.gates.gate(lit.node()))));
}

/// Random formulas, asked in several ways, and of Z3. How many are satisfiable, and how many are not.
fn compare(rng: &mut Rng, rounds: u32, limit: u32, wanted: impl Fn(&Terms, TermId) -> bool) -> (u32, u32) {
    let mut t = Terms::new();
    let z3 = Z3::new(QueryLimits { steps: Some(limit) }, Interrupt::new());
    let mut solver = Bits::new(meter(Some(20 * limit)), Purpose::Feasibility);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..rounds {
        let drawn: Vec<TermId> = (0..12).map(|_| draw(&mut t, rng, Sort::Bool, 2 + round % 4).raw).collect();
        let (known, foreign): (Vec<TermId>, Vec<TermId>) =
            drawn.into_iter().partition(|part| solver.understands(&t, *part));
        if let Some(other) = foreign.first() {
            assert!(matches!(bits().check(&t, &[*other]), SatResult::Unknown(Unknown::Incomplete(_))));
        }
        let mut parts: Vec<TermId> = known.into_iter().filter(|part| wanted(&t, *part)).collect();
        parts.truncate(1 + rng.below(5));
        let formula = t.and(&parts);
        // As an assumption, as assumptions, and in a scope of its own.
        let as_one = solver.check(&t, &[formula]);
        if as_one == SatResult::Sat {
            let model = solver.model(&t).unwrap();
            assert_ne!(t.holds(formula, &model), Some(false), "{}", t.show(formula));
        }
        let apart = solver.check(&t, &parts);
        if apart == SatResult::Unsat {
            let core = solver.unsat_core(&t);
            assert!(core.iter().all(|term| parts.contains(term)));
            assert_eq!(bits().check(&t, &core), SatResult::Unsat, "a core");
        }
        solver.push();
        parts.iter().for_each(|part| solver.assert(&t, *part));
        let scoped = solver.check(&t, &[]);
        solver.pop();
        let asked = z3.check(&t, formula, Purpose::Feasibility);
        let answers = [as_one, apart, scoped, asked];
        let says = |answer| answers.contains(&answer);
        assert!(!says(SatResult::Sat) || !says(SatResult::Unsat), "{answers:?} {}", t.show(formula));
        sat += u32::from(says(SatResult::Sat));
        unsat += u32::from(says(SatResult::Unsat));
    }
    (sat, unsat)
}

fn has_floats(t: &Terms, formula: TermId) -> bool {
    t.postorder(&[formula]).iter().any(|part| matches!(t.sort(*part), Sort::Float(_)))
}

#[test]
fn it_agrees_with_z3_on_random_formulas() {
    let (sat, unsat) = compare(&mut Rng(5), 150, 100_000, |t, part| !has_floats(t, part));
    assert!(sat > 20 && unsat > 20, "{sat} {unsat}");
    let (sat, unsat) = compare(&mut Rng(6), 25, 10_000, has_floats);
    assert!(sat > 5 && unsat > 2, "{sat} {unsat}");
}

#[test]
fn scopes_come_and_go() {
    let mut t = Terms::new();
    let x = t.declare("x", Sort::BitVec(8), false);
    let x = t.var(x, 0);
    let [two, three, nine] = [2, 3, 9].map(|n| t.bv(8, n));
    let (small, big) = (t.bv_ult(x, nine), t.bv_ult(three, x));
    let (two, nine) = (t.eq(x, two), t.eq(x, nine));
    let mut solver = bits();
    solver.assert(&t, small);
    solver.push();
    solver.push();
    solver.assert(&t, big);
    assert_eq!(solver.check(&t, &[]), SatResult::Sat);
    assert_eq!(solver.check(&t, &[small, two]), SatResult::Unsat);
    assert_eq!(solver.unsat_core(&t), [two]);
    solver.pop();
    assert_eq!(solver.check(&t, &[two]), SatResult::Sat);
    assert_eq!(solver.values(&t, &[x]).unwrap(), [Some(Value::bv(8, 2))]);
    solver.assert(&t, nine);
    assert_eq!(solver.check(&t, &[two]), SatResult::Unsat);
    solver.pop();
    assert_eq!(solver.check(&t, &[nine]), SatResult::Unsat);
    assert_eq!(solver.check(&t, &[t.no()]), SatResult::Unsat);
    assert_eq!(solver.unsat_core(&t), [t.no()]);
    assert_eq!(solver.check(&t, &[t.yes()]), SatResult::Sat);
}

/// Two factors of a product of primes: hard enough.
fn factors(t: &mut Terms, width: u32, product: u128) -> TermId {
    let sort = Sort::BitVec(width);
    let (a, b) = (t.declare("a", sort, false), t.declare("b", sort, false));
    let (a, b) = (t.var(a, 0), t.var(b, 0));
    let (one, half, product) = (t.bv(width, 1), t.bv(width, 1 << (width / 2)), t.bv(width, product));
    let all = t.bv_mul(a, b);
    let facts = [t.eq(all, product), t.bv_ult(one, a), t.bv_ule(a, b), t.bv_ult(b, half)];
    t.and(&facts)
}

#[test]
fn a_limit_ends_a_question_and_it_goes_on_later() {
    let mut t = Terms::new();
    let formula = factors(&mut t, 32, 65_521 * 65_519);
    let run = || {
        let meter = meter(Some(2_000));
        let mut solver = Bits::new(meter.clone(), Purpose::Feasibility);
        assert_eq!(solver.check(&t, &[formula]), SatResult::Unknown(Unknown::Limit));
        let first = meter.spent();
        meter.limits.set(QueryLimits::default());
        assert_eq!(solver.check(&t, &[formula]), SatResult::Sat);
        (first, meter.spent(), solver.model(&t).unwrap())
    };
    let (first, all, model) = run();
    assert!((2_000..40_000).contains(&first) && all > first, "{first} {all}");
    assert_eq!(t.holds(formula, &model), Some(true));
    assert_eq!(run(), (first, all, model), "the same again");
}

#[test]
fn an_interrupt_ends_a_question() {
    let mut t = Terms::new();
    let formula = factors(&mut t, 64, 1_152_921_498_983_210_923);
    let interrupt = Interrupt::new();
    let meter = Rc::new(Meter::new(Default::default(), QueryLimits::default(), interrupt.clone()));
    let mut solver = Bits::new(meter, Purpose::Feasibility);
    let stop = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        interrupt.stop(StopReason::Timeout);
    });
    let start = std::time::Instant::now();
    let stopped = SatResult::Unknown(Unknown::Stopped(StopReason::Timeout));
    assert_eq!(solver.check(&t, &[formula]), stopped);
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(solver.check(&t, &[t.yes()]), stopped);
    stop.join().unwrap();
}

#[test]
fn only_what_is_needed_is_sent() {
    let mut t = Terms::new();
    let x = t.declare("x", Sort::BitVec(64), false);
    let (x, y) = (t.var(x, 0), t.var(x, 1));
    let product = t.bv_mul(x, y);
    let low = t.node(Op::Extract { hi: 0, lo: 0 }, &[product]);
    let one = t.bv(1, 1);
    let is_odd = t.eq(low, one);
    let mut blaster = Blaster::default();
    let lit = blaster.formula(&t, is_odd).unwrap();
    let mut cnf = Cnf::new(Interrupt::new());
    let name = cnf.send(&blaster.gates, lit);
    assert_eq!(cnf.clauses(), 3);
    assert_eq!(cnf.solve(&[name], None).0, Outcome::Sat);
}
