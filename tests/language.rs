//! Constructs of C and its dialects, each as a program whose verdict is known: `data/language`.
//!
//! The first line of a file says what is right, with which options, and why: `// SAFE --cflags=-fshort-enums: reason`.

use crate::missing::missing;
use crate::support::{Folder, repository};

#[test]
fn every_construct_means_what_it_says() {
    let folder = repository("tests/data/language");
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files.map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&file).expect("a text");
        let first = text.lines().next().unwrap_or("").trim_start_matches("// ");
        let (head, _) = first.split_once(':').expect("a verdict, options and a reason");
        let (want, options) = head.split_once(' ').unwrap_or((head, ""));
        if options.contains("clang") && !has_clang() {
            missing(&format!("{}: clang is not there", file.display()));
            continue;
        }
        let run = Folder::with(&text).tour(&format!("check a.c {options}"));
        let got = run.last_line().trim_start_matches("VERDICT: ").split(' ').next().unwrap_or("").to_owned();
        count += 1;
        if got != want || !matches!(run.code, Some(0 | 1 | 3)) {
            wrong.push(format!("{}: {got}, not {want} ({:?})", file.display(), run.code));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 40, "only {count} files were found");
}

fn has_clang() -> bool {
    std::process::Command::new("clang").arg("--version").output().is_ok_and(|output| output.status.success())
}
