//! Several harnesses at once: a few workers take the next from a common list.

use super::cache::Cache;
use super::child;
use super::harnesses::Item;
use super::regressions;
use super::show::Show;
use crate::cmd::report::RECORDS;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tour::config::{HarnessOptions, Override, strongest};
use tour::protocol::{Action, Request, Witness};
use tour::result::{ClaimResult, Status};

/// How harnesses are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// On the command line.
    pub asked: HarnessOptions,
    /// In the profile, for harnesses of a name.
    pub overrides: Vec<Override>,
    /// In the profile, and by default.
    pub otherwise: HarnessOptions,
    /// How many at once.
    pub jobs: usize,
    /// Stop after the first that is not proved.
    pub fail_fast: bool,
    /// No native runs.
    pub no_replay: bool,
    /// Say that one is slow after this time, and again each time it has passed.
    pub slow_after: Duration,
    /// Where witnesses go.
    pub witnesses: Option<PathBuf>,
}

impl Settings {
    /// What is asked of a harness. It says all that was said, in whatever place.
    pub fn request(&self, item: &Item) -> Request {
        let harness = &item.harness;
        let options = strongest(&self.asked, harness, &self.overrides, &self.otherwise);
        options.ask(Request { no_replay: self.no_replay, ..Request::new(Action::Verify, &harness.name) })
    }
}

/// Where the capture is, for the harnesses.
pub struct Places<'a> {
    /// As written by the capture; the harnesses find it by [`tour::capture::CAPTURE_VARIABLE`].
    pub capture: &'a Path,
    /// `target/tour`
    pub tour: &'a Path,
}

/// Runs all; the results are in the order of the items.
pub fn run(
    items: &[Item],
    settings: &Settings,
    places: &Places,
    cache: Option<&Cache>,
    stop: &AtomicBool,
    show: &Show,
) -> Vec<ClaimResult> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let results: Mutex<Vec<Option<ClaimResult>>> = Mutex::new(vec![None; items.len()]);
    let put = |i: usize, result: ClaimResult| {
        let good = result.is_proved();
        show.result(&result);
        if !good {
            failed.store(true, Ordering::Relaxed);
        }
        results.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
    };
    // What is known costs nothing: first, and in order.
    let mut waiting = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let known = cache.filter(|_| settings.witnesses.is_none());
        match known.and_then(|cache| cache.get(item, &settings.request(item))) {
            Some(result) => put(i, ClaimResult { cached: true, ..result }),
            None => waiting.push(i),
        }
    }
    let work = || {
        loop {
            let stopped =
                stop.load(Ordering::Relaxed) || settings.fail_fast && failed.load(Ordering::Relaxed);
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(&i) = waiting.get(position).filter(|_| !stopped) else { break };
            put(i, one(&items[i], settings, places, cache, stop, show));
        }
    };
    let workers = settings.jobs.clamp(1, waiting.len().max(1));
    std::thread::scope(|scope| {
        (1..workers).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let not_run = |item: &Item| ClaimResult::new(item.harness.clone(), Status::NotRun);
    results.into_iter().zip(items).map(|(result, item)| result.unwrap_or_else(|| not_run(item))).collect()
}

/// The name of a harness as that of a file.
fn plain_name(item: &Item) -> String {
    let name = format!("{}-{}", item.executable.package, item.harness.name);
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Where the record of a harness goes, for `cargo tour report`.
pub fn record(item: &Item, tour: &Path) -> Option<PathBuf> {
    let folder = tour.join(RECORDS);
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join(format!("{}.json", plain_name(item))))
}

/// Where its witness goes.
fn witness(item: &Item, folder: &Path) -> Witness {
    Witness {
        file: folder.join(format!("{}.yml", plain_name(item))),
        time: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    }
}

/// Verifies one harness in a worker, and keeps what is worth keeping.
pub fn one(
    item: &Item,
    settings: &Settings,
    places: &Places,
    cache: Option<&Cache>,
    stop: &AtomicBool,
    show: &Show,
) -> ClaimResult {
    let folder = match tempfile::tempdir_in(places.tour) {
        Ok(folder) => folder,
        Err(error) => {
            let why = format!("cannot write in `{}`: {error}", places.tour.display());
            return ClaimResult { reason: why, ..ClaimResult::new(item.harness.clone(), Status::Crashed) };
        }
    };
    let line = show.start(item);
    let asked = settings.request(item);
    let request = Request {
        regressions: regressions::read(item),
        record: record(item, places.tour),
        witness: settings.witnesses.as_deref().map(|folder| witness(item, folder)),
        ..asked.clone()
    };
    let result = child::run(item, request, places.capture, folder.path(), stop, |progress, time| {
        show.progress(&line, item, progress, time, settings.slow_after);
    });
    show.end(line);
    if let Some(cache) = cache {
        cache.put(item, &asked, &result);
    }
    regressions::keep(item, &result);
    result
}

#[cfg(test)]
mod tests {
    use super::super::harnesses::tests::item;
    use super::*;
    use tour::result::EngineChoices;
    use tour_syntax::units::Limit;

    fn options(seconds: Option<u64>, analysis: Option<&str>) -> HarnessOptions {
        HarnessOptions {
            timeout: seconds.map(|seconds| Some(Duration::from_secs(seconds))),
            engine: EngineChoices { analysis: analysis.map(str::to_owned), ..EngineChoices::default() },
            ..HarnessOptions::default()
        }
    }

    #[test]
    fn what_is_said_nearest_to_the_harness_counts_and_the_command_line_before_all() {
        let part = |pattern: &str, options| Override { harness: pattern.into(), options };
        let mut settings = Settings {
            asked: HarnessOptions::default(),
            overrides: vec![
                part("ring::*", options(Some(3), None)),
                part("*", options(Some(4), Some("bmc"))),
            ],
            otherwise: options(Some(5), Some("auto")),
            jobs: 1,
            fail_fast: false,
            no_replay: false,
            slow_after: Duration::ZERO,
            witnesses: None,
        };
        let mut ring = item("ring::pop");
        let asked = |settings: &Settings, item: &Item| {
            let request = settings.request(item);
            (request.timeout, request.engine.analysis)
        };
        let expect = |seconds: f64, analysis: &str| (Some(seconds), Some(analysis.to_owned()));
        assert_eq!(asked(&settings, &ring), expect(3.0, "bmc"));
        assert_eq!(asked(&settings, &item("crc")), expect(4.0, "bmc"));
        ring.harness.timeout = Some(2.0);
        ring.harness.engine.analysis = Some("lazy".into());
        assert_eq!(asked(&settings, &ring), expect(2.0, "lazy"));
        settings.asked = options(Some(1), None);
        assert_eq!(asked(&settings, &ring), expect(1.0, "lazy"));
        settings.overrides.clear();
        assert_eq!(asked(&settings, &item("crc")), expect(1.0, "auto"));
        // No limit is a limit that was said.
        settings.asked.timeout = Some(None);
        assert_eq!(settings.request(&ring).timeout, Some(Limit::<Duration>(None).seconds()));
    }
}
