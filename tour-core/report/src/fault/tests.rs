//! `[FAULT]`'s examples, line by line, and the search of the closest run against one that looks at all runs.

use super::case::Case;
use super::closest::{Success, Successful};
use super::differences::differences;
use super::run::{counts, execute};
use super::*;
use expect_test::{Expect, expect};
use tour_c::LoadOptions;
use tour_c::front::Input as File;
use tour_engine::analysis::prepare;
use tour_evidence::verdict::InputOrigin;
use tour_interp::interp::{Fixed, Image, Outcome};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::{DataModel, Rule};

const DECLS: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
void __VERIFIER_assert(int cond) { if (!cond) { __VERIFIER_error(); } }
";

/// The program of Listing 1.1, with the fault in line 10.
fn minmax() -> String {
    let text = include_str!("../../../../tests/faults/minmax.c").lines();
    let text: Vec<&str> = text.filter(|line| !line.trim_start().starts_with("//?")).collect();
    text.join("\n").replace("least = input2;", "most = input2;")
}

/// The running example of Figure 5.1, numbered as in Figure 6.2, with the fault in line 34.
const FOO: &str = r#"# 27 "foo.c"
int foo (int i, int j) {
  int result;
  int k = 0;
  if (i <= j) {
    k = k+1;
  }
  if (k == 1 && i != j) {
    result = i-j;
  }
  else {
    result = i-j;
  }
  __VERIFIER_assert( (i<j && result==j-i) || (i>=j && result==i-j));
}
int main() {
  foo(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
  return 0;
}
"#;

fn load(text: &str) -> Prepared {
    let whole = text.contains("void __VERIFIER_assert(");
    let text = if whole { text.to_owned() } else { format!("{DECLS}{text}") };
    let program = tour_c::load(&[File::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
    Prepared::new(program.unwrap_or_else(|error| panic!("{error}")))
}

fn run_with(image: &Image, inputs: &[i32]) -> (Outcome, Run) {
    let bits: Vec<u128> = inputs.iter().map(|&x| u128::from(x as u32)).collect();
    execute(image, Box::new(Fixed::new(bits)), 10_000)
}

fn violation(program: &Prepared, inputs: &[i32]) -> Violation {
    let (outcome, run) = run_with(&Image::new(program), inputs);
    let Outcome::Error(check) = outcome else { panic!("{inputs:?} should fail, but {outcome:?}") };
    Violation { check, analysis: "test", inputs: run.inputs, trace: run.steps }
}

fn success(case: &mut Case, inputs: &[i32]) -> Option<Success> {
    let (outcome, mut run) = run_with(&case.image, inputs);
    let path = case.unrolled.follow(&mut case.engine.blocks.unfolding, &run.steps)?;
    let check = case.path.points.get(case.statement.first);
    run.cut = path.points.iter().position(|p| Some(p) == check).unwrap_or(run.steps.len());
    matches!(outcome, Outcome::Exited(_)).then_some(Success { run, path })
}

fn listed(differences: &[Difference]) -> String {
    differences.iter().map(|d| format!("{d}\n")).collect()
}

#[track_caller]
fn check(text: &str, inputs: &[i32], technique: &str, expected: Expect) {
    let program = load(text);
    let options = Options { techniques: vec![technique.into()], ..Options::default() };
    let found = localise(&program, &violation(&program, inputs), &Context::default(), &options);
    assert_eq!(found.failed, []);
    expected.assert_eq(&(found.findings[0].differences.join("\n") + "\n"));
}

#[test]
fn minmax_is_explained_as_in_figure_1_1() {
    for technique in ["adm", "pg"] {
        check(
            &minmax(),
            &[1, 0, 2],
            technique,
            expect![[r#"
                line 9 was least > input2, changed to !(least > input2)
                line 10, deleted: most = input2
            "#]],
        );
    }
}

#[test]
fn the_hints_of_figure_5_5() {
    // The figure's own successful run is another one; its hints follow from the two runs.
    let program = load(&minmax());
    let violation = violation(&program, &[1, 0, 2]);
    let mut case = Case::new(&program, &violation, &Context::default(), &Options::default()).expect("a case");
    let success = success(&mut case, &[1, 2, 0]).expect("a success");
    expect![[r#"
        line 5 was !(most < input2), changed to most < input2
        line 7 was most < input3, changed to !(most < input3)
        line 9 was least > input2, changed to !(least > input2)
        line 11 was !(least > input3), changed to least > input3
        line 8, deleted: most = input3
        line 10, deleted: most = input2
        line 6, executed only in the successful run: most = input2
        line 12, executed only in the successful run: least = input3
    "#]]
    .assert_eq(&listed(&differences(&case, &success)));
}

#[test]
fn the_running_example_is_explained_as_in_figure_6_2() {
    for technique in ["adm", "cfdm", "pg"] {
        check(
            FOO,
            &[1, 2],
            technique,
            expect![[r#"
                line 33 was i != j, changed to !(i != j)
                line 34, deleted: result = i-j
                line 37, executed only in the successful run: result = i-j
            "#]],
        );
    }
}

/// Edges before the check that count.
fn edges(program: &Program, run: &Run) -> Vec<EdgeId> {
    run.before_check().iter().map(|s| s.edge).filter(|&e| counts(program, e)).collect()
}

/// The decisions of the failing run that another run makes otherwise.
fn events(case: &Case, success: &Success) -> Vec<usize> {
    let decided = |i: &usize| {
        let at = success.path.points.iter().position(|p| *p == case.path.points[*i]);
        at.is_some_and(|j| j < success.run.cut && success.run.steps[j].edge != case.run.steps[*i].edge)
    };
    case.decisions().into_iter().filter(decided).collect()
}

/// All inputs of a small range.
fn all_inputs(n: usize) -> Vec<Vec<i32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all.into_iter().flat_map(|v| (-2..=2).map(move |x| [&v[..], &[x]].concat())).collect();
    }
    all
}

/// Finds the closest runs by the solver, and compares them with the best of all runs.
#[track_caller]
fn against_all_runs(text: &str, inputs: &[i32]) {
    let program = load(text);
    let violation = violation(&program, inputs);
    // Predicates are left out: which values the solver takes on the same way would matter.
    let options = Options { weight_predicate: 0, ..Options::default() };
    let mut case = Case::new(&program, &violation, &Context::default(), &options).expect("a case");
    let mut runs = Successful::new(&mut case).expect("successful runs");
    let (distance, closest) = runs.by_distance(&mut case).expect("a closest run");
    let by_flow = runs.by_decisions(&mut case).expect("an answer").expect("a run");
    let generated = runs.by_generation(&mut case).expect("an answer").expect("a run");
    let failing = edges(&program, &case.run);
    let of = |run: &Run| 2 * distance::unaligned(&failing, &edges(&program, run)) as u64;
    for equally_close in &closest {
        assert_eq!(of(&equally_close.run), distance, "as the formulas say");
    }
    let first = |events: &[usize]| events.first().copied();
    let own = events(&case, &by_flow);
    for inputs in all_inputs(inputs.len()) {
        let Some(other) = success(&mut case, &inputs) else { continue };
        let others = events(&case, &other);
        if others.is_empty() {
            continue;
        }
        assert!(distance <= of(&other.run), "{inputs:?} is closer");
        assert!(!distance::is_closer(&others, &own), "{inputs:?} is closer: {others:?}, not {own:?}");
        assert!(first(&others) <= first(&events(&case, &generated)), "{inputs:?} leaves the run later");
    }
}

#[test]
fn the_closest_runs_are_the_closest_of_all() {
    against_all_runs(&minmax(), &[1, 0, 2]);
    against_all_runs(&minmax(), &[1, 0, 1]);
    against_all_runs(FOO, &[1, 2]);
    against_all_runs(
        "int main() {
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), s = 0;
            if (a > 0) { s = s + 1; if (b > 0) s = s + 2; else s = s - 1; } else { s = b; }
            if (b > 1) s = 0;
            __VERIFIER_assert(s > 0);
        }",
        &[1, 0],
    );
}

#[test]
fn the_closest_run_keeps_the_inputs_that_do_not_matter() {
    let program = load(
        "int main() {
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int(), s = b ^ c;
            if (a > 5) s = 0;
            __VERIFIER_assert(s != 0);
        }",
    );
    let violation = violation(&program, &[9, 1234, -77]);
    let mut case = Case::new(&program, &violation, &Context::default(), &Options::default()).expect("a case");
    let mut runs = Successful::new(&mut case).expect("successful runs");
    let (_, closest) = runs.by_distance(&mut case).expect("a closest run");
    let given = closest[0].run.inputs.iter().filter(|input| input.origin == InputOrigin::Nondet);
    let inputs: Vec<i32> = given.map(|input| input.bits as u32 as i32).collect();
    assert!(matches!(inputs[..], [a, 1234, -77] if a <= 5), "{inputs:?}");
}

#[test]
fn loops_are_aligned_by_their_rounds() {
    // One round less is one body less.
    check(
        "# 1 \"loop.c\"
int main() {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n < 5);
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s + 1;
  __VERIFIER_assert(s < 3);
}",
        &[3],
        "adm",
        expect![[r#"
            line 5 was i < n, changed to !(i < n)
            line 6, deleted: s = s + 1
            line 5, deleted: i++
            line 5, deleted: !(i < n)
        "#]],
    );
}

fn suspects(program: &Prepared, violation: &Violation, technique: &str) -> Vec<u32> {
    let options = Options { techniques: vec![technique.into()], ..Options::default() };
    let found = localise(program, violation, &Context::default(), &options);
    assert_eq!(found.failed, []);
    found.findings[0].suspects.iter().map(|s| s.line.line).collect()
}

#[test]
fn formulas_blame_what_the_failure_needs() {
    let program = load(FOO);
    let violation = violation(&program, &[1, 2]);
    // Another result in line 34 would do; another decision in line 33 would not.
    assert_eq!(suspects(&program, &violation, "mcs")[0], 34);
    let needed = suspects(&program, &violation, "invariants");
    assert_eq!(needed[0], 34);
    assert!(!needed.contains(&37), "{needed:?}");
}

#[test]
fn a_repair_is_shown() {
    let program = load(FOO);
    let violation = violation(&program, &[1, 2]);
    let found = localise(&program, &violation, &Context::default(), &Options::default());
    let first = &found.suspects[0];
    assert_eq!(first.line.line, 34);
    let repair = first.reasons.iter().find(|r| r.starts_with("repair"));
    assert_eq!(
        repair.map(String::as_str),
        Some("repair: with `result = j - i` the check holds in every run around the failing one")
    );
}

#[test]
fn undefined_behaviour_has_suspects_too() {
    let program = load(
        "# 1 \"bounds.c\"
int main() {
  int a[4];
  int n = __VERIFIER_nondet_int();
  int last = n;
  if (n > 4)
    last = 3;
  if (last < 0)
    last = 0;
  a[last] = 1;
  return 0;
}",
    );
    let program = prepare(Program::clone(&program), &[Rule::OutOfBounds]);
    let violation = violation(&program, &[4]);
    let found = localise(&program, &violation, &Context::default(), &Options::default());
    let lines: Vec<u32> = found.suspects.iter().map(|s| s.line.line).collect();
    assert!(lines[..3].contains(&5), "{lines:?}: {:#?}", found.suspects);
}

#[test]
fn a_run_that_decides_nothing_is_no_reason_to_fail() {
    let program =
        load("int main() { int x = __VERIFIER_nondet_int(); x = x + 1; __VERIFIER_assert(x != 1); }");
    let violation = violation(&program, &[0]);
    let found = localise(&program, &violation, &Context::default(), &Options::default());
    assert!(found.failed.iter().any(|(technique, _)| technique == "adm"), "{:?}", found.failed);
    assert!(!found.suspects.is_empty());
    assert!(found.findings.iter().all(|f| !f.suspects.iter().any(|s| !s.score.is_finite())));
}

#[test]
fn the_same_violation_has_the_same_suspects() {
    let program = load(&minmax());
    let violation = violation(&program, &[1, 0, 2]);
    let once = || {
        let found = localise(&program, &violation, &Context::default(), &Options::default());
        serde_json::to_string(&found).expect("JSON")
    };
    assert_eq!(once(), once());
}

/// Half a million successful paths cost about what a few do: the solver never looks at one after the other.
#[test]
fn many_successful_paths_cost_what_few_do() {
    let steps = |decisions: usize| {
        let mut text = "# 1 \"paths.c\"\nint main() { int sum = 0;\n".to_owned();
        for i in 0..decisions {
            let more = if i == 1 { 100 } else { 1 };
            text += &format!("if (__VERIFIER_nondet_int() > {i})\nsum = sum + {more};\n");
        }
        let program = load(&(text + "__VERIFIER_assert(sum <= 50); }"));
        let violation = violation(&program, &vec![20; decisions]);
        let mut case =
            Case::new(&program, &violation, &Context::default(), &Options::default()).expect("a case");
        let before = case.engine.smt.spent();
        for technique in ["adm", "cfdm", "pg"] {
            let all = techniques();
            let technique = all.iter().find(|t| t.id() == technique).expect("a technique");
            case.renew_budget();
            let found = technique.locate(&mut case).expect("a finding");
            let lines: Vec<u32> = found.suspects.iter().map(|s| s.line.line).collect();
            assert!(lines.contains(&4) && lines.contains(&5), "{:?}", found.differences);
        }
        case.engine.smt.spent() - before
    };
    let (few, many) = (steps(3), steps(20));
    // 4 and 524,288 paths, 131,072 times as many.
    assert!(many < 400 * few, "{few} steps of the solver, then {many}");
}
