//! What became of each harness: the one list that all outputs of `cargo tour verify` are made of.

use crate::protocol::{Diagnostic, Replay, Report, Verdict, Violation};
use serde::Serialize;

/// One harness.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HarnessOutcome {
    /// Its package.
    pub package: String,
    /// Its name.
    pub harness: String,
    /// How it ended.
    pub status: Status,
    /// The result was there from an earlier run.
    pub cached: bool,
    /// Seconds, of the run that made the result.
    pub time: f64,
    /// What the harness reported; `None` if it crashed or was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// How it crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
}

/// How a harness ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It holds.
    Proved,
    /// It holds, but says nothing.
    Vacuous,
    /// Neither was shown.
    Unknown,
    /// It or the C that it needs can't be read.
    Invalid,
    /// It does not hold.
    Violated,
    /// The test executable ended without a report.
    Crashed,
    /// It was not run: another failed before, or the user interrupted.
    NotRun,
}

impl Status {
    /// As on the status line.
    pub fn word(self) -> &'static str {
        match self {
            Status::Proved => "PROVED",
            Status::Vacuous => "VACUOUS",
            Status::Unknown => "UNKNOWN",
            Status::Invalid => "INVALID",
            Status::Violated => "VIOLATED",
            Status::Crashed => "CRASHED",
            Status::NotRun => "NOT RUN",
        }
    }

    /// What a report amounts to.
    pub fn of(report: &Report) -> Status {
        match report.verdict {
            Verdict::Proved if report.vacuity.is_empty() => Status::Proved,
            Verdict::Proved => Status::Vacuous,
            Verdict::Violated => Status::Violated,
            Verdict::Unknown => Status::Unknown,
            Verdict::Invalid => Status::Invalid,
        }
    }
}

impl HarnessOutcome {
    /// Of a report.
    pub fn new(report: Report, cached: bool) -> HarnessOutcome {
        HarnessOutcome {
            package: report.harness.package.clone(),
            harness: report.harness.name.clone(),
            status: Status::of(&report),
            cached,
            time: report.time,
            report: Some(report),
            crash: None,
        }
    }

    /// Without a report.
    pub fn without_report(
        package: &str,
        harness: &str,
        status: Status,
        time: f64,
        crash: Option<String>,
    ) -> HarnessOutcome {
        HarnessOutcome {
            package: package.to_owned(),
            harness: harness.to_owned(),
            status,
            cached: false,
            time,
            report: None,
            crash,
        }
    }

    /// Why it ended so, in one line.
    pub fn reason(&self) -> String {
        let Some(report) = &self.report else { return self.crash.clone().unwrap_or_default() };
        match self.status {
            Status::Vacuous => report.vacuity.first().map(|v| v.message.clone()).unwrap_or_default(),
            _ => report.reason.clone(),
        }
    }

    /// Its diagnostics.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.report.iter().flat_map(|report| &report.diagnostics)
    }

    /// What violates it.
    pub fn violations(&self) -> &[Violation] {
        self.report.as_ref().map_or(&[], |report| &report.violations)
    }

    /// Whether native runs confirmed what violates it, or why not.
    pub fn replay(&self) -> Option<String> {
        let violations = self.violations();
        let confirmed = |v: &&Violation| matches!(v.replay, Replay::Confirmed { .. });
        match violations {
            [] => None,
            [one] => Some(one.replay.describe()),
            [first, ..] => Some(format!(
                "{} violations, {} confirmed natively; the first: {}",
                violations.len(),
                violations.iter().filter(confirmed).count(),
                first.message
            )),
        }
    }
}

/// Of all harnesses together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub struct Counts {
    pub selected: usize,
    pub proved: usize,
    pub vacuous: usize,
    pub violated: usize,
    pub unknown: usize,
    pub invalid: usize,
    pub crashed: usize,
    pub not_run: usize,
    pub cached: usize,
}

