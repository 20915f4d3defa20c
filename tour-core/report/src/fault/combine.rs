//! One ranking of all techniques: weighted reciprocal ranks. A line that several techniques suspect gains from each.

use tour_engine::heuristics::FaultLimits;
use tour_protocol::result::{Finding, Suspect};

/// More suspects than these help nobody.
const SUSPECTS: usize = 8;

/// Combines findings. The score of a suspect is the share of what it could have: 1 if it comes first everywhere.
pub fn combine(findings: &[Finding], limits: &FaultLimits) -> Vec<Suspect> {
    let mut all: Vec<Suspect> = Vec::new();
    let total: f64 = findings.iter().map(|f| limits.weight(&f.technique)).sum();
    for finding in findings {
        // A technique that is not sure of its first suspect is not sure of the others either.
        let sure = finding.suspects.first().map_or(0.0, |first| first.score);
        for suspect in &finding.suspects {
            // Equal scores share the rank in their middle.
            let better = finding.suspects.iter().filter(|s| s.score > suspect.score).count();
            let equal = finding.suspects.iter().filter(|s| s.score == suspect.score).count();
            let rank = better as f64 + (equal as f64 + 1.0) / 2.0;
            let share = sure * limits.weight(&finding.technique) / rank / total;
            let reasons = suspect.reasons.iter().map(|r| format!("{}: {r}", finding.technique));
            match all.iter_mut().find(|s| s.line == suspect.line) {
                Some(known) => {
                    known.score += share;
                    known.reasons.extend(reasons);
                }
                None => {
                    all.push(Suspect { score: share, reasons: reasons.collect(), ..suspect.clone() });
                }
            }
        }
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.line.cmp(&a.line)));
    all.truncate(SUSPECTS);
    all
}
