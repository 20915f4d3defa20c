//! Values over time [COVERAGE §4.3]: one sample of all measures when something has grown, thinned so that a long run costs
//! no more than a short one.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How many samples are kept at most.
const MAX_SAMPLES: usize = 400;

/// The shortest time between two samples at the beginning.
const FIRST_GAP: Duration = Duration::from_millis(2);

/// Samples of all measures: how many things each covers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Series {
    /// Seconds since the beginning, ascending.
    pub times: Vec<f64>,
    /// For each measure, a count for each time.
    pub counts: Vec<Vec<usize>>,
}

/// Makes a series.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    series: Series,
    gap: Duration,
    next: Duration,
}

impl Sampler {
    pub(super) fn new(measures: usize) -> Sampler {
        Sampler {
            series: Series { times: Vec::new(), counts: vec![Vec::new(); measures] },
            gap: FIRST_GAP,
            next: Duration::ZERO,
        }
    }

    /// It is time for a sample.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        now >= self.next
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, now: Duration, counts: impl Iterator<Item = usize>) {
        self.series.times.push(now.as_secs_f64());
        for (column, count) in self.series.counts.iter_mut().zip(counts) {
            column.push(count);
        }
        if self.series.times.len() > MAX_SAMPLES {
            self.thin();
        }
        self.next = now + self.gap;
    }

    /// Drops every other sample, and takes half as many from now on.
    fn thin(&mut self) {
        fn every_other<T: Copy>(column: &mut Vec<T>) {
            let kept: Vec<T> = column.iter().copied().step_by(2).collect();
            *column = kept;
        }
        every_other(&mut self.series.times);
        self.series.counts.iter_mut().for_each(every_other);
        self.gap *= 2;
    }

    /// The samples so far.
    pub(super) fn series(&self) -> &Series {
        &self.series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_few_samples() {
        let mut sampler = Sampler::new(1);
        for ms in 0..100_000u64 {
            let now = Duration::from_millis(ms);
            if sampler.is_due(now) {
                sampler.add(now, std::iter::once(ms as usize));
            }
        }
        let series = sampler.series();
        assert!((200..=MAX_SAMPLES).contains(&series.times.len()), "{}", series.times.len());
        assert!(series.times.is_sorted() && series.counts[0].is_sorted());
        assert!(series.times.last().is_some_and(|t| *t > 99.0));
    }
}
