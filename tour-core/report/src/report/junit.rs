//! Results as JUnit XML, as CI systems read it: a suite for each package, a case for each claim.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::time::Duration;
use tour_ir::cfa::export::printable;
use tour_protocol::result::{ClaimResult, Status};

/// The document.
pub fn document(claims: &[ClaimResult]) -> String {
    let mut suites: BTreeMap<&str, Vec<&ClaimResult>> = BTreeMap::new();
    for claim in claims {
        suites.entry(claim.claim.group()).or_default().push(claim);
    }
    let mut report = Report::new("cargo-tour");
    report.set_time(time(claims.iter()));
    for (package, cases) in suites {
        let mut suite = TestSuite::new(line(package));
        suite.set_time(time(cases.iter().copied()));
        suite.add_test_cases(cases.into_iter().map(test_case));
        report.add_test_suite(suite);
    }
    // Writing to a string fails for no text that is printable.
    report.to_string().unwrap_or_default()
}

/// Text for an attribute, where XML has no lines.
fn line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

fn time<'a>(cases: impl Iterator<Item = &'a ClaimResult>) -> Duration {
    Duration::try_from_secs_f64(cases.map(|case| case.time).sum()).unwrap_or_default()
}

fn test_case(case: &ClaimResult) -> TestCase {
    let status = match case.status {
        Status::Proved if case.is_unchecked() => failed(NonSuccessKind::Error, case),
        Status::Proved => TestCaseStatus::success(),
        Status::NotRun => TestCaseStatus::skipped(),
        Status::Violated | Status::Vacuous => failed(NonSuccessKind::Failure, case),
        Status::Unknown | Status::Invalid | Status::Crashed => failed(NonSuccessKind::Error, case),
    };
    let mut test = TestCase::new(line(&case.claim.name()), status);
    test.set_classname(line(case.claim.group())).set_time(time([case].into_iter()));
    let at = case.claim.place();
    test.extra.insert("file".into(), line(&at.file.display().to_string()).into());
    test.extra.insert("line".into(), at.line.to_string().into());
    test
}

fn failed(kind: NonSuccessKind, case: &ClaimResult) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(case.status.word()).set_message(line(case.why()));
    let text: Vec<String> = case
        .diagnostics
        .iter()
        .map(|d| {
            let place = d.place().map_or(String::new(), |place| format!("{place}: "));
            format!("{place}{}: {}", d.code, d.message)
        })
        .collect();
    if !text.is_empty() {
        status.set_description(printable(&text.join("\n")));
    }
    status
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
            <testsuites name="cargo-tour" tests="6" skipped="1" failures="2" errors="2" time="1.500">
                <testsuite name="demo" tests="6" skipped="1" errors="2" failures="2" time="1.500">
                    <testcase name="proofs::push" classname="demo" time="0.250" file="src/lib.rs" line="12"/>
                    <testcase name="proofs::pop" classname="demo" time="0.250" file="src/lib.rs" line="12">
                        <failure message="read past the end of `buf`" type="VIOLATED">csrc/ring.c:27:12: tour::out_of_bounds: read past the end of `buf`</failure>
                    </testcase>
                    <testcase name="proofs::crc" classname="demo" time="0.250" file="src/lib.rs" line="12">
                        <error message="timeout" type="UNKNOWN"/>
                    </testcase>
                    <testcase name="proofs::never" classname="demo" time="0.250" file="src/lib.rs" line="12">
                        <failure message="no input satisfies the assumptions" type="VACUOUS"/>
                    </testcase>
                    <testcase name="proofs::boom" classname="demo" time="0.500" file="src/lib.rs" line="12">
                        <error message="killed by signal 6" type="CRASHED"/>
                    </testcase>
                    <testcase name="proofs::late" classname="demo" time="0.000" file="src/lib.rs" line="12">
                        <skipped/>
                    </testcase>
                </testsuite>
            </testsuites>
        "#]].assert_eq(&document(&examples()));
    }

    #[test]
    fn what_xml_cannot_contain_is_replaced() {
        let mut result = examples().remove(1);
        result.reason = "a<b && \"c\"\u{1}\u{1b}[1m\u{ffff}\n".into();
        result.diagnostics.clear();
        let document = document(&[result]);
        assert!(document.contains("message=\"a&lt;b &amp;&amp; &quot;c&quot;??[1m? \""), "{document}");
    }
}
