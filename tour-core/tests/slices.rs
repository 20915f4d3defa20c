//! Slices change no verdict, and what a check costs follows what it depends on, not the program around it.

use tour_core::LoadOptions;
use tour_core::analysis::{Kind, Options, prepare, verify_with};
use tour_core::budget::Budget;
use tour_core::context::Context;
use tour_core::evidence::Certificate;
use tour_core::front::Input;
use tour_core::prepared::Prepared;
use tour_core::program::{DataModel, Rule};
use tour_core::slice::{Branches, Slice};
use tour_core::verdict::{Proof, UnknownReason, Verdict};

fn load(text: &str) -> Prepared {
    let options = LoadOptions::new(DataModel::Ilp32);
    let program =
        tour_core::load(&[Input::text("a.i", text)], &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    prepare(program, &Rule::STATED)
}

fn run(program: &Prepared, analysis: Kind, slice: bool, steps: u64) -> Verdict {
    let context = Context { budget: Budget::fixed(steps), ..Context::default() };
    verify_with(program, &context, &Options { analysis, slice, ..Options::default() })
}

/// How many of these programs have a slice that is smaller, and how many are decided with and without it.
fn compare(generate: fn(u64) -> String, seeds: std::ops::Range<u64>) -> (usize, usize) {
    const STEPS: u64 = 300_000;
    let (mut smaller, mut compared) = (0, 0);
    for seed in seeds {
        let text = generate(seed);
        let program = load(&text);
        let slice = Slice::of(&program, Branches::Full).expect("one thread");
        smaller += usize::from(slice.after < slice.before);
        for analysis in [Kind::PRODUCT, Kind::BMC] {
            let [whole, sliced] = [false, true].map(|slice| run(&program, analysis, slice, STEPS));
            for verdict in [&whole, &sliced] {
                if let Verdict::Unknown(UnknownReason::Internal(why)) = verdict {
                    panic!("{seed} {analysis}: {why}\n{text}");
                }
            }
            if whole.is_decided() && sliced.is_decided() {
                compared += 1;
                assert_eq!(whole.to_string(), sliced.to_string(), "{seed} {analysis}\n{text}");
            }
        }
    }
    (smaller, compared)
}

#[test]
fn slices_change_no_verdict() {
    let (smaller, compared) = compare(cgen::calls, 0..24);
    assert!(smaller >= 8 && compared >= 20, "{smaller} {compared}");
}

#[test]
fn slices_of_programs_about_memory_change_no_verdict() {
    let (smaller, compared) = compare(cgen::heap, 0..24);
    assert!(smaller >= 20 && compared >= 20, "{smaller} {compared}");
}

/// More of them: `cargo test --release -p tour-core --test slices -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn many_programs_agree() {
    for generate in [cgen::calls, cgen::heap] {
        let (smaller, compared) = compare(generate, 1000..3000);
        assert!(smaller > 800 && compared > 1500, "{smaller} {compared}");
    }
}

/// A driver of a number of functions that compute something, and five around a lock.
fn driver(functions: usize) -> String {
    let mut text = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void);\n\
                    struct device { int size, at, left; char name[16]; } device; int held;\n\
                    void acquire(void) { if (held) __VERIFIER_error(); held = 1; }\n\
                    void release(void) { if (!held) __VERIFIER_error(); held = 0; }\n\
                    int work0(struct device *d, int x) { return d->at + x; }\n"
        .to_owned();
    for i in 1..functions {
        text += &format!(
            "int work{i}(struct device *d, int x) {{ int sum = 0; for (int k = 0; k < x; k++) {{ sum += d->size * k; \
             d->at = sum; d->name[k & 15] = sum; }} if (sum > {i}) return work{}(d, x - 1); return sum; }}\n",
            i - 1
        );
    }
    let last = functions - 1;
    text += &format!(
        "int device_read(struct device *d) {{ acquire(); int n = work{last}(d, 9); release(); return n; }}\n\
         void device_open(struct device *d) {{ acquire(); d->size = work{last}(d, 3); release(); }}\n\
         int main(void) {{ device_open(&device); while (__VERIFIER_nondet_int()) device_read(&device);\n\
         acquire(); release(); return 0; }}\n"
    );
    text
}

