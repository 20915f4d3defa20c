//! The solver against our own semantics: models satisfy, simplification preserves, interpolants interpolate.

use super::*;
use crate::term::random::{Rng, draw, equations};
use crate::term::{Elem, Op, Reads, Sort, Value};
use std::thread;
use tour_ir::limits::StopReason;

fn z3() -> Z3 {
    Z3::new(QueryLimits::default(), Interrupt::new())
}

/// An 8-bit variable.
fn byte(t: &mut Terms, name: &str, index: u32) -> TermId {
    let base = t.declare(name, Sort::BitVec(8), false);
    t.var(base, index)
}

/// A formula over elements of arrays.
fn about_elements(t: &mut Terms, rng: &mut Rng) -> TermId {
    let elem = Sort::BitVec(8);
    let array = Sort::Array { index: 3, elem: elem.as_elem().expect("an element") };
    let facts: Vec<TermId> = (0..2 + rng.below(4))
        .map(|_| {
            let of = draw(t, rng, array, 3).raw;
            let index = draw(t, rng, Sort::BitVec(3), 1).raw;
            let element = t.build(Op::Select, &[of, index]);
            let other = draw(t, rng, elem, 1).raw;
            t.build(Op::Eq, &[element, other])
        })
        .collect();
    t.and(&facts)
}

#[test]
fn a_formula_without_arrays_is_satisfiable_if_and_only_if_it_was() {
    let mut rng = Rng(3);
    let mut t = Terms::new();
    let z3 = Z3::new(QueryLimits { steps: Some(200_000) }, Interrupt::new());
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..1000 {
        let formula = about_elements(&mut t, &mut rng);
        let parts = t.postorder(&[formula]);
        if parts.iter().any(|part| matches!(t.sort(*part), Sort::Float(_) | Sort::Int)) {
            continue;
        }
        let (mut reads, mut bits) = (Reads::default(), z3.solver(Purpose::Feasibility));
        let Some(without) = reads.without_arrays(&mut t, formula) else { continue };
        let without = reads.with_names(&mut t, without);
        for fact in reads.take_facts() {
            bits.assert(&t, fact);
        }
        match (z3.check(&t, formula, Purpose::Feasibility), bits.check(&t, &[without])) {
            (SatResult::Unsat, SatResult::Unsat) => unsat += 1,
            (SatResult::Sat, SatResult::Sat) => {
                let mut model = bits.model(&t).unwrap();
                reads.complete(&t, &mut model);
                assert_ne!(t.holds(formula, &model), Some(false), "{}", t.show(formula));
                sat += 1;
            }
            (SatResult::Unknown(_), _) | (_, SatResult::Unknown(_)) => {}
            (with, without) => panic!("{with:?}, {without:?}: {}", t.show(formula)),
        }
    }
    assert!(sat > 50 && unsat > 20, "{sat} {unsat}");
}

#[test]
fn z3_agrees_with_simplification_and_with_evaluation() {
    let mut rng = Rng(7);
    let mut t = Terms::new();
    let z3 = Z3::new(QueryLimits { steps: Some(10_000) }, Interrupt::new());
    let (mut sat, mut equal) = (0, 0);
    for round in 0..150 {
        let pair = draw(&mut t, &mut rng, Sort::Bool, 2 + round % 3);
        let mut solver = z3.solver(Purpose::Certificate);
        let same = t.eq(pair.simple, pair.raw);
        let differ = t.not(same);
        match solver.check(&t, &[differ]) {
            SatResult::Unsat => equal += 1,
            // Integers may be too hard, and unspecified results are no fault.
            SatResult::Unknown(_) => {}
            SatResult::Sat => {
                let model = solver.model(&t).unwrap();
                assert_eq!(t.eval(differ, &model), None, "{}\n{}", t.show(pair.raw), t.show(pair.simple));
            }
        }
        if solver.check(&t, &[pair.raw]) == SatResult::Sat {
            let model = solver.model(&t).unwrap();
            assert_ne!(t.holds(pair.raw, &model), Some(false), "{}\n{model:?}", t.show(pair.raw));
            sat += 1;
        }
    }
    assert!(sat > 60 && equal > 90, "{sat} {equal}");
}

