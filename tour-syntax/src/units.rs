//! Durations and sizes as people write them: on the command line, in `tour.toml` and in `#[verify(…)]`.

use std::fmt;
use std::time::Duration;

/// A limit; `none` lifts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit<T>(pub Option<T>);

impl Limit<Duration> {
    /// In seconds. Where there is no limit, more than anyone waits.
    pub fn seconds(self) -> f64 {
        self.0.map_or(1e9, |time| time.as_secs_f64())
    }
}

impl Limit<u64> {
    /// In bytes. Where there is no limit, more than any machine has.
    pub fn bytes(self) -> u64 {
        self.0.unwrap_or(u64::MAX)
    }
}

/// A text that is no duration or no size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for Wrong {}

/// `60s`, `2m 30s`, `1.5h`, a bare number of seconds, or `none`.
pub fn duration(text: &str) -> Result<Limit<Duration>, Wrong> {
    let parse = || {
        let mut total = Duration::ZERO;
        let mut rest = text.trim();
        loop {
            let (number, unit, after) = quantity(rest)?;
            let seconds = match unit {
                "ns" | "nsec" => 1e-9,
                "us" | "usec" => 1e-6,
                "ms" | "msec" => 1e-3,
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
                "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
                "d" | "day" | "days" => 86400.0,
                "w" | "week" | "weeks" => 604_800.0,
                "" if number == text.trim() => 1.0,
                _ => return None,
            };
            let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
            total = total.checked_add(part)?;
            if after.is_empty() {
                return Some(total);
            }
            rest = after;
        }
    };
    limit(text, parse).ok_or_else(|| Wrong {
        message: format!("`{text}` is no time"),
        help: "write for example `60s`, `2m 30s` or `none`",
    })
}

/// `4G`, `512MiB`, `1.5k`, a bare number of bytes, or `none`. All units count by 1024: this is memory.
pub fn size(text: &str) -> Result<Limit<u64>, Wrong> {
    let parse = || {
        let (number, unit, after) = quantity(text.trim())?;
        let shift = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return None,
        };
        let bytes = match number.parse::<u64>() {
            Ok(number) => number.checked_mul(1 << shift)?,
            Err(_) if number.contains('.') => (number.parse::<f64>().ok()? * (1u64 << shift) as f64) as u64,
            Err(_) => return None,
        };
        (after.is_empty() && bytes > 0).then_some(bytes)
    };
    limit(text, parse).ok_or_else(|| Wrong {
        message: format!("`{text}` is no amount of memory"),
        help: "write for example `4G`, `512M` or `none`",
    })
}

fn limit<T>(text: &str, parse: impl FnOnce() -> Option<T>) -> Option<Limit<T>> {
    if text.trim() == "none" {
        Some(Limit(None))
    } else {
        parse().map(|value| Limit(Some(value)))
    }
}

/// A number at the beginning, the unit behind it, and what comes then.
fn quantity(text: &str) -> Option<(&str, &str, &str)> {
    let split = |text: &str, within: fn(char) -> bool| text.find(|c| !within(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at(split(text, |c| c.is_ascii_digit() || c == '.'));
    let rest = rest.trim_start();
    let (unit, rest) = rest.split_at(split(rest, |c| c.is_ascii_alphabetic()));
    (!number.is_empty()).then_some((number, unit, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let seconds = |text| duration(text).map(|limit| limit.0.map(|time| time.as_secs_f64()));
        for (text, want) in [
            ("60s", 60.0),
            ("2m 30s", 150.0),
            ("2m30s", 150.0),
            (" 1 h 5 min ", 3900.0),
            ("200ms", 0.2),
            ("1.5m", 90.0),
            ("0.5", 0.5),
            ("0s", 0.0),
            ("0s 1s", 1.0),
        ] {
            assert_eq!(seconds(text), Ok(Some(want)), "{text}");
        }
        assert_eq!(seconds("none"), Ok(None));
        for wrong in [
            "",
            "s",
            "soon",
            "-1",
            "-1s",
            "60 parsecs",
            "NaN",
            "inf",
            "1e999h",
            "é",
            "2m 30",
            "1.2.3s",
            "60s,",
        ] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        let digits = "9".repeat(400);
        assert!(duration(&format!("{digits}h")).is_err());
        let error = duration("soon").expect_err("no time").to_string();
        assert_eq!(error, "`soon` is no time; write for example `60s`, `2m 30s` or `none`");
    }

    #[test]
    fn sizes() {
        for (text, want) in [
            ("4G", 4 << 30),
            ("512MiB", 512 << 20),
            ("512 mb", 512 << 20),
            ("1.5k", 1536),
            ("2T", 2 << 40),
            ("100000", 100_000),
        ] {
            assert_eq!(size(text), Ok(Limit(Some(want))), "{text}");
        }
        assert_eq!(size("none"), Ok(Limit(None)));
        for wrong in [
            "",
            "0",
            "0G",
            "much",
            "-4G",
            "4 parsecs",
            "4G 5M",
            "99999999999999999999G",
            "18446744073709551615G",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_limit_is_a_large_one() {
        assert_eq!(Limit::<Duration>(None).seconds(), 1e9);
        assert_eq!(Limit::<u64>(None).bytes(), u64::MAX);
    }
}