impl Counts {
    /// Counts.
    pub fn of(outcomes: &[HarnessOutcome]) -> Counts {
        let mut counts = Counts { selected: outcomes.len(), ..Counts::default() };
        for outcome in outcomes {
            counts.cached += usize::from(outcome.cached);
            *match outcome.status {
                Status::Proved => &mut counts.proved,
                Status::Vacuous => &mut counts.vacuous,
                Status::Unknown => &mut counts.unknown,
                Status::Invalid => &mut counts.invalid,
                Status::Violated => &mut counts.violated,
                Status::Crashed => &mut counts.crashed,
                Status::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }
}

/// Outcomes of all kinds, for the tests of the outputs.
#[cfg(test)]
pub fn examples() -> Vec<HarnessOutcome> {
    use crate::protocol::*;
    let place = |file: &str, line, column, length, text: &str| Place {
        file: file.into(),
        line,
        column,
        length,
        text: text.into(),
    };
    let report = |name: &str, verdict| Report {
        protocol: PROTOCOL,
        version: "0.1.0".into(),
        harness: Harness {
            name: name.into(),
            module: "demo::proofs".into(),
            function: name.rsplit("::").next().unwrap_or(name).into(),
            package: "demo".into(),
            manifest_dir: "/demo".into(),
            file: "src/lib.rs".into(),
            line: 12,
            tags: Vec::new(),
            timeout: None,
            memory: None,
            unwind: None,
            properties: Vec::new(),
            malloc_may_fail: false,
            should_fail: None,
            should_panic: false,
            ignored: false,
            source: String::new(),
        },
        verdict,
        reason: String::new(),
        kind: None,
        checks: vec![CheckCount { property: "assert".into(), checks: 2 }],
        analysis: Some("predicate".into()),
        statistics: std::collections::BTreeMap::new(),
        time: 0.25,
        violations: Vec::new(),
        others_hold: false,
        diagnostics: Vec::new(),
        assumptions: Vec::new(),
        vacuity: Vec::new(),
        mutants: None,
        units: Vec::new(),
        sources: Vec::new(),
    };
    let mut violated = report("proofs::pop", Verdict::Violated);
    let fails = place("csrc/ring.c", 27, 12, 6, "    return buf[8];");
    violated.reason = "read past the end of `buf`".into();
    violated.kind = Some("out-of-bounds".into());
    violated.diagnostics.push(Diagnostic {
        code: "tour::out_of_bounds".into(),
        severity: Severity::Error,
        message: "read past the end of `buf`".into(),
        labels: vec![Note { message: "head = 8".into(), place: fails.clone() }],
        help: None,
    });
    violated.violations.push(Violation {
        property: "out-of-bounds".into(),
        message: "read past the end of `buf`".into(),
        place: fails.clone(),
        inputs: vec![Input {
            name: "cap".into(),
            ty: "usize".into(),
            literal: "8".into(),
            bits: vec![Bits(8)],
            place: place("src/lib.rs", 12, 8, 3, "fn pop(cap: usize) {"),
        }],
        scalars: vec![Bits(8)],
        trace: vec![
            TraceStep {
                place: place("src/lib.rs", 13, 5, 3, "    ring_pop(cap)"),
                function: "pop".into(),
                rust: true,
                depth: 0,
                operation: "ring_pop(cap)".into(),
                value: None,
            },
            TraceStep {
                place: fails,
                function: "ring_pop".into(),
                rust: false,
                depth: 1,
                operation: "return buf[8]".into(),
                value: Some("8".into()),
            },
        ],
        replay: Replay::Confirmed { how: "killed by signal 11".into() },
        faults: None,
    });
    let mut unknown = report("proofs::crc", Verdict::Unknown);
    unknown.reason = "timeout".into();
    unknown.kind = Some("timeout".into());
    let mut vacuous = report("proofs::never", Verdict::Proved);
    vacuous.vacuity.push(Vacuity {
        kind: VacuityKind::Assumptions,
        message: "no input satisfies the assumptions".into(),
        place: place("src/lib.rs", 30, 5, 6, "    assume(false);"),
    });
    vec![
        HarnessOutcome::new(report("proofs::push", Verdict::Proved), true),
        HarnessOutcome::new(violated, false),
        HarnessOutcome::new(unknown, false),
        HarnessOutcome::new(vacuous, false),
        HarnessOutcome::without_report(
            "demo",
            "proofs::boom",
            Status::Crashed,
            0.5,
            Some("killed by signal 6".into()),
        ),
        HarnessOutcome::without_report("demo", "proofs::late", Status::NotRun, 0.0, None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted_once() {
        let counts = Counts::of(&examples());
        let all =
            [counts.proved, counts.vacuous, counts.violated, counts.unknown, counts.invalid, counts.crashed];
        assert_eq!(all.iter().sum::<usize>() + counts.not_run, counts.selected);
        assert_eq!(all, [1, 1, 1, 1, 0, 1]);
        assert_eq!(counts.cached, 1);
    }
}
