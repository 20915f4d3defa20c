//! The difference to a saved result, and gates: what must be covered at least.

use super::Coverage;

/// How a measure has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The measure.
    pub id: String,
    /// Its value before, from 0 to 1.
    pub before: f64,
    /// Its value now.
    pub now: f64,
}

/// The measures of both results.
pub fn changes(before: &Coverage, now: &Coverage) -> Vec<Change> {
    let change = |id: &str, before: f64, now: f64| Change { id: id.to_owned(), before, now };
    let shared =
        now.measures.iter().filter_map(|m| Some(change(&m.id, before.measure(&m.id)?.value, m.value)));
    shared.chain([change("checks", before.checks_value(), now.checks_value())]).collect()
}

/// A measure must be covered at least so much.
#[derive(Clone, PartialEq, Debug)]
pub struct Gate {
    /// The measure's id, or `checks`.
    pub id: &'static str,
    /// In per cent.
    pub at_least: f64,
}

impl Gate {
    /// The value in per cent, if it is too low.
    pub fn failed(&self, coverage: &Coverage) -> Option<f64> {
        let value = match self.id {
            "checks" => coverage.checks_value(),
            id => coverage.measure(id)?.value,
        };
        // 99.999 % are not 100 %.
        let percent = 100.0 * value;
        (percent < self.at_least).then_some(percent)
    }
}
