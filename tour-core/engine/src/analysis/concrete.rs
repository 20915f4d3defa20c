//! A short bug hunt: the program is executed with a few inputs.
//!
//! A program that asks for no input has one run, unless the language leaves something open that the run depends on: if
//! it ends without an error, it is a proof. Otherwise inputs of zero and pseudo-random ones are tried. All bounds are numbers of steps and runs, not times, so that the same
//! program always gets the same answer.

use super::Analysis;
use super::edges::emit_edges;
use crate::confirm::{Recorder, steps};
use crate::context::Context;
use crate::heuristics::HuntLimits;
use index_vec::IndexVec;
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict, Violation};
use tour_interp::interp::{
    Image, Inputs, Layout, Observer, Options, Outcome, Random, Request, Trace, Unobserved, Why, Write, Zeros,
};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::Builtin;

/// The analysis; without bounds, with those of the first runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete(pub Option<RunBounds>);

/// How many runs there are, and how long they are.
#[derive(Clone, Copy, Debug)]
pub struct RunBounds {
    /// Steps of all runs together.
    pub total_steps: u64,
    /// Steps of one run.
    pub run_steps: u64,
    /// How many runs there are.
    pub runs: u64,
}

impl RunBounds {
    /// Those of the first runs.
    pub fn first(limits: &HuntLimits) -> RunBounds {
        let HuntLimits { first_total_steps, first_run_steps, first_runs, .. } = *limits;
        RunBounds { total_steps: first_total_steps, run_steps: first_run_steps, runs: first_runs }
    }

    /// Those of the long runs after a round, if there are any.
    pub fn long_after(limits: &HuntLimits, round: u64) -> Option<RunBounds> {
        let total_steps = limits.long_steps_after(round)?;
        Some(RunBounds {
            total_steps,
            run_steps: total_steps / limits.long_runs_share,
            runs: limits.long_runs,
        })
    }
}

impl Analysis for Concrete {
    fn name(&self) -> &'static str {
        "concrete"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let images = Layout::ALL.map(|layout| Image::of(program).with_layout(layout));
        let [image, ..] = &images;
        let mut seen =
            context.watch.is_on().then(|| Seen(index_vec::index_vec![false; program.cfa.edges.len()]));
        let limits = &context.heuristics.hunt;
        let bounds = self.0.unwrap_or_else(|| RunBounds::first(limits));
        let mut left = bounds.total_steps;
        let mut runs = 0u64;
        let only = image.run(&mut Closed, &limits.run_options(bounds.total_steps / 2), &mut Only(&mut seen));
        left = left.saturating_sub(only.steps.max(1));
        runs += 1;
        let mut attempt = |image: &Image, inputs: &mut dyn Inputs, bound: u64| {
            let options = limits.run_options(bound.min(left));
            let run = match &mut seen {
                Some(seen) => image.run(inputs, &options, seen),
                None => image.run(inputs, &options, &mut Unobserved),
            };
            left = left.saturating_sub(run.steps.max(1));
            runs += 1;
            (run.outcome, left)
        };
        let mut verdict = Verdict::Unknown(UnknownReason::Inconclusive);
        if let Outcome::Exited(_) | Outcome::Ended | Outcome::AssumeFailed(_) = only.outcome
            && !may_run_out(program)
        {
            let certificate = Certificate::SingleRun { steps: bounds.total_steps };
            verdict = Verdict::Proved(Proof { analysis: self.name(), certificate });
        } else {
            for seed in 0..bounds.runs {
                let image = &images[seed as usize % images.len()];
                let (outcome, left) = attempt(image, &mut *strategy(seed), bounds.run_steps);
                if let Outcome::Error(_) = outcome {
                    verdict = self.violation(image, seed, &limits.run_options(bounds.run_steps));
                    break;
                }
                if left == 0 || context.interrupt.reason().is_some() {
                    break;
                }
            }
        }
        if let Some(Seen(edges)) = seen {
            let executed = edges.iter_enumerated().filter(|(_, seen)| **seen).map(|(edge, _)| edge);
            emit_edges(program, &context.watch, executed);
        }
        context.stats.set("concrete-runs", runs);
        context.stats.set("concrete-steps", bounds.total_steps - left);
        verdict
    }
}

/// The edges that were executed.
struct Seen(IndexVec<EdgeId, bool>);

impl Observer for Seen {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.0[edge] = true;
    }

    fn write(&mut self, _: Write) {}
}

/// The same, of a run that must be the only one.
struct Only<'a>(&'a mut Option<Seen>);

impl Observer for Only<'_> {
    const WRITES: bool = false;
    const PORTABLE: bool = true;

    fn edge(&mut self, edge: EdgeId, depth: u32) {
        if let Some(seen) = self.0 {
            seen.edge(edge, depth);
        }
    }

    fn write(&mut self, _: Write) {}
}