#[test]
fn scopes_and_assumptions() {
    let mut t = Terms::new();
    let z3 = z3();
    let (x, y) = (byte(&mut t, "x", 1), byte(&mut t, "y", 1));
    let (le, ge, same) = (t.bv_ule(x, y), t.bv_ule(y, x), t.eq(x, y));
    let differ = t.not(same);
    let mut solver = z3.solver(Purpose::Abstraction);
    solver.assert(&t, le);
    solver.push();
    solver.assert(&t, differ);
    assert_eq!(solver.check(&t, &[]), SatResult::Sat);
    let three = t.bv(8, 3);
    let other = t.bv_ule(x, three);
    assert_eq!(solver.check(&t, &[other, ge]), SatResult::Unsat);
    // A core need not be minimal, but it has to have what matters.
    assert!(solver.unsat_core(&t).contains(&ge));
    // Again, from the cache.
    assert_eq!(solver.check(&t, &[ge, other]), SatResult::Unsat);
    assert!(solver.unsat_core(&t).contains(&ge));
    solver.pop();
    assert_eq!(solver.check(&t, &[ge]), SatResult::Sat);
    let model = solver.model(&t).unwrap();
    assert_eq!(t.holds(same, &model), Some(true));
    assert_eq!(solver.check(&t, &[ge]), SatResult::Sat);
    assert_eq!(solver.model(&t), Ok(model));
    assert_eq!(solver.check(&t, &[t.no()]), SatResult::Unsat);
    let tally = z3.stats().of(Purpose::Abstraction);
    assert_eq!((tally.queries, tally.cached), (6, 3));
}

#[test]
fn single_questions() {
    let mut t = Terms::new();
    let z3 = z3();
    let (x, y) = (byte(&mut t, "x", 1), byte(&mut t, "y", 1));
    let lt = t.bv_ult(x, y);
    let gt = t.bv_ult(y, x);
    let both = t.and2(lt, gt);
    assert_eq!(z3.check(&t, both, Purpose::Coverage), SatResult::Unsat);
    assert_eq!(z3.check(&t, lt, Purpose::Coverage), SatResult::Sat);
    let model = z3.find_model(&t, lt, Purpose::Feasibility).unwrap().unwrap();
    assert_eq!(t.holds(lt, &model), Some(true));
    assert_eq!(z3.find_model(&t, both, Purpose::Feasibility), Ok(None));
}

#[test]
fn models_of_arrays_and_floats() {
    let mut t = Terms::new();
    let z3 = z3();
    let a = t.declare("a", Sort::Array { index: 32, elem: Elem::BitVec(8) }, false);
    let (a, i) = (t.var(a, 1), t.declare("i", Sort::BitVec(32), true));
    let i = t.var(i, 1);
    let (seven, nine, five) = (t.bv(8, 7), t.bv(8, 9), t.bv(32, 5));
    let (at_i, at_5) = (t.select(a, i), t.select(a, five));
    let f = t.declare("f", Sort::Float(crate::term::FloatSort::F32), true);
    let (f, tenth) = (t.var(f, 1), t.float(crate::term::FloatSort::F32, 0.1));
    let parts = [t.eq(at_i, seven), t.eq(at_5, nine), t.float_op(Op::FpLt, &[tenth, f])];
    let formula = t.and(&parts);
    let model = z3.find_model(&t, formula, Purpose::Feasibility).unwrap().unwrap();
    assert_eq!(t.holds(formula, &model), Some(true), "{model:?}");
    assert!(matches!(model.get(t.as_symbol(a).unwrap()), Some(Value::Array(_))));
}

