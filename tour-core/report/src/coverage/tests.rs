//! `[COVERAGE]`'s examples: figures 5.2, 5.3 and 5.5.

use super::*;
use tour_c::front::Input;
use tour_c::load::{LoadOptions, load};
use tour_engine::analysis::{Kind, Options, prepare_with, verify_with};
use tour_engine::context::{Context, Watch};
use tour_evidence::verdict::Verdict;
use tour_ir::budget::Budget;
use tour_ir::prepared::Prepared;
use tour_ir::program::{DataModel, Rule};

/// Sorts a long array; the helper is never called (Appendix A.1).
const BUBBLE_SORT: &str = r#"extern void reach_error(void);
int main(void) {
    int a[100000];
    for (int k = 0; k < 100000; k++) {
        a[k] = 100000 - k;
    }
    int swapped = 1;
    while (swapped) {
        swapped = 0;
        for (int i = 1; i < 100000; i++) {
            if (a[i - 1] > a[i]) {
                int t = a[i];
                a[i] = a[i - 1];
                a[i - 1] = t;
                swapped = 1;
            }
        }
    }
    for (int x = 0; x < 99999; x++) {
        if (a[x] > a[x + 1]) {
            reach_error();
        }
    }
    return 0;
}
int swap(int a[], int i) {
    int t = a[i];
    a[i] = a[i - 1];
    a[i - 1] = t;
    return 0;
}
"#;

/// Nothing is known of `j` (Appendix A.2).
const UNKNOWN_BRANCH: &str = r#"extern void reach_error(void);
int main(void) {
    int i = 0;
    int j;
    for (int k = 0; k < 100; k++) {
        i++;
    }
    if (i == 100) {
        i = 0;
    }
    if (i == j) {
        return 0;
    }
    for (; i <= 100; i++) {
        if (i == 100) {
            reach_error();
        } else {
            j = 10;
        }
    }
    return 0;
}
"#;

/// Two threads run the same function, each its own copy of it.
const THREADS: &str = r#"typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void reach_error(void);
int x = 0;
static int next(int v) {
    int w = v + 1;
    if (w == 7) {
        w = 8;
    }
    return w;
}
void *worker(void *arg) {
    int local = x;
    x = next(local);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x > 2) {
        reach_error();
    }
    return 0;
}
"#;

/// A function that is called three times, twice alike.
const CALLS: &str = r#"extern void reach_error(void);
int up(int n) {
    int m = n + 1;
    if (n > 90) {
        m = 0;
    }
    return m;
}
int main(void) {
    int a = up(1);
    int b = up(1);
    int c = up(a);
    if (a + b + c != 7) {
        reach_error();
    }
    return 0;
}
"#;

/// Runs an analysis with a number of steps of the solver.
fn run(text: &str, options: Options, budget: Budget) -> (Coverage, Verdict) {
    let program = load(&[Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64)).unwrap();
    let program = Prepared::new(program);
    let collector = Collector::new(&program, Settings::default());
    let context = Context { watch: Watch::new(collector.clone()), budget, ..Context::default() };
    let verdict = verify_with(&program, &context, &options);
    (collector.coverage(&program, &verdict.clone().into()), verdict)
}

fn with(analysis: Kind) -> Options {
    Options { analysis, slice: false, ..Options::default() }
}

fn lines(coverage: &Coverage, state: LineState) -> Vec<u32> {
    coverage.files[0].lines.iter().filter(|line| line.state == state).map(|line| line.line).collect()
}

fn value(coverage: &Coverage, id: &str) -> (usize, usize) {
    let measure = coverage.measure(id).unwrap();
    (measure.covered, measure.total)
}

#[test]
fn an_unused_function_is_not_covered() {
    let (coverage, verdict) = run(BUBBLE_SORT, with(Kind::PREDICATE), Budget::fixed(300_000));
    assert_eq!(verdict.to_string(), "UNKNOWN (no analysis could decide)");
    let swap = coverage.files[0].functions.iter().find(|f| f.name == "swap").unwrap();
    assert_eq!((swap.line, swap.visits), (26, 0));
    assert_eq!(lines(&coverage, LineState::Unvisited), [27, 28, 29, 30]);
}

