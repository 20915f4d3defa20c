//! How fast the front end is: run with `cargo bench -p tour-verify-core --bench front`.
//!
//! Texts are generated here. The one for units is like those of Linux drivers: many types and functions, of which
//! the entry reaches a part.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use tour_core::front::{FrontOptions, Input, parse_units, scan};
use tour_core::program::DataModel;
use tour_core::source::SourceMap;

fn main() {
    scanner();
    println!("\ntext to trees, a driver of which main reaches a tenth");
    for functions in [250, 500, 1000, 2000, 4000] {
        unit(functions, 10);
    }
    println!("\ntext to trees, all reached: lang-c's own speed");
    for functions in [125, 250, 500] {
        unit(functions, 1);
    }
    println!("\nnested conditions (18 KB took lang-c alone 6 s)");
    for size in [18_000, 36_000, 72_000] {
        report(&format!("{} KB", size / 1000), &conditions(size));
    }
    println!("\n10,000 levels");
    let expression = |before: &str, after: &str| {
        format!(
            "int b; int f(int x); int main(void) {{ return {}b{}; }}",
            before.repeat(10_000),
            after.repeat(10_000)
        )
    };
    let statement = |before: &str, after: &str| {
        format!("int b; int main(void) {{ {}b++; {} }}", before.repeat(10_000), after.repeat(10_000))
    };
    report("(((b)))", &expression("(", ")"));
    report("f(f(f(b)))", &expression("f(", ")"));
    report("!!!b", &expression("!", ""));
    report("b ? b : b ? b : b", &expression("b ? b : ", ""));
    report("b + b + b", &expression("b + ", ""));
    report("({ ({ b; }); })", &expression("({ ", "; })"));
    report("{ { { } } }", &statement("{ ", "}"));
    report("if (b) ; else if (b) ; else", &statement("if (b) ; else ", ""));
}

/// The best time of a few runs.
fn best(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

fn scanner() {
    let text = driver(4000, 10);
    let time = best(50, || {
        std::hint::black_box(scan(&text, Path::new("t.i")));
    });
    println!(
        "scanner: {:.0} MB/s on {:.1} MB",
        text.len() as f64 / 1e6 / time.as_secs_f64(),
        text.len() as f64 / 1e6
    );
}

fn unit(functions: usize, one_in: usize) {
    let text = driver(functions, one_in);
    report(&format!("{functions} functions"), &text);
}

fn report(name: &str, text: &str) {
    let options = FrontOptions::new(DataModel::Lp64);
    let inputs = [Input::text("t.i", text)];
    let mut count = (0, 0);
    let time = best(5, || {
        let units = parse_units(&inputs, &options, &mut SourceMap::default()).expect("the text is right");
        count = (units[0].items.len(), units[0].pieces.len());
    });
    println!(
        "{name:>28}: {:8.2} ms for {:7.1} KB, {} items, {} pieces",
        time.as_secs_f64() * 1e3,
        text.len() as f64 / 1e3,
        count.0,
        count.1
    );
}

/// A unit with many types, prototypes and functions; `main` calls one in `one_in` functions.
fn driver(functions: usize, one_in: usize) -> String {
    let mut text = String::new();
    for i in 0..functions {
        let _ = write!(
            text,
            "typedef unsigned int u{i} ;\nstruct device_{i} {{\n   struct device_{i} *next ;\n   u{i} flags ;\n   \
             void (*release)(struct device_{i} * , int  ) ;\n   char name[16U] ;\n}};\n\
             extern int register_device_{i}(struct device_{i} *dev , u{i} flags ) __attribute__((cold)) ;\n\
             static int probe_{i}(struct device_{i} *dev , int arg ) \n{{\n  int tmp ;\n  u{i} mask ;\n\n  {{\n  \
             mask = (u{i} )(arg & 255);\n  if ((unsigned long )dev == (unsigned long )((struct device_{i} *)0)) {{\n    \
             return (-22);\n  }} else {{\n\n  }}\n  dev->flags = (dev->flags | mask) & ~ (1U << (arg % 32));\n  \
             tmp = register_device_{i}(dev, dev->flags);\n  while (tmp > 0 && (arg != 3 || tmp != {i})) {{\n    \
             tmp = tmp - 1;\n  }}\n  return (tmp);\n}}\n}}\n"
        );
    }
    text.push_str("int main(void) \n{\n  int state ;\n  state = 0;\n");
    for i in (0..functions).step_by(one_in) {
        let _ = writeln!(text, "  state = state + probe_{i}((struct device_{i} *)0, state);");
    }
    text.push_str("  return (state);\n}\n");
    text
}

fn conditions(size: usize) -> String {
    let mut condition = "a == 1".to_owned();
    let mut i = 0;
    while condition.len() < size {
        i += 1;
        let operator = if i % 3 == 0 { "||" } else { "&&" };
        condition = format!("(({condition}) {operator} (b == {i}))");
    }
    format!("int main(void) {{ int a, b; if ({condition}) return 1; return 0; }}")
}
