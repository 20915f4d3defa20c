//! Each law by example, and all of them against random terms and assignments.

use crate::term::random::{Rng, assign, draw};
use crate::term::{Elem, FloatSort, Op, Sort, TermId, Terms};

#[test]
fn simplified_terms_have_the_value_of_the_original() {
    let mut rng = Rng(1);
    let sorts = [Sort::Bool, Sort::BitVec(1), Sort::BitVec(3), Sort::BitVec(8), Sort::BitVec(128), Sort::Int];
    let mut checked = 0;
    for round in 0..6000 {
        let mut t = Terms::new();
        let sort = sorts[round % sorts.len()];
        let pair = draw(&mut t, &mut rng, sort, 1 + (round % 5) as u32);
        for _ in 0..4 {
            let assignment = assign(&t, &mut rng, pair.raw);
            // Where the original is unspecified, any value will do.
            if let Some(want) = t.eval(pair.raw, &assignment) {
                let got = t.eval(pair.simple, &assignment);
                assert_eq!(got, Some(want), "{}\n{}", t.show(pair.raw), t.show(pair.simple));
                checked += 1;
            }
        }
        // Construction is idempotent: building the simplified term again gives the same one.
        let args = t.args(pair.simple).to_vec();
        let again = t.build(t.op(pair.simple), &args);
        assert_eq!(again, pair.simple, "{} became {}", t.show(pair.simple), t.show(again));
    }
    assert!(checked > 20_000, "{checked}");
}

/// `f` makes two terms from two variables; they have to be the same.
fn same(f: impl Fn(&mut Terms, TermId, TermId) -> (TermId, TermId)) {
    let mut t = Terms::new();
    let (x, y) = (t.declare("x", Sort::BitVec(32), true), t.declare("y", Sort::BitVec(32), true));
    let (x, y) = (t.var(x, 0), t.var(y, 0));
    let (got, want) = f(&mut t, x, y);
    assert_eq!(got, want, "{} is not {}", t.show(got), t.show(want));
}

#[test]
fn truth_values() {
    let cmp = |t: &mut Terms, x, y| (t.bv_sle(x, y), t.eq(x, y));
    same(|t, x, y| {
        let (p, q) = cmp(t, x, y);
        let (not_p, nested) = (t.not(p), t.and2(p, q));
        (t.and(&[not_p, nested]), t.no())
    });
    same(|t, x, y| {
        let (p, q) = cmp(t, x, y);
        let (a, b) = (t.and2(p, q), t.and2(q, p));
        (t.or(&[a, b, t.no()]), a)
    });
    same(|t, x, y| {
        let (p, q) = cmp(t, x, y);
        let (not_p, not_q) = (t.not(p), t.not(q));
        (t.eq(not_p, not_q), t.eq(q, p))
    });
    same(|t, x, y| {
        let (p, q) = cmp(t, x, y);
        let not_p = t.not(p);
        (t.ite(not_p, t.yes(), q), t.implies(p, q))
    });
}

#[test]
fn sums_and_comparisons_meet_in_one_form() {
    same(|t, x, y| {
        let (one, two) = (t.bv(32, 1), t.bv(32, 2));
        let left = t.bv_add(x, one);
        let right = t.bv_add(y, one);
        (t.bv_add(left, right), {
            let sum = t.bv_add(y, x);
            t.bv_add(sum, two)
        })
    });
    same(|t, x, y| {
        let sum = t.bv_add(x, y);
        (t.bv_sub(sum, y), x)
    });
    same(|t, x, _| {
        let (five, four) = (t.bv(32, 5), t.bv(32, 4));
        (t.bv_slt(x, five), t.bv_sle(x, four))
    });
    same(|t, x, _| {
        let (five, four) = (t.bv(32, 5), t.bv(32, 4));
        let le = t.bv_sle(x, four);
        (t.bv_sle(five, x), t.not(le))
    });
    same(|t, x, _| {
        let zero = t.bv(32, 0);
        (t.bv_ule(x, zero), t.eq(x, zero))
    });
    same(|t, x, y| {
        let (one, three) = (t.bv(32, 1), t.bv(32, 3));
        let (a, b) = (t.bv_add(x, one), t.bv_add(y, three));
        let two = t.bv(32, 2);
        let right = t.bv_add(y, two);
        (t.eq(a, b), t.eq(x, right))
    });
}

#[test]
fn what_c_makes_of_comparisons_folds_back() {
    // (int)(x <= y) != 0
    same(|t, x, y| {
        let (zero, one) = (t.bv(32, 0), t.bv(32, 1));
        let le = t.bv_sle(x, y);
        let int = t.ite(le, one, zero);
        let is_zero = t.eq(int, zero);
        (t.not(is_zero), le)
    });
    // (long)(x <= y) == 1
    same(|t, x, y| {
        let (zero, one) = (t.bv(32, 0), t.bv(32, 1));
        let le = t.bv_sle(x, y);
        let int = t.ite(le, one, zero);
        let long = t.sign_ext(int, 32);
        let long_one = t.bv(64, 1);
        (t.eq(long, long_one), le)
    });
    // !(x <= y) < 1
    same(|t, x, y| {
        let (zero, one) = (t.bv(32, 0), t.bv(32, 1));
        let le = t.bv_sle(x, y);
        let int = t.ite(le, zero, one);
        (t.bv_slt(int, one), le)
    });
}

