//! `cargo tour list`: the harnesses of packages.

use super::verify::{build, harnesses};
use crate::exit::Exit;
use crate::packages::ListArgs;
use crate::term::{Term, print_error, print_line};

/// Lists.
pub fn run(args: ListArgs, term: Term) -> Exit {
    let captured = match build(&args.packages, true, &term) {
        Ok(captured) => captured,
        Err(exit) => return exit,
    };
    let items = match harnesses::all(&captured.capture) {
        Ok(items) => args.selection.select(items),
        Err(error) => {
            print_error(format_args!("error: {}", error.message));
            return Exit::Usage;
        }
    };
    for item in &items {
        if args.json {
            print_line(serde_json::to_string(&item.harness).unwrap_or_default());
            continue;
        }
        let tags: String = item.harness.tags.iter().map(|tag| format!("  #{tag}")).collect();
        let ignored = if item.harness.ignored { "  (ignored)" } else { "" };
        print_line(format_args!("{} {}{tags}{ignored}", item.executable.package, item.harness.name));
    }
    if items.is_empty() {
        print_error("no harness was found; `cargo tour init` writes a first one");
        return Exit::Nothing;
    }
    Exit::Success
}
