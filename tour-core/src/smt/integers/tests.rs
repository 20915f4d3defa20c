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
                t.smtlib(formula)
            );
            for range in &question.ranges {
                assert_eq!(translation.holds(*range, &values, &t), Some(true));
            }
        }
    }
    assert!(exact > 500, "{exact}");
}

fn answer(t: &Terms, formulas: &[TermId]) -> Result<Answer, Unknown> {
    Integers::new(Interrupt::new()).check(t, &[], formulas, QueryLimits { steps: Some(1_000_000) })
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
