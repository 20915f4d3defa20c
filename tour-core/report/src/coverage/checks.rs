//! Property coverage: what became of each check.

use index_vec::IndexVec;
use serde::{Deserialize, Serialize};
use tour_engine::context::Findings;
use tour_evidence::verdict::Verdict;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{Check, CheckId, Program};

/// What became of a check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// No run violates it.
    Proved,
    /// A run violates it.
    Violated,
    /// No analysis came to it. If the program is proved, it is dead code; else it was not looked at yet.
    Unreached,
    /// It was looked at, and nothing was shown.
    Unknown,
}

impl CheckStatus {
    /// As shown.
    pub fn word(self) -> &'static str {
        match self {
            CheckStatus::Proved => "proved",
            CheckStatus::Violated => "violated",
            CheckStatus::Unreached => "unreached",
            CheckStatus::Unknown => "unknown",
        }
    }
}

/// A check and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckCoverage {
    /// The property.
    pub property: String,
    /// What is checked.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What became of it.
    pub status: CheckStatus,
}

/// What became of the checks of a program, given where analyses have been.
pub(super) fn of(
    program: &Program,
    findings: &Findings,
    is_visited: impl Fn(LocId) -> bool,
) -> Vec<CheckCoverage> {
    // Threads have copies of a check.
    let mut near: IndexVec<CheckId, bool> = program.checks.iter().map(|_| false).collect();
    let mut asked = near.clone();
    for (id, loc) in program.cfa.locs.iter_enumerated() {
        if let LocKind::Error(check) = loc.kind {
            near[check] |= program.cfa.predecessors(id).any(|(_, edge)| is_visited(edge.from));
            // Checks of rules that were not asked for have lost their way to the error.
            asked[check] |= !loc.into.is_empty();
        }
    }
    let status = |id: CheckId| {
        if findings.violations.iter().any(|violation| violation.check == id) {
            return CheckStatus::Violated;
        }
        match findings.rest {
            _ if !near[id] => CheckStatus::Unreached,
            Verdict::Proved(_) => CheckStatus::Proved,
            Verdict::Violated(_) | Verdict::Unknown(_) => CheckStatus::Unknown,
        }
    };
    let row = |(id, check): (CheckId, &Check)| {
        let place = program.sources.place(check.span);
        CheckCoverage {
            property: check.rule.id().to_owned(),
            message: check.message.clone(),
            file: place.file.display().to_string(),
            line: place.line,
            status: status(id),
        }
    };
    program.checks.iter_enumerated().filter(|(id, _)| asked[*id]).map(row).collect()
}