/// An allocation may fail: that is up to the machine.
fn may_run_out(program: &Prepared) -> bool {
    program.functions.iter().any(|f| match f.builtin {
        Some(Builtin::Malloc | Builtin::Calloc | Builtin::Realloc) => f.body.is_none(),
        _ => false,
    })
}

impl Concrete {
    /// Executes the run that found the error once more, with everything recorded.
    fn violation(&self, image: &Image, seed: u64, options: &Options) -> Verdict {
        let mut recorder = Recorder::new(strategy(seed));
        let mut trace = Trace::default();
        let run = image.run(&mut recorder, options, &mut trace);
        match run.outcome {
            Outcome::Error(check) => Verdict::Violated(Box::new(Violation {
                check,
                analysis: self.name(),
                inputs: recorder.taken,
                trace: steps(image.program(), &trace),
            })),
            other => {
                let why = format!("a run that found an error did not find it again: {other:?}");
                Verdict::Unknown(UnknownReason::Internal(why))
            }
        }
    }
}

/// Inputs of a run: all zero first; then pseudo-random ones, mostly with zero for what is indeterminate, since few
/// bugs hang on that and nobody can give it to a program.
fn strategy(seed: u64) -> Box<dyn Inputs> {
    match seed {
        0 => Box::new(Zeros),
        _ => Box::new(Tamed { random: Random::new(seed), declared: seed.is_multiple_of(4) }),
    }
}

/// Pseudo-random inputs. Declared variables without a value get one too, if asked for; memory that was never written
/// is always zero: an error that hangs on such bytes is not one that inputs can show.
struct Tamed {
    random: Random,
    declared: bool,
}

impl Inputs for Tamed {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(_) => self.random.next(request),
            Why::Parameter(_) | Why::Declared(_) if self.declared => self.random.next(request),
            Why::Parameter(_) | Why::Declared(_) | Why::Unwritten => Some(0),
        }
    }
}

/// No inputs at all.
pub(super) struct Closed;

impl Inputs for Closed {
    fn next(&mut self, _: &Request) -> Option<u128> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::LoadOptions;
    use tour_c::front::Input as File;
    use tour_evidence::verdict::InputOrigin;
    use tour_ir::program::DataModel;