/// Figure 5.2: the last loop was visited before refinement took its states back.
#[test]
fn a_region_is_considered_but_not_reached_when_stopped_early() {
    let (coverage, _) = run(BUBBLE_SORT, with(Kind::PREDICATE), Budget::fixed(300_000));
    let (considered, reached) =
        (lines(&coverage, LineState::Considered), lines(&coverage, LineState::Reached));
    // How far it got hangs on the solver.
    assert!(considered.ends_with(&[20, 24]), "{considered:?}");
    assert!(reached.starts_with(&[3, 4, 5, 7, 8, 9, 10]), "{reached:?}");
    assert!(reached.iter().all(|line| *line < 20 && !considered.contains(line)), "{reached:?}");
}

/// Figure 5.3: everything is visited, but behind `i == j` nothing is considered, since no predicate speaks of `j`.
#[test]
fn behind_a_branch_that_nothing_is_known_of_nothing_is_considered() {
    let (coverage, _) = run(UNKNOWN_BRANCH, with(Kind::PREDICATE), Budget::fixed(400_000));
    assert_eq!(value(&coverage, "visited-lines"), (12, 12));
    assert_eq!(value(&coverage, "visited-variables"), (3, 3));
    assert_eq!(value(&coverage, "abstraction-variables"), (2, 3));
    assert_eq!(value(&coverage, "considered-locations"), (11, 19));
    let visited = coverage.locations.iter().filter(|l| l.state != LineState::Unvisited).count();
    assert_eq!(visited, 19);
    let j = coverage.variables.iter().find(|v| v.name == "j").unwrap();
    assert_eq!(j.covered, ["visited-variables"]);
}

/// Figure 5.5: `b` is declared and never used.
#[test]
fn an_unused_variable_is_visited_but_no_state_speaks_of_it() {
    let text = "extern void reach_error(void);
int main(void) {
    int i = 0;
    int a = 0;
    int b = 1;
    while (1) {
        if (i == 20) {
            goto END;
        }
        i++;
        a++;
        if (i != a) {
            reach_error();
        }
    }
END:
    if (a != 20) {
        reach_error();
    }
    return 0;
}
";
    let (coverage, verdict) = run(text, with(Kind::PREDICATE), Budget::default());
    assert_eq!(verdict.to_string(), "SAFE");
    let covered = |name: &str| &coverage.variables.iter().find(|v| v.name == name).unwrap().covered;
    assert_eq!(*covered("b"), ["visited-variables"]);
    assert_eq!(*covered("a"), ["visited-variables", "abstraction-variables"]);
    assert_eq!(coverage.checks_that_are(CheckStatus::Proved), 2);
}

#[test]
fn every_measure_grows_and_stays_between_0_and_1() {
    for kind in [Kind::AUTO, Kind::PREDICATE, Kind::VALUE, Kind::PRODUCT, Kind::BMC, Kind::K_INDUCTION] {
        let (coverage, _) = run(UNKNOWN_BRANCH, with(kind), Budget::fixed(100_000));
        assert_eq!(coverage.measures.len(), coverage.series.counts.len());
        for (measure, counts) in coverage.measures.iter().zip(&coverage.series.counts) {
            assert!((0.0..=1.0).contains(&measure.value), "{measure:?}");
            assert!(counts.is_sorted(), "{kind:?}: {} {counts:?}", measure.id);
            assert_eq!(counts.last(), Some(&measure.covered), "{kind:?}: {}", measure.id);
        }
        assert!(coverage.measures[0].value > 0.3, "{kind:?}: {:?}", coverage.measures[0]);
    }
}

