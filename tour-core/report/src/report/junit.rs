//! Results as JUnit XML, as CI systems read it: a suite for each package, a case for each claim.

use std::collections::BTreeMap;
use std::fmt::Write;
use tour_protocol::result::{ClaimResult, Status};

/// The document.
pub fn document(claims: &[ClaimResult]) -> String {
    let mut suites: BTreeMap<&str, Vec<&ClaimResult>> = BTreeMap::new();
    for claim in claims {
        suites.entry(claim.claim.group()).or_default().push(claim);
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let attributes = counts(&claims.iter().collect::<Vec<_>>());
    push(&mut out, format_args!("<testsuites name=\"cargo-tour\" {attributes}>\n"));
    for (package, cases) in suites {
        push(&mut out, format_args!("  <testsuite name=\"{}\" {}>\n", escape(package), counts(&cases)));
        cases.iter().for_each(|case| test_case(&mut out, case));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts(cases: &[&ClaimResult]) -> String {
    let number = |wanted: &[Status]| cases.iter().filter(|c| wanted.contains(&c.status)).count();
    let time: f64 = cases.iter().map(|case| case.time).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{time:.3}\"",
        cases.len(),
        number(&[Status::Violated, Status::Vacuous]),
        number(&[Status::Unknown, Status::Invalid, Status::Crashed]),
        number(&[Status::NotRun]),
    )
}

fn test_case(out: &mut String, case: &ClaimResult) {
    let (name, suite) = (escape(&case.claim.name()), escape(case.claim.group()));
    let at = case.claim.place();
    let place = format!(" file=\"{}\" line=\"{}\"", escape(&at.file.display().to_string()), at.line);
    let head =
        format!("    <testcase name=\"{name}\" classname=\"{suite}\" time=\"{:.3}\"{place}", case.time);
    let kind = case.status.word();
    let body = match case.status {
        Status::Proved => return push(out, format_args!("{head}/>\n")),
        Status::NotRun => "      <skipped/>\n".to_owned(),
        Status::Violated | Status::Vacuous => detail("failure", kind, case),
        Status::Unknown | Status::Invalid | Status::Crashed => detail("error", kind, case),
    };
    push(out, format_args!("{head}>\n{body}    </testcase>\n"));
}

fn detail(element: &str, kind: &str, case: &ClaimResult) -> String {
    let message = escape(case.why());
    let text: Vec<String> = case
        .diagnostics
        .iter()
        .map(|d| {
            let place = d.place().map_or(String::new(), |place| format!("{place}: "));
            format!("{place}{}: {}", d.code, d.message)
        })
        .collect();
    format!(
        "      <{element} type=\"{kind}\" message=\"{message}\">{}</{element}>\n",
        escape(&text.join("\n"))
    )
}

fn push(out: &mut String, text: std::fmt::Arguments) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
}

/// Text for XML; characters that XML has no way to write become question marks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if (c as u32) < 0x20 || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::examples::examples;
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_document() {
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="cargo-tour" tests="6" failures="2" errors="2" skipped="1" time="1.500">
              <testsuite name="demo" tests="6" failures="2" errors="2" skipped="1" time="1.500">
                <testcase name="proofs::push" classname="demo" time="0.250" file="src/lib.rs" line="12"/>
                <testcase name="proofs::pop" classname="demo" time="0.250" file="src/lib.rs" line="12">
                  <failure type="VIOLATED" message="read past the end of `buf`">csrc/ring.c:27:12: tour::out_of_bounds: read past the end of `buf`</failure>
                </testcase>
                <testcase name="proofs::crc" classname="demo" time="0.250" file="src/lib.rs" line="12">
                  <error type="UNKNOWN" message="timeout"></error>
                </testcase>
                <testcase name="proofs::never" classname="demo" time="0.250" file="src/lib.rs" line="12">
                  <failure type="VACUOUS" message="no input satisfies the assumptions"></failure>
                </testcase>
                <testcase name="proofs::boom" classname="demo" time="0.500" file="src/lib.rs" line="12">
                  <error type="CRASHED" message="killed by signal 6"></error>
                </testcase>
                <testcase name="proofs::late" classname="demo" time="0.000" file="src/lib.rs" line="12">
                  <skipped/>
                </testcase>
              </testsuite>
            </testsuites>
        "#]].assert_eq(&document(&examples()));
    }

    #[test]
    fn escapes() {
        assert_eq!(escape("a<b && \"c\"\u{1}\n"), "a&lt;b &amp;&amp; &quot;c&quot;?&#10;");
    }
}