/// A 64-bit factorisation: far too hard.
fn hard(t: &mut Terms) -> TermId {
    let (p, q) = (t.declare("p", Sort::BitVec(64), false), t.declare("q", Sort::BitVec(64), false));
    let (p, q) = (t.var(p, 1), t.var(q, 1));
    let (p2, q2) = (t.zero_ext(p, 64), t.zero_ext(q, 64));
    let product = t.bv_mul(p2, q2);
    let (n, one) = (t.bv(128, 18446744073709551557 * 18446744073709551533), t.bv(64, 1));
    let parts = [t.eq(product, n), t.bv_ult(one, p), t.bv_ult(one, q)];
    t.and(&parts)
}

#[test]
fn a_query_stops_at_its_limit() {
    let mut t = Terms::new();
    let z3 = Z3::new(QueryLimits { steps: Some(100_000) }, Interrupt::new());
    let formula = hard(&mut t);
    assert_eq!(z3.check(&t, formula, Purpose::Feasibility), SatResult::Unknown(Unknown::Limit));
    assert_eq!(z3.stats().of(Purpose::Feasibility).unknown, 1);
    // The next one has a limit of its own.
    assert_eq!(z3.check(&t, t.yes(), Purpose::Feasibility), SatResult::Sat);
}

#[test]
fn a_query_can_be_interrupted() {
    let mut t = Terms::new();
    let interrupt = Interrupt::new();
    let z3 = Z3::new(QueryLimits::default(), interrupt.clone());
    let formula = hard(&mut t);
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        interrupt.stop(StopReason::Timeout);
    });
    let start = Instant::now();
    let stopped = Unknown::Stopped(StopReason::Timeout);
    assert_eq!(z3.check(&t, formula, Purpose::Feasibility), SatResult::Unknown(stopped.clone()));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(z3.check(&t, formula, Purpose::Feasibility), SatResult::Unknown(stopped));
    other.join().unwrap();
}

#[test]
fn two_arenas_do_not_mix() {
    let (mut t, mut u) = (Terms::new(), Terms::new());
    let z3 = z3();
    let (x, y) = (byte(&mut t, "x", 1), byte(&mut u, "y", 1));
    let (one, zero) = (t.bv(8, 1), u.bv(8, 0));
    let (a, b) = (t.eq(x, one), u.eq(y, zero));
    assert_eq!(z3.check(&t, a, Purpose::Coverage), SatResult::Sat);
    let mut solver = z3.solver(Purpose::Coverage);
    assert!(matches!(solver.check(&u, &[b, u.yes()]), SatResult::Unknown(Unknown::Error(_))));
}

/// `formulas` is unsatisfiable; the interpolants have to be what they promise.
fn check_interpolants(t: &mut Terms, formulas: &[TermId]) -> Vec<String> {
    let z3 = z3();
    let interpolants = z3.interpolate(t, formulas, QueryLimits::default()).unwrap().unwrap();
    assert_eq!(interpolants.len(), formulas.len() - 1);
    for (k, &formula) in formulas.iter().enumerate() {
        let before = if k == 0 { t.yes() } else { interpolants[k - 1] };
        let after = interpolants.get(k).copied().unwrap_or(t.no());
        let not_after = t.not(after);
        let step = t.and(&[before, formula, not_after]);
        assert_eq!(z3.check(t, step, Purpose::Certificate), SatResult::Unsat, "step {k}");
        if k > 0 {
            let symbols = |t: &Terms, f: &[TermId]| -> std::collections::BTreeSet<Symbol> {
                f.iter().flat_map(|&f| t.free_symbols(f)).collect()
            };
            let (left, right) = (symbols(t, &formulas[..k]), symbols(t, &formulas[k..]));
            let own = t.free_symbols(before);
            assert!(own.iter().all(|s| left.contains(s) && right.contains(s)), "{}", t.show(before));
        }
    }
    interpolants.iter().map(|&i| t.show(i)).collect()
}