    const DECLS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); \
                         extern void __VERIFIER_assume(int); extern void *malloc(unsigned long); \
                         static int inc(int x) { return x + 1; } static int *local(void) { int x; return &x; } \
                         struct s { char c; int i; }; ";

    fn verdict(main: &str) -> Verdict {
        let text = format!("{DECLS} int main(void) {{ {main} }}");
        let program = tour_c::load(&[File::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
        let program = Prepared::new(program.unwrap_or_else(|error| panic!("{error}")));
        Concrete::default().run(&program, &Context::default())
    }

    #[track_caller]
    fn check(main: &str, expected: &str) {
        assert_eq!(verdict(main).to_string(), expected, "{main}");
    }

    const UNKNOWN: &str = "UNKNOWN (no analysis could decide)";

    #[test]
    fn a_program_without_inputs_is_decided_by_its_run() {
        check("int i, s = 0; for (i = 0; i < 1000; i++) s += i; if (s != 499500) reach_error();", "SAFE");
        check("int i, s = 0; for (i = 0; i < 1000; i++) s += i; if (s == 499500) reach_error();", "UNSAFE");
        check("int x = 0; __VERIFIER_assume(x); reach_error();", "SAFE");
        check("while (1) ;", UNKNOWN);
    }

    #[test]
    fn one_run_says_nothing_if_the_machine_has_a_say() {
        check("int x; if ((unsigned long)&x % 64 == 13) reach_error();", UNKNOWN);
        check("int *p = malloc(4); if (!p) reach_error();", UNKNOWN);
        check("int x; if (x == 123456) reach_error();", UNKNOWN);
    }

    #[test]
    fn one_run_says_nothing_where_the_language_leaves_a_choice() {
        // Addresses as numbers, in whole or in part.
        for look in [
            "unsigned long u = (unsigned long)&x; if (u % 64 == 13) reach_error();",
            "unsigned char *c = (unsigned char *)&p; if (c[0] == 13) reach_error();",
            "union { int *p; unsigned long u; } v; v.p = &x; if (v.u == 130000) reach_error();",
            "union { int *p; unsigned short u[4]; } v; v.p = &x; if (v.u[1] == 13) reach_error();",
            "unsigned long u; __builtin_memcpy(&u, &p, 8); if (u * 3 == 13) reach_error();",
            "((unsigned char *)&p)[0] = 3; if (p == &x) reach_error();",
            "unsigned a[9]; if (a == (unsigned *)130000) reach_error();",
            "if (p == (int *)130000) reach_error();",
            "if ((int)(unsigned long)&x == 13) reach_error();",
            "int (*f)(int) = inc; if ((unsigned long)f == 130000) reach_error();",
            "int (*f)(int) = inc; if (((unsigned char *)&f)[0] == 13) reach_error();",
            "double d; __builtin_memcpy(&d, &p, 8); if (d == 1.5) reach_error();",
            "int *q = &y; if (__builtin_memcmp(&p, &q, 8) == 13) reach_error();",
        ] {
            check(&format!("int x = 1, y = 2, *p = &x; {look} x = y;"), UNKNOWN);
        }
        // Where objects lie, and which of them share a place.
        for look in [
            "int x[2], y[2]; if (x + 2 == y) reach_error();",
            "int *p, *q; { int x; p = &x; } { int x; q = &x; } if (p == q) reach_error();",
            "const char *p = \"abc\", *q = \"abc\"; if (p != q) reach_error();",
            "const char *p = \"xabc\", *q = \"abc\"; if (p + 1 == q) ; else reach_error();",
            "int *p = local(), *q = local(); if (p == q) ; else reach_error();",
        ] {
            // Some layouts that are tried show the error.
            assert_ne!(verdict(look).to_string(), "SAFE", "{look}");
        }
        // Bytes that nobody wrote, or that a store may have touched, and the sign of a NaN.
        for look in [
            "struct s a = {1, 2}; if (((char *)&a)[1] == 13) reach_error();",
            "struct s a; __builtin_memset(&a, 0, 8); a.i = 3; if (((char *)&a)[1] == 13) reach_error();",
            "struct s a, b; __builtin_memset(&a, 0, 8); b = a; if (((char *)&b)[1] == 13) reach_error();",
            "struct s a = {0}; if (((char *)&a)[1] == 13) reach_error();",
            "union { char c; int i; } u = {1}; if (u.i == 13) reach_error();",
            "double z = 0, n = z / z; if (((unsigned char *)&n)[7] == 13) reach_error();",
        ] {
            check(look, UNKNOWN);
        }
    }

    #[test]
    fn what_all_machines_do_is_proved() {
        for good in [
            "int x, y, *p = &x, *q = &y; if (p == q || p != &x || !p) reach_error();",
            "int a[4]; if (&a[3] - a != 3 || a + 4 == a || &a[1] > &a[2]) reach_error();",
            "int a[4]; unsigned long u = (unsigned long)a; u += 4; if ((int *)u != &a[1] || !u) reach_error();",
            "int a[4]; if ((unsigned long)&a[3] - (unsigned long)a != 12) reach_error();",
            "int x = 5; unsigned long u = (unsigned long)&x | 1; if (*(int *)(u & ~1ul) != 5) reach_error();",
            "int x; if ((unsigned long)&x & 3) reach_error();",
            "int x, *p = &x, *q; char *a = (char *)&p, *b = (char *)&q; int i; \
             for (i = 0; i < 8; i++) b[i] = a[i]; if (q != &x) reach_error();",
            "const char *p = \"abc\", *q = \"abd\"; if (p == q || p[1] != 'b') reach_error();",
            "const char *p = \"abc\", *q = p; if (p != q) reach_error();",
            "int (*f)(int) = inc; if (f != inc || f(1) != 2) reach_error();",
            "struct s a = {1, 2}, b; b = a; if (b.c != 1 || b.i != 2) reach_error();",
            "union { char c; int i; } u = {1}; if (u.c != 1) reach_error();",
            "double z = 0, n = z / z; if (n == n || !n) reach_error();",
            "double n = __builtin_nan(\"\"); if (((unsigned char *)&n)[7] != 0x7f) reach_error();",
            "double z = 0, n = __builtin_fabs(-__builtin_nan(\"\")); if (((unsigned char *)&n)[7] > 127) z = 1;",
        ] {
            check(good, "SAFE");
        }
    }

    #[test]
    fn small_and_extreme_inputs_are_tried() {
        check("int x = __VERIFIER_nondet_int(); if (x > 2147483640) reach_error();", "UNSAFE");
        check(
            "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); if (x < 9) reach_error();",
            "UNSAFE",
        );
        check("int x = __VERIFIER_nondet_int(); if (x == 123456) reach_error();", UNKNOWN);
    }

    #[test]
    fn a_violation_has_its_inputs_and_steps() {
        let Verdict::Violated(violation) =
            verdict("int x = __VERIFIER_nondet_int(); int y = x + 1; if (y == 1) reach_error();")
        else {
            panic!("zero is tried first")
        };
        let asked = violation.inputs.iter().filter(|input| input.origin == InputOrigin::Nondet);
        assert_eq!(asked.map(|input| input.bits).collect::<Vec<_>>(), [0]);
        let values: Vec<&str> = violation.trace.iter().filter_map(|s| s.value.as_deref()).collect();
        assert!(values.contains(&"1"), "{values:?}");
    }
}
