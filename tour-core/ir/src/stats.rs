//! Statistics of a run: named values in the order in which they were first reported.
//!
//! They are shared, so that what was counted so far can be shown when a run is stopped. Hot loops count in locals
//! and publish now and then.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tour_protocol::result::Statistic;

/// The value of a statistic.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A time.
    Time(Duration),
    /// A ratio or average.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Count(n) => n.fmt(f),
            Value::Time(time) => write!(f, "{:.3} s", time.as_secs_f64()),
            Value::Number(x) => write!(f, "{x:.2}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// Times are numbers of seconds.
impl From<Value> for Statistic {
    fn from(value: Value) -> Statistic {
        match value {
            Value::Count(n) => Statistic::Count(n),
            Value::Time(time) => Statistic::Number(time.as_secs_f64()),
            Value::Number(x) => Statistic::Number(x),
            Value::Text(text) => Statistic::Text(text),
        }
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Value {
        Value::Count(n)
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Value {
        Value::Count(n as u64)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Number(x)
    }
}

impl From<Duration> for Value {
    fn from(time: Duration) -> Value {
        Value::Time(time)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

/// Named values. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Statistics(Arc<Mutex<Vec<(&'static str, Value)>>>);

impl Statistics {
    /// Sets a value. Names are words with dashes: `front-end-time`, `refinements`.
    pub fn set(&self, name: &'static str, value: impl Into<Value>) {
        self.update(name, |_| value.into());
    }

    /// Adds to a count.
    pub fn add(&self, name: &'static str, n: u64) {
        self.update(name, |old| match old {
            Some(Value::Count(old)) => Value::Count(old + n),
            _ => Value::Count(n),
        });
    }

    /// Adds to a time.
    pub fn add_time(&self, name: &'static str, time: Duration) {
        self.update(name, |old| match old {
            Some(Value::Time(old)) => Value::Time(*old + time),
            _ => Value::Time(time),
        });
    }

    /// Sets all values that another one has.
    pub fn take_over(&self, other: &Statistics) {
        for (name, value) in other.rows() {
            self.update(name, |_| value.clone());
        }
    }

    /// All values so far.
    pub fn rows(&self) -> Vec<(&'static str, Value)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn update(&self, name: &'static str, f: impl FnOnce(Option<&Value>) -> Value) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match rows.iter_mut().find(|row| row.0 == name) {
            Some((_, value)) => *value = f(Some(value)),
            None => rows.push((name, f(None))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_first_place() {
        let stats = Statistics::default();
        stats.set("locations", 17usize);
        stats.add("refinements", 1);
        stats.clone().add("refinements", 2);
        stats.set("locations", 18usize);
        stats.add_time("solver-time", Duration::from_millis(1500));
        let rows: Vec<String> = stats.rows().iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(rows, ["locations=18", "refinements=3", "solver-time=1.500 s"]);
    }
}