/// `x = 0; y = 0; x++; y++; x++; y++; assume x != y`, over bit-vectors or integers.
fn counting(t: &mut Terms, sort: Sort) -> Vec<TermId> {
    let (x, y) = (t.declare("x", sort, true), t.declare("y", sort, true));
    let number = |t: &mut Terms, n| match sort {
        Sort::Int => t.int(n),
        _ => t.bv(32, n as u128),
    };
    let add = |t: &mut Terms, a, b| match sort {
        Sort::Int => t.int_add(a, b),
        _ => t.bv_add(a, b),
    };
    let (zero, one) = (number(t, 0), number(t, 1));
    let mut formulas = Vec::new();
    let (x1, y1) = (t.var(x, 1), t.var(y, 1));
    let start = [t.eq(x1, zero), t.eq(y1, zero)];
    formulas.push(t.and(&start));
    for i in 1..3 {
        let (xi, yi) = (t.var(x, i), t.var(y, i));
        let (xn, yn) = (t.var(x, i + 1), t.var(y, i + 1));
        let (x_next, y_next) = (add(t, xi, one), add(t, yi, one));
        let step = [t.eq(xn, x_next), t.eq(yn, y_next)];
        formulas.push(t.and(&step));
    }
    let (x3, y3) = (t.var(x, 3), t.var(y, 3));
    let same = t.eq(x3, y3);
    formulas.push(t.not(same));
    formulas
}

#[test]
fn interpolants_of_integers_and_bit_vectors() {
    for sort in [Sort::Int, Sort::BitVec(32)] {
        let mut t = Terms::new();
        let formulas = counting(&mut t, sort);
        let shown = check_interpolants(&mut t, &formulas);
        assert_eq!(shown.len(), 3);
    }
}

#[test]
fn interpolants_need_an_unsatisfiable_conjunction() {
    let mut t = Terms::new();
    let (x, y, three) = (byte(&mut t, "x", 1), byte(&mut t, "y", 1), t.bv(8, 3));
    let formulas = [t.eq(x, three), t.bv_ule(x, y)];
    assert_eq!(z3().interpolate(&mut t, &formulas, QueryLimits::default()), Ok(None));
}

#[test]
fn interpolants_without_shared_symbols() {
    let mut t = Terms::new();
    let (x, y) = (byte(&mut t, "x", 1), byte(&mut t, "y", 1));
    let (lt, gt) = (t.bv_ult(x, y), t.bv_ult(y, x));
    let no = t.and2(lt, gt);
    let z = byte(&mut t, "z", 1);
    let three = t.bv(8, 3);
    let other = t.eq(z, three);
    assert_eq!(check_interpolants(&mut t, &[no, other]), ["false"]);
    assert_eq!(check_interpolants(&mut t, &[other, no]), ["true"]);
}

#[test]
fn projection_implies_the_quantified_formula() {
    let z3 = z3();
    let mut t = Terms::new();
    for sort in [Sort::Int, Sort::BitVec(32)] {
        let (x, y) = (t.declare("x", sort, true), t.declare("y", sort, true));
        let (x1, y1) = (t.var(x, 1), t.var(y, 1));
        let (limit, sum, le) = match sort {
            Sort::Int => {
                let (limit, one) = (t.int(10), t.int(1));
                let sum = t.int_add(y1, one);
                (limit, sum, Op::IntLe)
            }
            _ => {
                let (limit, one) = (t.bv(32, 10), t.bv(32, 1));
                let sum = t.bv_add(y1, one);
                (limit, sum, Op::BvSle)
            }
        };
        let parts = [t.eq(x1, sum), t.build(le, &[x1, limit])];
        let formula = t.and(&parts);
        let model = z3.find_model(&t, formula, Purpose::Refinement).unwrap().unwrap();
        let away = t.as_symbol(x1).unwrap();
        let projected = z3.project(&mut t, formula, &[away], &model).unwrap();
        assert!(!t.free_symbols(projected).contains(&away), "{}", t.show(projected));
        assert_eq!(t.holds(projected, &model), Some(true), "{}", t.show(projected));
        // With x1 = y1 + 1 there is just one witness, so it can be put in.
        let mut memo = Default::default();
        let witness = t.substitute(formula, &mut memo, |_, term| (term == x1).then_some(sum));
        let not_witness = t.not(witness);
        let wrong = t.and2(projected, not_witness);
        assert_eq!(z3.check(&t, wrong, Purpose::Refinement), SatResult::Unsat);
    }
}

