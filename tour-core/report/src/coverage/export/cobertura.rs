//! Cobertura's XML, which CI servers read.

use crate::coverage::{Coverage, FileCoverage};
use std::fmt::Write;
use tour_ir::cfa::export::escape_xml;

/// The document. `timestamp`: seconds since 1970.
pub fn cobertura(coverage: &Coverage, timestamp: u64) -> String {
    let visited = |file: &FileCoverage| file.lines.iter().filter(|line| line.visits > 0).count();
    let (valid, covered) =
        coverage.files.iter().fold((0, 0), |(v, c), file| (v + file.lines.len(), c + visited(file)));
    let rate = |covered: usize, valid: usize| if valid == 0 { 1.0 } else { covered as f64 / valid as f64 };
    let whole = rate(covered, valid);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n");
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "<coverage line-rate=\"{whole:.4}\" branch-rate=\"0\" lines-covered=\"{covered}\" lines-valid=\"{valid}\" \
         branches-covered=\"0\" branches-valid=\"0\" complexity=\"0\" version=\"tour {}\" timestamp=\"{timestamp}\">",
        env!("CARGO_PKG_VERSION")
    );
    out.push_str("  <sources><source>.</source></sources>\n  <packages>\n");
    let _ = writeln!(
        out,
        "    <package name=\"program\" line-rate=\"{whole:.4}\" branch-rate=\"0\" complexity=\"0\">\n      <classes>"
    );
    for file in &coverage.files {
        let path = escape_xml(&file.file);
        let own = rate(visited(file), file.lines.len());
        let _ = writeln!(
            out,
            "        <class name=\"{path}\" filename=\"{path}\" line-rate=\"{own:.4}\" branch-rate=\"0\" complexity=\"0\">"
        );
        out.push_str("          <methods/>\n          <lines>\n");
        for line in &file.lines {
            let _ = writeln!(out, "            <line number=\"{}\" hits=\"{}\"/>", line.line, line.visits);
        }
        out.push_str("          </lines>\n        </class>\n");
    }
    out.push_str("      </classes>\n    </package>\n  </packages>\n</coverage>\n");
    out
}