#[test]
fn widths() {
    same(|t, x, _| {
        let long = t.sign_ext(x, 32);
        (t.extract(long, 31, 0), x)
    });
    same(|t, x, _| {
        let (high, low) = (t.extract(x, 31, 16), t.extract(x, 15, 0));
        (t.concat(high, low), x)
    });
    same(|t, x, _| {
        let long = t.zero_ext(x, 32);
        let minus = t.bv(64, u128::MAX);
        (t.bv_sle(long, minus), t.no())
    });
    same(|t, x, _| {
        let byte = t.extract(x, 7, 0);
        let int = t.zero_ext(byte, 24);
        let (big, bound, five) = (t.bv(32, 255), t.bv(8, 5), t.bv(32, 5));
        assert_eq!(t.bv_sle(int, big), t.yes());
        (t.bv_sle(int, five), t.bv_ule(byte, bound))
    });
}

#[test]
fn arrays() {
    let mut t = Terms::new();
    let a = t.declare("a", Sort::Array { index: 32, elem: Elem::BitVec(8) }, false);
    let i = t.declare("i", Sort::BitVec(32), true);
    let (a, i, v, w) = (t.var(a, 0), t.var(i, 0), t.bv(8, 1), t.bv(8, 2));
    let one = t.bv(32, 1);
    let next = t.bv_add(i, one);
    let stored = t.store(a, i, v);
    let stored = t.store(stored, next, w);
    assert_eq!(t.select(stored, i), v);
    assert_eq!(t.select(stored, next), w);
    let other = t.select(stored, one);
    assert_eq!(t.op(other), Op::Select);
    let back = t.select(a, i);
    assert_eq!(t.store(a, i, back), a);
}

#[test]
fn indices_of_two_parts() {
    let mut t = Terms::new();
    let a = t.declare("a", Sort::Array { index: 64, elem: Elem::BitVec(8) }, false);
    let i = t.declare("i", Sort::BitVec(32), true);
    let (a, i, v, w) = (t.var(a, 0), t.var(i, 0), t.bv(8, 1), t.bv(8, 2));
    let (two, three) = (t.bv(32, 2), t.bv(32, 3));
    let (at_two, at_three, anywhere) = (t.concat(two, i), t.concat(three, i), t.concat(i, two));
    let constant = t.concat(two, three);
    let stored = t.store(a, at_two, v);
    let stored = t.store(stored, at_three, w);
    assert_eq!(t.select(stored, at_two), v);
    let below = t.store(a, at_two, v);
    let read = t.select(stored, constant);
    assert_eq!(read, t.select(below, constant));
    assert_eq!(t.op(read), Op::Select);
    let unsure = t.select(stored, anywhere);
    assert_eq!(t.args(unsure)[0], stored);
}

#[test]
fn floats_fold_like_the_machine() {
    let mut t = Terms::new();
    let (a, b) = (t.float(FloatSort::F32, 0.1), t.float(FloatSort::F32, 0.2));
    let sum = t.float_op(Op::FpAdd, &[a, b]);
    assert_eq!(t.show(sum), format!("{:?}", f64::from(0.1f32 + 0.2f32)));
    let nan = t.float(FloatSort::F32, f64::NAN);
    assert_eq!(t.float_op(Op::FpEq, &[nan, nan]), t.no());
    assert_eq!(t.eq(nan, nan), t.yes());
    let int = t.float_op(Op::FpToSigned(32), &[nan]);
    assert!(t.value(int).is_none());
}

#[test]
fn a_long_conjunction_is_built_in_linear_time() {
    let mut t = Terms::new();
    let x = t.declare("x", Sort::BitVec(32), true);
    let mut formula = t.yes();
    for i in 1..20_000 {
        let (a, b) = (t.var(x, i), t.var(x, i + 1));
        let edge = t.bv_sle(a, b);
        formula = t.and2(formula, edge);
    }
    assert_eq!(t.conjuncts(formula).len(), 19_999);
    assert!(t.len() < 100_000);
}

#[test]
fn arrays_of_constants_have_one_form() {
    let mut t = Terms::new();
    let a = t.declare("a", Sort::Array { index: 32, elem: Elem::BitVec(8) }, false);
    let (a, zero, one, two) = (t.var(a, 0), t.bv(8, 0), t.bv(8, 1), t.bv(8, 2));
    let empty = t.const_array(32, zero);
    let stores = |t: &mut Terms, array: TermId, all: &[(u128, TermId)]| {
        all.iter().fold(array, |array, (index, value)| {
            let index = t.bv(32, *index);
            t.store(array, index, *value)
        })
    };
    let same: [&[(u128, TermId)]; 3] = [
        &[(1, one), (7, two)],
        &[(7, two), (1, one), (3, zero)],
        &[(7, one), (1, two), (7, two), (3, one), (1, one), (3, zero)],
    ];
    let forms = same.map(|all| {
        let array = stores(&mut t, empty, all);
        t.closed_array(array)
    });
    assert!(forms.iter().all(|form| *form == forms[0] && form.is_some_and(|form| t.is_closed_array(form))));
    let unsorted = stores(&mut t, empty, same[1]);
    let open = stores(&mut t, a, same[0]);
    assert!(!t.is_closed_array(unsorted) && !t.is_closed_array(open));
    assert_eq!(t.closed_array(open), None);
}
