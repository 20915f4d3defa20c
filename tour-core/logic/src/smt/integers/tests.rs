//! The integers say what the words say.

use super::*;
use crate::term::Sort;
use crate::term::random::{Rng, draw};

#[test]
fn the_same_values_give_the_same_truth() {
    let mut rng = Rng(11);
    let mut t = Terms::new();
    let mut exact = 0;
    for round in 0..3000 {
        let formula = draw(&mut t, &mut rng, Sort::Bool, 2 + round % 3).simple;
        let mut translation = Translation::default();
        let question = translation.question(&t, &[formula]);
        if !translation.is_exact() {
            continue;
        }
        exact += 1;
        for _ in 0..10 {
            let mut values = Assignment::default();
            for symbol in t.free_symbols(formula) {
                if let Sort::BitVec(bits) = t.base(symbol.base).sort {
                    values.set(symbol, Value::bv(bits, rng.bits(bits)));
                }
            }
            let expect = t.holds(formula, &values);
            assert_eq!(
                translation.holds(question.formulas[0], &values, &t),
                expect,
                "{}\n{values:?}",
                t.show(formula)
            );
            for fact in &question.facts {
                assert_eq!(translation.holds(*fact, &values, &t), Some(true));
            }
        }
    }
    assert!(exact > 500, "{exact}");
}

fn answer(t: &Terms, formulas: &[TermId]) -> Result<Answer, Unknown> {
    Integers::new(Default::default(), Interrupt::new()).check(
        t,
        &[],
        formulas,
        QueryLimits { steps: Some(1_000_000) },
    )
}

#[test]
fn sums_of_wide_words() {
    let mut t = Terms::new();
    let [i, j, k, n] = ["i", "j", "k", "n"].map(|name| t.declare(name, Sort::BitVec(32), true));
    let [i, j, k, n] = [i, j, k, n].map(|base| t.var(base, 1));
    let zero = t.bv(32, 0);
    let sum = t.bv_add(j, k);
    let all = [t.eq(i, sum), t.bv_sle(n, i), t.bv_sle(zero, j), t.bv_slt(j, n)];
    let wrong = t.bv_sle(k, zero);
    let seven = t.bv(32, 7);
    let other = t.bv_sle(n, seven);
    let Ok(Answer::Unsat(core)) = answer(&t, &[all[0], all[1], other, all[2], all[3], wrong]) else {
        panic!("there is no such k")
    };
    assert_eq!(core, [all[0], all[1], all[2], all[3], wrong]);
    // Without the bound of j, the sum may wrap around.
    assert!(matches!(answer(&t, &[all[0], all[1], all[3], wrong]), Ok(Answer::Sat(_))));
}

#[test]
fn what_is_not_known_is_not_satisfiable_without_proof() {
    let mut t = Terms::new();
    let [x, y] = ["x", "y"].map(|name| t.declare(name, Sort::BitVec(16), false));
    let [x, y] = [x, y].map(|base| t.var(base, 1));
    let product = t.bv_mul(x, y);
    let three = t.bv(16, 3);
    let odd = t.eq(product, three);
    let [low, zero] = [t.extract(x, 0, 0), t.bv(1, 0)];
    let even = t.eq(low, zero);
    // There is no such product, which the integers do not know.
    assert!(answer(&t, &[odd, even]).is_err());
}

/// Formulas about what is read from arrays: the integers know nothing that the words do not say.
#[test]
fn what_is_read_from_arrays() {
    let mut rng = Rng(5);
    let mut t = Terms::new();
    let elem = crate::term::Elem::BitVec(8);
    let [a, b] = ["a", "b"].map(|name| t.declare(name, Sort::Array { index: 80, elem }, false));
    let [x, y] = ["x", "y"].map(|name| t.declare(name, Sort::BitVec(40), false));
    let p = t.declare("p", Sort::Bool, false);
    let ([a, b], [x, y], p) = ([a, b].map(|v| t.var(v, 1)), [x, y].map(|v| t.var(v, 1)), t.var(p, 1));
    let mut unsat = 0;
    for _ in 0..400 {
        let (one, two) = (t.bv(40, 1), t.bv(40, 2));
        let next = t.bv_add(x, one);
        let numbers = [x, y, next, one, two];
        let index = |t: &mut Terms, rng: &mut Rng| {
            let [high, low] = [(); 2].map(|()| numbers[rng.bits(16) as usize % numbers.len()]);
            t.concat(high, low)
        };
        let (first, second) = (index(&mut t, &mut rng), index(&mut t, &mut rng));
        let [old, new] = [t.select(a, first), t.bv(8, rng.bits(2))];
        let stored = t.store(a, second, if rng.bits(1) == 0 { old } else { new });
        let either = t.ite(p, stored, b);
        let mut formulas = Vec::new();
        for _ in 0..5 {
            let arrays = [a, b, stored, either];
            let array = arrays[rng.bits(2) as usize];
            let at = index(&mut t, &mut rng);
            let (read, other) = (t.select(array, at), t.select(a, second));
            let value = if rng.bits(1) == 0 { other } else { t.bv(8, rng.bits(1)) };
            let same = t.eq(read, value);
            formulas.push(if rng.bits(1) == 0 { same } else { t.not(same) });
        }
        if let Ok(Answer::Unsat(_)) = answer(&t, &formulas) {
            unsat += 1;
            let z3 = Z3::bare(Default::default(), QueryLimits::default(), Interrupt::new());
            let mut solver = z3.solver(Purpose::Feasibility);
            assert_eq!(solver.check(&t, &formulas), SatResult::Unsat);
        }
    }
    assert!(unsat > 10, "{unsat}");
}