#[test]
fn interpolation_stops_at_its_limit_and_leaves_the_next_question_alone() {
    let z3 = z3();
    let mut t = Terms::new();
    let formulas = counting(&mut t, Sort::BitVec(32));
    for steps in [100, 3_000, 20_000] {
        let found = z3.interpolate(&mut t, &formulas, QueryLimits { steps: Some(steps) });
        assert!(matches!(found, Err(Unknown::Limit) | Ok(Some(_))), "{steps}: {found:?}");
        let formula = t.and(&formulas[..2]);
        assert_eq!(z3.check(&t, formula, Purpose::Refinement), SatResult::Sat, "after {steps} steps");
        assert!(z3.find_model(&t, formula, Purpose::Refinement).unwrap().is_some());
    }
    assert!(matches!(z3.interpolate(&mut t, &formulas, QueryLimits::default()), Ok(Some(_))));
}

/// An array that is read at two places, with different values: Z3 4.8.12 ends the process where it projects it.
fn read_twice(t: &mut Terms) -> (TermId, Symbol) {
    let sort = Sort::Array { index: 32, elem: Elem::BitVec(8) };
    let (a, i, j) = (
        t.declare("a", sort, false),
        t.declare("i", Sort::BitVec(32), false),
        t.declare("j", Sort::BitVec(32), false),
    );
    let (v, w) = (byte(t, "v", 0), byte(t, "w", 0));
    let (a, i, j) = (t.var(a, 0), t.var(i, 0), t.var(j, 0));
    let (at_i, at_j) = (t.select(a, i), t.select(a, j));
    let (is_v, is_w, same) = (t.eq(at_i, v), t.eq(at_j, w), t.eq(v, w));
    let differ = t.not(same);
    (t.and(&[is_v, is_w, differ]), t.as_symbol(a).unwrap())
}

#[test]
fn arrays_are_projected_by_a_version_that_can_and_refused_by_others() {
    let z3 = z3();
    let mut t = Terms::new();
    let (formula, array) = read_twice(&mut t);
    let model = z3.find_model(&t, formula, Purpose::Refinement).unwrap().unwrap();
    match z3.project(&mut t, formula, &[array], &model) {
        Ok(projected) => {
            assert!(Ability::ArrayProjection.is_in(version::linked()));
            assert_eq!(t.holds(projected, &model), Some(true), "{}", t.show(projected));
            // There is an array if and only if the places differ where the values do.
            let [i, j] = ["i", "j"].map(|name| t.declare(name, Sort::BitVec(32), false));
            let (i, j, v, w) = (t.var(i, 0), t.var(j, 0), byte(&mut t, "v", 0), byte(&mut t, "w", 0));
            let (same_place, same_value) = (t.eq(i, j), t.eq(v, w));
            let none = t.or(&[same_place, same_value]);
            let wrong = t.and2(projected, none);
            assert_eq!(z3.check(&t, wrong, Purpose::Refinement), SatResult::Unsat, "{}", t.show(projected));
        }
        Err(why) => {
            assert!(!Ability::ArrayProjection.is_in(version::linked()), "{why}");
            assert!(why.to_string().contains("projections of arrays"), "{why}");
        }
    }
}

