//! Durations and sizes as people write them.

use std::time::Duration;

/// A limit; `none` lifts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit<T>(pub Option<T>);

/// `60s`, `2m 30s`, a bare number of seconds, or `none`.
pub fn duration(text: &str) -> Result<Limit<Duration>, String> {
    let text = text.trim();
    if text == "none" {
        return Ok(Limit(None));
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return match Duration::try_from_secs_f64(seconds) {
            Ok(time) => Ok(Limit(Some(time))),
            Err(error) => Err(error.to_string()),
        };
    }
    match humantime::parse_duration(text) {
        Ok(time) => Ok(Limit(Some(time))),
        Err(error) => Err(format!("{error}; write for example `60s`, `2m 30s` or `none`")),
    }
}

/// `4G`, `512MiB`, `none`. Letters without `i` count by 1024 too: this is memory.
pub fn size(text: &str) -> Result<Limit<u64>, String> {
    let text = text.trim();
    if text == "none" {
        return Ok(Limit(None));
    }
    match parse_size::Config::new().with_binary().parse_size(text) {
        Ok(0) => Err("no memory at all is too little".into()),
        Ok(bytes) => Ok(Limit(Some(bytes))),
        Err(error) => Err(format!("{error}; write for example `4G`, `512M` or `none`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let seconds = |text| duration(text).map(|d| d.0.map(|d| d.as_secs_f64()));
        assert_eq!(seconds("60s"), Ok(Some(60.0)));
        assert_eq!(seconds("2m 30s"), Ok(Some(150.0)));
        assert_eq!(seconds("200ms"), Ok(Some(0.2)));
        assert_eq!(seconds("0.5"), Ok(Some(0.5)));
        assert_eq!(seconds("none"), Ok(None));
        for wrong in ["", "fast", "-1", "60 parsecs", "NaN"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("4G"), Ok(Limit(Some(4 << 30))));
        assert_eq!(size("512MiB"), Ok(Limit(Some(512 << 20))));
        assert_eq!(size("1.5k"), Ok(Limit(Some(1536))));
        assert_eq!(size("none"), Ok(Limit(None)));
        for wrong in ["", "0", "much", "-4G", "4 parsecs"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
