//! `cargo tour features`: the 25 features of a program.

use crate::cli::FeaturesArgs;
use crate::exit::Exit;
use crate::term::{Term, print_line};
use crate::{crash, load};
use tour::cfa::Features;

/// Prints them.
pub fn run(args: FeaturesArgs, term: Term) -> Exit {
    let program = match load::program(&args.program, &term) {
        Ok(program) => program,
        Err(rejected) => {
            rejected.show(&term);
            return rejected.exit;
        }
    };
    let features = Features::of(&program);
    if args.json {
        match serde_json::to_string_pretty(&features) {
            Ok(text) => print_line(text),
            Err(error) => {
                crash::report_internal(&format!("the features are no JSON: {error}"));
                return Exit::Internal;
            }
        }
    } else {
        for (name, value) in Features::NAMES.iter().zip(features.values()) {
            print_line(format_args!("{name:<10} {}", (value * 1000.0).round() / 1000.0));
        }
    }
    Exit::Success
}
