//! `cargo tour train`: a model that selects metrics, from a history of runs.

use crate::cli::TrainArgs;
use crate::exit::Exit;
use crate::term::{print_error, print_line};
use tour::directed::select::{Lesson, Parameters, Record, train};
use tour::protocol::write_atomically;

/// Trains, and tells what was learned.
pub fn run(args: TrainArgs) -> Exit {
    let mut records = Vec::new();
    for path in &args.history {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                print_error(format_args!("error: cannot read `{}`: {error}", path.display()));
                return Exit::Usage;
            }
        };
        match Record::parse(&text) {
            Ok(more) => records.extend(more),
            Err((line, error)) => {
                print_error(format_args!("error: {}:{line}: {error}", path.display()));
                print_error(
                    "help: a history has a JSON object a line, written by `cargo tour check --record-history`",
                );
                return Exit::Usage;
            }
        }
    }
    let threshold = args.threshold.0.map_or(0.0, |time| time.as_secs_f64());
    let (model, lessons) = train(&records, threshold, &Parameters::default());
    if lessons.is_empty() {
        print_error("error: no program in the history was run with all four metrics, and makes a difference");
        print_error("help: run `cargo tour check --record-history` with each metric, or lower --threshold");
        return Exit::Usage;
    }
    lessons.iter().for_each(explain);
    if let Some(path) = &args.out
        && let Err(error) = write_atomically(path, model.text().as_bytes())
    {
        print_error(format_args!("error: cannot write `{}`: {error}", path.display()));
        return Exit::Usage;
    }
    Exit::Success
}

fn explain(lesson: &Lesson) {
    let Lesson { analysis, trials, used, tree, pruning } = lesson;
    print_line(format_args!("{analysis}: learned from {used} of {trials} programs"));
    let percent = |part: f64| (part * 100.0).round();
    print_line(format_args!(
        "    {} of {} answers left by pruning; the best metric is missed for {} % (without questions: {} %)",
        tree.leaves(),
        pruning.grown,
        percent(pruning.error),
        percent(pruning.root_error),
    ));
    for line in tree.show().lines() {
        print_line(format_args!("    {line}"));
    }
}