#[test]
fn interpolants_of_arrays_are_those_of_a_version_that_can_and_refused_by_others() {
    let mut t = Terms::new();
    let sort = Sort::Array { index: 32, elem: Elem::BitVec(8) };
    let (a, i) = (t.declare("a", sort, false), t.declare("i", Sort::BitVec(32), false));
    let (a0, a1, i0, three) = (t.var(a, 0), t.var(a, 1), t.var(i, 0), t.bv(8, 3));
    let written = t.store(a0, i0, three);
    let formulas = [t.eq(a1, written), {
        let read = t.select(a1, i0);
        let same = t.eq(read, three);
        t.not(same)
    }];
    match Ability::ArrayProjection.is_in(version::linked()) {
        true => assert_eq!(check_interpolants(&mut t, &formulas).len(), 1),
        false => {
            let found = z3().interpolate(&mut t, &formulas, QueryLimits::default());
            assert!(matches!(found, Err(Unknown::Incomplete(_))), "{found:?}");
        }
    }
}

/// What is left out of a formula makes no difference to the answer, and is there again in the model.
#[test]
fn the_cone_of_a_formula_is_as_good_as_the_formula() {
    let mut rng = Rng(7);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..300 {
        let t = &mut Terms::new();
        let formula = equations(t, &mut rng, 3);
        let question = equations(t, &mut rng, 1);
        let z3 = z3();
        let mut solver = z3.solver(Purpose::Feasibility);
        solver.assert(t, formula);
        let answers = [solver.check(t, &[]), solver.check(t, &[question])];
        if answers[1] == SatResult::Sat {
            let model = solver.model(t).unwrap();
            assert_eq!(t.holds(formula, &model), Some(true), "{}", t.show(formula));
            assert_eq!(t.holds(question, &model), Some(true), "{}", t.show(question));
            assert_eq!(solver.values(t, &[formula, question]).unwrap(), vec![Some(Value::Bool(true)); 2]);
        }
        // Nothing is left out of what comes after the first scope.
        let mut whole = z3.solver(Purpose::Feasibility);
        let anything = t.declare("anything", Sort::Bool, false);
        let anything = t.var(anything, 1);
        whole.assert(t, anything);
        whole.push();
        whole.assert(t, formula);
        assert_eq!(answers, [whole.check(t, &[]), whole.check(t, &[question])], "{}", t.show(formula));
        sat += usize::from(answers[1] == SatResult::Sat);
        unsat += usize::from(answers[1] == SatResult::Unsat);
    }
    assert!(sat > 50 && unsat > 10, "{sat} {unsat}");
}

/// A path that stores in two arrays, one step after the other: each step is one of several ways, as where runs meet. What
/// is spliced is given twice: as it is, and as stores.
fn stores(t: &mut Terms, rng: &mut Rng, steps: u32) -> [Vec<TermId>; 2] {
    let mut again = Rng(rng.0);
    [ways(t, rng, steps, true), ways(t, &mut again, steps, false)]
}

/// Up to three elements of an array are those of another, by stores.
fn spliced(
    t: &mut Terms,
    (array, other): (TermId, TermId),
    at: TermId,
    from: TermId,
    count: TermId,
) -> TermId {
    (0..3).fold(array, |array, k| {
        let k = t.bv(6, k);
        let (to, from, is_inside) = (t.bv_add(at, k), t.bv_add(from, k), t.bv_ult(k, count));
        let value = t.select(other, from);
        let stored = t.store(array, to, value);
        t.ite(is_inside, stored, array)
    })
}