#[test]
fn files_for_other_tools() {
    let text = "extern void reach_error(void);
int unused(void) { return 1; }
int main(void) {
    int x = 1;
    if (x > 1) { reach_error(); }
    return 0;
}
";
    let (coverage, _) = run(text, with(Kind::VALUE), Budget::default());
    let lcov = "TN:\nSF:a.c\nFN:2,unused\nFN:3,main\nFNDA:0,unused\nFNDA:1,main\nFNF:2\nFNH:1\n\
                DA:2,0\nDA:4,1\nDA:5,1\nDA:6,1\nLF:4\nLH:3\nend_of_record\n";
    assert_eq!(export::lcov(&coverage), lcov);
    let xml = export::cobertura(&coverage, 0);
    assert!(xml.contains("line-rate=\"0.7500\"") && xml.contains("<line number=\"2\" hits=\"0\"/>"), "{xml}");
    let json = serde_json::to_string(&coverage).unwrap();
    assert_eq!(serde_json::from_str::<Coverage>(&json).unwrap(), coverage);
    let gate = |id, at_least| delta::Gate { id, at_least }.failed(&coverage);
    assert_eq!(gate("visited-lines", 75.0), None);
    assert_eq!(gate("visited-lines", 76.0), Some(75.0));
    assert_eq!(gate("checks", 100.0), None);
    assert!(delta::changes(&coverage, &coverage).iter().all(|change| change.before == change.now));
}

#[test]
fn mutants_are_small_faults() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int y = 7;
    if (n < 0) { n = 0; }
    if (n < 0) { reach_error(); }
    return y;
}
";
    let program = load(&[Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64)).unwrap();
    let shown: Vec<(String, String)> = mutation::mutants(&program)
        .iter()
        .map(|mutant| {
            let verdict = tour_engine::analysis::verify(
                &tour_ir::prepared::Prepared::new(mutant.apply(&program)),
                &Context::default(),
            );
            (mutant.describe.clone(), verdict.to_string())
        })
        .collect();
    let shown: Vec<String> = shown.iter().map(|(what, verdict)| format!("{what}: {verdict}")).collect();
    let expect = [
        "`7` becomes `8`: SAFE",
        "`y = 7` is left out: SAFE",
        "`n < 0` becomes `n <= 0`: SAFE",
        "`0` becomes `1`: SAFE",
        "`0` becomes `1`: SAFE",
        "`n = 0` is left out: UNSAFE",
    ];
    assert_eq!(shown, expect);
}

/// Lines and variables are those of the text, however many threads have copies of them.
#[test]
fn threads_cover_what_their_copies_do() {
    let program = load(&[Input::text("a.c", THREADS)], &LoadOptions::new(DataModel::Lp64)).unwrap();
    let program = prepare_with(program, &[Rule::UnreachCall], 2);
    let collector = Collector::new(&program, Settings { graph: true, ..Settings::default() });
    let context = Context { watch: Watch::new(collector.clone()), ..Context::default() };
    let verdict = verify_with(&program, &context, &with(Kind::PRODUCT));
    assert_eq!(verdict.to_string(), "SAFE");
    let coverage = collector.coverage(&program, &verdict.into());
    // No run comes to the assignment; what refinement has taken back is not reached any more.
    assert_eq!(lines(&coverage, LineState::Considered), [9], "{:?}", coverage.files[0].lines);
    assert_eq!(value(&coverage, "visited-lines"), (14, 14));
    assert_eq!(value(&coverage, "visited-variables"), (5, 5));
    let functions: Vec<&str> = coverage.files[0].functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(functions, ["next", "worker", "main"]);
    assert_eq!(coverage.checks_that_are(CheckStatus::Proved), 1);
    assert!(coverage.phases.iter().any(|phase| phase.expanded > 0));
    assert!(!collector.graph().is_empty());
}

/// What a sub-analysis that is used again has covered was covered when it was made.
#[test]
fn memoised_functions_are_covered() {
    let (coverage, verdict) = run(CALLS, with(Kind::BAM), Budget::fixed(1_000_000));
    assert_eq!(verdict.to_string(), "SAFE");
    assert_eq!(lines(&coverage, LineState::Unvisited), [0u32; 0], "{:?}", coverage.files[0].lines);
    assert_eq!(value(&coverage, "visited-variables"), (4, 4));
    let considered = value(&coverage, "considered-locations");
    assert!(considered.0 > 0 && considered.0 <= considered.1, "{considered:?}");
    let up = coverage.files[0].functions.iter().find(|f| f.name == "up").unwrap();
    assert!(up.visits > 0);
    assert_eq!(coverage.checks_that_are(CheckStatus::Proved), 1);
}
