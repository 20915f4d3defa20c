//! `cargo tour cache`: the results of earlier runs.

use super::verify::cache::{FOLDER, kept};
use super::verify::show::count;
use crate::cli::{CacheArgs, CacheCommand};
use crate::exit::Exit;
use crate::seal::Seal;
use crate::term::{Term, print_error, print_line};
use tour::capture;

/// Looks at all results that are kept.
pub fn run(args: CacheArgs, term: Term) -> Exit {
    let CacheCommand::Verify { manifest_path } = args.command;
    let packages = crate::packages::PackageArgs { manifest_path, ..Default::default() };
    let places = match capture::locate(&packages.folder()) {
        Ok(places) => places,
        Err(error) => {
            print_error(format_args!("error: {error}\nhelp: {}", error.help()));
            return Exit::Usage;
        }
    };
    let seal = Seal::of_user();
    let files = kept(&places.tour.join(FOLDER));
    let mut refused = 0;
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Err(why) = seal.check(file, &name) {
            refused += 1;
            print_error(format_args!("{}: {why}", file.display()));
        }
    }
    let status = term.status("Checked", Some(refused == 0));
    let rest = match refused {
        0 => "all sealed by you".to_owned(),
        n => format!("{n} not believed"),
    };
    print_line(format_args!("{status} {}: {rest}", count(files.len(), "result")));
    if refused > 0 {
        print_error(
            "help: they are verified anew when they are needed; `cargo tour clean --cache` removes all",
        );
        return Exit::Violated;
    }
    Exit::Success
}
