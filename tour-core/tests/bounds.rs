//! Loops over arrays are proved to be safe: what invariants about memory are for.

use std::time::Duration;
use tour::LoadOptions;
use tour::analysis::{Analysis, Context, Portfolio};
use tour::front::Input;
use tour::limits::StopReason;
use tour::program::{DataModel, Rule};
use tour::verdict::Verdict;

const PRELUDE: &str = "
    typedef unsigned long size_t;
    void *malloc(size_t); void free(void *);
    int __VERIFIER_nondet_int(void);
";

/// The analyses decide what is said of a program's memory safety within some seconds.
#[track_caller]
fn check(expect: &str, text: &str) {
    let text = format!("{PRELUDE}{text}");
    let mut program = tour::load(&[Input::text("a.i", text.as_str())], &LoadOptions::new(DataModel::Lp64))
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let rules = [Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree, Rule::DoubleFree, Rule::InvalidFree];
    tour::instrument::select(&mut program, &rules);
    let context = Context::default();
    let interrupt = context.interrupt.clone();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(60)).is_err() {
            interrupt.stop(StopReason::Timeout);
        }
    });
    let verdict = Portfolio::default().run(&program, &context);
    done.send(()).ok();
    watch.join().expect("it ends");
    let shown = match &verdict {
        Verdict::Unknown(why) => format!("UNKNOWN {why:?}"),
        other => other.to_string(),
    };
    assert!(shown.starts_with(expect), "{shown} instead of {expect}: {text}");
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