fn ways(t: &mut Terms, rng: &mut Rng, steps: u32, splices: bool) -> Vec<TermId> {
    let array = Sort::Array { index: 6, elem: Elem::BitVec(1) };
    let [a, b] = ["a", "b"].map(|name| t.declare(name, array, false));
    // Few indices are equal to none of the others, but there are many more.
    let word = |t: &mut Terms, rng: &mut Rng, bits: u32| {
        let word = match rng.below(3) {
            0 => t.bv(bits, rng.below(8) as u128),
            _ => {
                let base = t.declare(["i", "j"][rng.below(2)], Sort::BitVec(bits), false);
                t.var(base, 1 + rng.below(2) as u32)
            }
        };
        if bits == 2 { t.zero_ext(word, 4) } else { word }
    };
    let mut formulas = Vec::new();
    for step in 0..steps {
        let ways: Vec<TermId> = (0..1 + rng.below(3))
            .map(|_| {
                let mut parts = Vec::new();
                for (base, other) in [(a, b), (b, a)] {
                    let (new, old, other) = (t.var(base, step + 1), t.var(base, step), t.var(other, step));
                    let (index, value) = (word(t, rng, 2), word(t, rng, 1));
                    let value = match rng.below(8) {
                        0 => other,
                        1 => t.const_array(6, value),
                        2 => {
                            let read = t.select(other, index);
                            t.store(old, index, read)
                        }
                        3 => old,
                        // On this way it can be anything.
                        4 => continue,
                        6 => {
                            let (from, count) = (word(t, rng, 2), word(t, rng, 2));
                            match splices {
                                true => t.splice(old, other, index, from, count),
                                false => spliced(t, (old, other), index, from, count),
                            }
                        }
                        _ => t.store(old, index, value),
                    };
                    parts.push(t.eq(new, value));
                }
                let (of, index, value) = (t.var(a, step), word(t, rng, 2), word(t, rng, 1));
                let read = t.select(of, index);
                parts.push(t.eq(read, value));
                t.and(&parts)
            })
            .collect();
        formulas.push(t.or(&ways));
    }
    let reads: Vec<TermId> = [a, b, a, b]
        .iter()
        .map(|base| {
            let (of, index, value) = (t.var(*base, steps), word(t, rng, 2), word(t, rng, 1));
            let read = t.select(of, index);
            t.eq(read, value)
        })
        .collect();
    formulas.push(t.and(&reads));
    formulas
}

/// What is asked of elements is answered as by a solver that knows arrays, in scopes and under assumptions too.
#[test]
fn elements_are_as_good_as_arrays() {
    let mut rng = Rng(11);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..120 {
        let t = &mut Terms::new();
        let steps = 1 + rng.below(5) as u32;
        let ([formulas, by_stores], [more, more_by_stores]) =
            (stores(t, &mut rng, steps), stores(t, &mut rng, 1));
        let (helped, bare) = (z3(), Z3::bare(Default::default(), QueryLimits::default(), Interrupt::new()));
        helped.shared.elements_first.set(true);
        let mut solvers = [helped.solver(Purpose::Feasibility), bare.solver(Purpose::Feasibility)];
        assert_eq!((formulas.len(), more.len()), (by_stores.len(), more_by_stores.len()));
        // A formula for each of them.
        let pairs: Vec<[TermId; 2]> = formulas.into_iter().zip(by_stores).map(|(a, b)| [a, b]).collect();
        let more: Vec<[TermId; 2]> = more.into_iter().zip(more_by_stores).map(|(a, b)| [a, b]).collect();
        let mut asserted: Vec<[TermId; 2]> = Vec::new();
        let assert = |t: &Terms, solvers: &mut [Box<dyn Solver>; 2], pair: [TermId; 2]| {
            solvers.iter_mut().zip(pair).for_each(|(solver, formula)| solver.assert(t, formula));
        };
        let mut ask = |t: &Terms,
                       solvers: &mut [Box<dyn Solver>; 2],
                       asserted: &[[TermId; 2]],
                       given: &[[TermId; 2]]| {
            let of = |which: usize| given.iter().map(|pair| pair[which]).collect::<Vec<TermId>>();
            let (a, b) = (solvers[0].check(t, &of(0)), solvers[1].check(t, &of(1)));
            let shown = || asserted.iter().chain(given).map(|[f, _]| t.show(*f)).collect::<Vec<_>>();
            if let SatResult::Unknown(_) = a {
                // Arrays are compared, and some are spliced.
                return;
            }
            assert_eq!(a, b, "round {round}: {:#?}", shown());
            if a == SatResult::Sat {
                let model = solvers[0].model(t).unwrap();
                for [formula, _] in asserted.iter().chain(given) {
                    assert_eq!(
                        t.holds(*formula, &model),
                        Some(true),
                        "{} in {:#?}",
                        t.show(*formula),
                        shown()
                    );
                }
                sat += 1;
            } else {
                let core = solvers[0].unsat_core(t);
                let core: Vec<TermId> = given.iter().filter(|g| core.contains(&g[0])).map(|g| g[1]).collect();
                assert_eq!(solvers[1].check(t, &core), SatResult::Unsat, "{:#?}", shown());
                unsat += 1;
            }
        };
        let (question, paths) = pairs.split_last().expect("a question");
        for &path in paths {
            assert(t, &mut solvers, path);
            asserted.push(path);
        }
        ask(t, &mut solvers, &asserted, &[*question]);
        solvers.iter_mut().for_each(|solver| solver.push());
        assert(t, &mut solvers, *question);
        asserted.push(*question);
        ask(t, &mut solvers, &asserted, &[]);
        ask(t, &mut solvers, &asserted, &[more[1]]);
        solvers.iter_mut().for_each(|solver| solver.push());
        assert(t, &mut solvers, more[0]);
        asserted.push(more[0]);
        ask(t, &mut solvers, &asserted, &[more[1]]);
        solvers.iter_mut().for_each(|solver| solver.pop());
        solvers.iter_mut().for_each(|solver| solver.pop());
        asserted.truncate(paths.len());
        ask(t, &mut solvers, &asserted, &[more[1]]);
    }
    assert!(sat > 250 && unsat > 15, "{sat} {unsat}");
}