#[test]
fn a_check_costs_what_it_depends_on() {
    const STEPS: u64 = 100_000;
    let mut sizes = Vec::new();
    for functions in [10, 100, 1_000] {
        let program = load(&driver(functions));
        let slice = Slice::of(&program, Branches::Full).expect("one thread");
        assert!(slice.before > 10 * functions);
        sizes.push(slice.after);
        let verdict = run(&program, Kind::PRODUCT, true, STEPS);
        let Verdict::Proved(Proof { certificate: Certificate::Slice { .. }, .. }) = verdict else {
            panic!("{functions} functions: {verdict}")
        };
    }
    assert_eq!(sizes[0], sizes[1]);
    assert_eq!(sizes[1], sizes[2]);
}

#[test]
fn what_is_not_modelled_counts_where_something_depends_on_it() {
    let text = "extern void __VERIFIER_error(void); int x, y; long double z;\n\
                void show(void) { long double a = z; z = a * a; }\n\
                int main(void) { show(); y = 3; if (x) __VERIFIER_error(); return 0; }";
    let program = load(text);
    assert_eq!(run(&program, Kind::PRODUCT, true, 100_000).to_string(), "SAFE");
    let related = load(&text.replace("if (x)", "if (z > 2)"));
    assert!(!run(&related, Kind::PRODUCT, true, 100_000).is_decided());
}

#[test]
fn a_violation_is_one_of_the_whole_program() {
    // The loop that is cut needs inputs of its own to end, and the condition in front of the error is one on other data.
    let text = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void); int noise;\n\
                int main(void) { int n = __VERIFIER_nondet_int(); int k = __VERIFIER_nondet_int();\n\
                while (__VERIFIER_nondet_int() != 1) noise = noise * 3 + k;\n\
                if (n == 7777) { if (noise == -1) return 0; __VERIFIER_error(); } return 0; }";
    for analysis in [Kind::PRODUCT, Kind::BMC] {
        let program = load(text);
        let Verdict::Violated(violation) = run(&program, analysis, true, 1_000_000) else {
            panic!("{analysis} finds it")
        };
        assert!(violation.inputs.iter().any(|input| input.bits == 7777));
        // The steps are those of the whole program.
        let loops =
            program.cfa.edges.iter_enumerated().filter(|(_, e)| program.show_op(&e.op).contains("noise"));
        let loops: Vec<_> = loops.map(|(id, _)| id).collect();
        assert!(violation.trace.iter().any(|step| loops.contains(&step.edge)));
    }
    // No run gets there: the slice has one, but the program has none.
    let none = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void); int noise;\n\
                int main(void) { int n = __VERIFIER_nondet_int(); while (1) noise++; if (n == 3) __VERIFIER_error(); }";
    assert!(!matches!(run(&load(none), Kind::PRODUCT, true, 1_000_000), Verdict::Violated(_)));
}

#[test]
fn whether_pointers_are_equal_hangs_on_what_is_alive() {
    // Both blocks may lie in the same place.
    let text = "extern void __VERIFIER_error(void); int main(void) { int *p, *q; { int x = 1; p = &x; }\n\
                { int y = 2; q = &y; } if (p == q) __VERIFIER_error(); return 0; }";
    for analysis in [Kind::PRODUCT, Kind::BMC, Kind::K_INDUCTION] {
        assert!(!matches!(run(&load(text), analysis, true, 300_000), Verdict::Proved(_)), "{analysis}");
    }
}

#[test]
fn bounds_are_proved_without_what_is_stored() {
    let text = "void *malloc(__SIZE_TYPE__); int __VERIFIER_nondet_int(void);\n\
                void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }\n\
                int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 100000) return 0;\n\
                int *a = malloc(n * sizeof(int)); fill(a, n); return 0; }";
    let options = LoadOptions::new(DataModel::Ilp32);
    let program = tour_core::load(&[Input::text("a.i", text)], &options).expect("a program");
    let program = prepare(program, &[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree]);
    for slice in [true, false] {
        assert_eq!(run(&program, Kind::K_INDUCTION, slice, 3_000_000).to_string(), "SAFE", "slice: {slice}");
    }
}
