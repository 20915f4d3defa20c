//! Loops over arrays are proved to be safe: what invariants about memory are for.

mod outside;

use std::time::Duration;
use tour_core::LoadOptions;
use tour_core::analysis::{Analysis, Portfolio};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::StopReason;
use tour_core::program::{DataModel, Rule};
use tour_core::verdict::Verdict;

const PRELUDE: &str = "
    typedef unsigned long size_t;
    void *malloc(size_t); void free(void *);
    int __VERIFIER_nondet_int(void);
";

/// The analyses decide what is said of a program's memory safety within some seconds.
#[track_caller]
fn check(expect: &str, text: &str) {
    let text = format!("{PRELUDE}{text}");
    let (units, options) = ([Input::text("a.i", text.as_str())], LoadOptions::new(DataModel::Lp64));
    let mut program = tour_core::load(&units, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let rules = [Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree, Rule::DoubleFree, Rule::InvalidFree];
    tour_core::instrument::select(&mut program, &rules);
    let context = Context::default();
    let interrupt = context.interrupt.clone();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(60)).is_err() {
            interrupt.stop(StopReason::Timeout);
        }
    });
    let verdict = Portfolio::default().run(&tour_core::prepared::Prepared::new(program.clone()), &context);
    done.send(()).ok();
    watch.join().expect("it ends");
    let shown = match &verdict {
        Verdict::Unknown(why) => format!("UNKNOWN {why:?}"),
        other => other.to_string(),
    };
    assert!(shown.starts_with(expect), "{shown} instead of {expect}: {text}");
    outside::confirm(&program, &verdict, &units, &options);
}

#[test]
fn arrays_whose_size_is_an_input() {
    let fill = |condition: &str| {
        format!(
            "void fill(int *a, int n) {{ for (int i = 0; {condition}; i++) a[i] = i; }}
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 1 || n > 100000) return 0;
               int *a = malloc(n * sizeof(int)); fill(a, n); free(a); return 0; }}"
        )
    };
    check("SAFE", &fill("i < n"));
    check("UNSAFE", &fill("i <= n"));
}

/// A text ends with a zero, which is in the array: whoever stops there stays inside.
#[test]
fn texts_whose_size_is_an_input() {
    let text = |last: &str| {
        format!(
            "int length(const char *s) {{ const char *p = s; while (*p != 0) p++; return p - s; }}
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 1) return 0;
               char *s = malloc(n); {last} length(s); free(s); return 0; }}"
        )
    };
    check("SAFE", &text("s[n - 1] = 0;"));
    check("UNSAFE", &text(""));
}

/// Two buffers side by side, one of which is at least as large as the other.
#[test]
fn copies_from_one_buffer_to_another() {
    let copy = |condition: &str| {
        format!(
            "void copy(char *to, const char *from) {{ for (; (*to = *from) != 0; ++from, ++to); }}
             int main(void) {{ int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
               if (m < 1 || n < 1 || {condition}) return 0;
               char *to = malloc(m), *from = malloc(n); from[n - 1] = 0; copy(to, from); free(to); free(from); return 0; }}"
        )
    };
    check("SAFE", &copy("m < n"));
    check("UNSAFE", &copy("m < n - 1"));
}

/// A pointer goes up while a number goes down.
#[test]
fn bytes_that_are_counted_down() {
    let find = |count: &str| {
        format!(
            "const char *find(const char *s, int c, size_t n) {{
               if (n != 0) {{ do {{ if (*s++ == c) return s - 1; }} while (--n != 0); }} return 0; }}
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 1) return 0;
               char *s = malloc(n); find(s, __VERIFIER_nondet_int(), {count}); free(s); return 0; }}"
        )
    };
    check("SAFE", &find("n"));
    check("UNSAFE", &find("n + 1ul"));
}