#[test]
fn a_splice_is_an_array_of_any_contents() {
    let mut t = Terms::new();
    let array = Sort::Array { index: 8, elem: Elem::BitVec(8) };
    let [a, b] = ["a", "b"].map(|name| t.declare(name, array, false)).map(|base| t.var(base, 1));
    let [at, from, count, i] = ["at", "from", "count", "i"].map(|name| byte(&mut t, name, 1));
    let spliced = t.splice(a, b, at, from, count);
    let [element, before] = [spliced, a].map(|of| t.select(of, i));
    let (seven, zero) = (t.bv(8, 7), t.bv(8, 0));
    let [is_seven, was_seven] = [element, before].map(|element| t.eq(element, seven));
    let (none, not_seven, was_not) = (t.eq(count, zero), t.not(is_seven), t.not(was_seven));
    // Z3 alone, which does not know what elements of it are.
    let z3 = Z3::bare(SolverLimits::default(), QueryLimits::default(), Interrupt::new());
    let ask = |formulas: &[TermId], purpose: Purpose| {
        let mut solver = z3.solver(purpose);
        formulas.iter().for_each(|formula| solver.assert(&t, *formula));
        solver.check(&t, &[])
    };
    let unknown = |answer: SatResult| matches!(answer, SatResult::Unknown(Unknown::Incomplete(_)));
    // An array has one element at a place, whatever its contents are.
    assert_eq!(ask(&[is_seven, not_seven], Purpose::Feasibility), SatResult::Unsat);
    // There may be a model or not: that is good enough for an abstraction only, and no answer that anybody else is given.
    let never = [is_seven, none, was_not];
    for _ in 0..2 {
        assert_eq!(ask(&never, Purpose::Abstraction), SatResult::Sat);
        assert!(unknown(ask(&never, Purpose::Feasibility)));
        assert!(unknown(ask(&[is_seven], Purpose::Certificate)));
    }
    // What is asked without it is certain, before and after.
    let mut solver = z3.solver(Purpose::Feasibility);
    solver.assert(&t, was_seven);
    assert_eq!(solver.check(&t, &[]), SatResult::Sat);
    solver.push();
    solver.assert(&t, is_seven);
    assert!(unknown(solver.check(&t, &[])));
    solver.pop();
    assert_eq!(solver.check(&t, &[none]), SatResult::Sat);
    assert!(unknown(solver.check(&t, &[none, is_seven])));
}
