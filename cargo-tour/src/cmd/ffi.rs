//! `cargo tour ffi`: do the `extern "C"` declarations of packages agree with the C that their builds compile?

use super::verify::build;
use super::verify::cache::Cache;
use crate::exit::Exit;
use crate::packages::FfiArgs;
use crate::term::{Term, print_error, print_line};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tour::capture::Captured;
use tour::harness::{Reader, compare_declarations};
use tour::result::{Message, Severity};

/// What came of it, for all packages.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Declarations that have a definition.
    pub compared: usize,
    /// Declared functions that no captured C defines.
    pub undefined: Vec<String>,
    /// What does not agree, each with the folder of its package.
    pub findings: Vec<(PathBuf, Message)>,
}

impl Comparison {
    /// A mismatch that makes calls undefined.
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }

    /// Shows what does not agree.
    pub fn show(&self, term: &Term) {
        for (folder, finding) in &self.findings {
            term.message(finding, folder);
        }
    }
}

/// Compares, and shows what does not agree.
pub fn run(args: FfiArgs, term: Term) -> Exit {
    let captured = match build(&args.packages, true, &term) {
        Ok(captured) => captured,
        Err(exit) => return exit,
    };
    let cache = Cache::new(&captured.capture, &term);
    let comparison = compare(&captured, Some(&cache));
    comparison.show(&term);
    if !comparison.undefined.is_empty() && !term.quiet {
        // Perhaps a function of the system; if not, the linker says so.
        let names = comparison.undefined.join("`, `");
        print_error(format_args!("note: no C of this build defines `{names}`"));
    }
    let findings = comparison.findings.len();
    let status = term.status("Compared", Some(!comparison.is_wrong()));
    print_line(format_args!(
        "{status} {} with their C definitions: {}",
        super::verify::show::count(comparison.compared, "declaration"),
        if findings == 0 {
            "all agree".to_owned()
        } else {
            super::verify::show::count(findings, "difference")
        }
    ));
    match (comparison.is_wrong(), comparison.compared) {
        (true, _) => Exit::Violated,
        (false, 0) => Exit::Nothing,
        (false, _) => Exit::Success,
    }
}

/// Compares all packages of a build. What came of it is kept, and holds as long as the texts are the same.
pub fn compare(captured: &Captured, cache: Option<&Cache>) -> Comparison {
    let capture = &captured.capture;
    let own;
    let reader = match cache {
        Some(cache) => cache.reader(),
        None => {
            own = Reader::new(capture);
            &own
        }
    };
    let packages: BTreeMap<&Path, &str> =
        capture.executables.iter().map(|e| (e.manifest_dir.as_path(), e.package.as_str())).collect();
    let mut comparison = Comparison::default();
    for (folder, package) in packages {
        let is_new = Cell::new(true);
        let known = |key: &str| {
            let found = cache?.declarations(folder, key);
            is_new.set(found.is_none());
            found
        };
        match compare_declarations(folder, package, reader, known) {
            Ok((key, found)) => {
                if let Some(cache) = cache.filter(|_| is_new.get()) {
                    cache.put_declarations(folder, &key, &found);
                }
                comparison.compared += found.compared;
                comparison.undefined.extend(found.undefined);
                comparison
                    .findings
                    .extend(found.findings.into_iter().map(|finding| (folder.to_owned(), finding)));
            }
            // C that can't be read is no mistake of the declarations: a harness that needs it says so.
            Err(problems) => comparison.findings.extend(
                problems
                    .into_iter()
                    .map(|problem| (folder.to_owned(), Message { severity: Severity::Warning, ..problem })),
            ),
        }
    }
    comparison
}
