//! lcov's tracefile format, which genhtml and editors read: a visit counts as an execution.

use crate::coverage::Coverage;
use std::fmt::Write;

/// The tracefile.
pub fn lcov(coverage: &Coverage) -> String {
    let mut out = String::from("TN:\n");
    for file in &coverage.files {
        // A line break would end the record.
        let path: String = file.file.chars().filter(|c| !c.is_control()).collect();
        // Writing to a string can't fail.
        let _ = writeln!(out, "SF:{path}");
        for function in &file.functions {
            let _ = writeln!(out, "FN:{},{}", function.line, function.name);
        }
        for function in &file.functions {
            let _ = writeln!(out, "FNDA:{},{}", function.visits, function.name);
        }
        let entered = file.functions.iter().filter(|f| f.visits > 0).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{entered}", file.functions.len());
        for line in &file.lines {
            let _ = writeln!(out, "DA:{},{}", line.line, line.visits);
        }
        let visited = file.lines.iter().filter(|line| line.visits > 0).count();
        let _ = writeln!(out, "LF:{}\nLH:{visited}\nend_of_record", file.lines.len());
    }
    out
}
