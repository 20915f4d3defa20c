//! Several harnesses at once: a few workers take the next from a common list.

use super::cache::{Cache, Reading};
use super::child;
use super::harnesses::Item;
use super::regressions;
use super::show::Show;
use crate::cmd::report::RECORDS;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tour::config::{HarnessOptions, Override};
use tour::protocol::{Action, Request, Witness};
use tour::result::{ClaimResult, Status};
use tour::visible::visible_in;
use tour_syntax::units::Limit;

/// How harnesses are run.
///
/// What is said in several places counts in this order: the command line; the harness's own `#[verify(…)]`; the first part of
/// the profile whose pattern the harness's name matches and that says it; the profile; what is so by default.
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
    /// How many percent of the kept results are compared with new ones.
    pub recheck: u32,
    /// Say that one is slow after this time, and again each time it has passed.
    pub slow_after: Duration,
    /// Where witnesses go.
    pub witnesses: Option<PathBuf>,
}

impl Settings {
    /// What is asked of a harness. It says all that was said, in whatever place.
    pub fn request(&self, item: &Item) -> Request {
        let harness = &item.harness;
        let own = HarnessOptions {
            timeout: harness.timeout.map(|limit| Duration::try_from_secs_f64(limit).ok()),
            memory: harness.memory.map(Some),
            properties: (!harness.properties.is_empty()).then(|| harness.properties.clone()),
            malloc_may_fail: harness.malloc_may_fail.then_some(true),
            engine: harness.engine.clone(),
        };
        let matching = self.overrides.iter().filter(|part| part.matches(harness)).map(|part| &part.options);
        let options = std::iter::once(&own).chain(matching).chain([&self.otherwise]);
        let HarnessOptions { timeout, memory, properties, malloc_may_fail, engine } =
            options.fold(self.asked.clone(), |strong, weak| strong.or(weak));
        Request {
            timeout: timeout.map(|limit| Limit(limit).seconds()),
            memory: memory.map(|limit| Limit(limit).bytes()),
            properties: properties.unwrap_or_default(),
            malloc_may_fail: malloc_may_fail.unwrap_or(false),
            engine,
            no_replay: self.no_replay,
            ..Request::new(Action::Verify, &harness.name)
        }
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
        // From here on it is shown. What is kept is as it was found.
        let result = ClaimResult { cached: result.cached, ..visible_in(&result) };
        let good = result.is_proved();
        show.result(&result);
        if !good {
            failed.store(true, Ordering::Relaxed);
        }
        results.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
    };
    // What is known costs little: first, and in order.
    let mut waiting = Vec::new();
    let mut readings: Vec<Mutex<Known>> = Vec::new();
    for (i, (reading, known)) in look_up(items, settings, cache, stop).into_iter().enumerate() {
        let mut compared = None;
        match known {
            Some(result) if is_drawn(settings.recheck) => {
                compared = Some(result);
                waiting.push(i);
            }
            Some(result) => put(i, ClaimResult { cached: true, ..result }),
            None => waiting.push(i),
        }
        readings.push(Mutex::new((reading, compared)));
    }
    let work = || {
        loop {
            let stopped =
                stop.load(Ordering::Relaxed) || settings.fail_fast && failed.load(Ordering::Relaxed);
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(&i) = waiting.get(position).filter(|_| !stopped) else { break };
            let (reading, known) =
                std::mem::take(&mut *readings[i].lock().unwrap_or_else(PoisonError::into_inner));
            let kept = cache.zip(reading);
            let result = one(&items[i], settings, places, kept.as_ref().map(|(c, r)| (*c, r)), stop, show);
            put(i, known.map_or(result.clone(), |known| compared(known, result)));
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

/// Whether one of a hundred falls to this share.
fn is_drawn(percent: u32) -> bool {
    // The state is another one each time, so that every result has its turn some day.
    (std::hash::RandomState::new().hash_one(()) % 100) < u64::from(percent)
}

/// A kept result and a new one of the same text: both must say the same.
fn compared(known: ClaimResult, new: ClaimResult) -> ClaimResult {
    let is_decided = |status| matches!(status, Status::Proved | Status::Vacuous | Status::Violated);
    match (is_decided(known.status) && is_decided(new.status), known.status == new.status) {
        (true, false) => {
            let reason = format!(
                "its kept result is {}, and verified anew it is {}: one of them is wrong; please report it",
                known.status.word(),
                new.status.word()
            );
            ClaimResult { reason, ..ClaimResult::new(new.claim, Status::Crashed) }
        }
        // A limit says nothing against what was found before.
        (false, _) if is_decided(known.status) => ClaimResult { cached: true, ..known },
        _ => new,
    }
}

type Known = (Option<Reading>, Option<ClaimResult>);

/// Reads for all harnesses, and looks for results of earlier runs.
fn look_up(items: &[Item], settings: &Settings, cache: Option<&Cache>, stop: &AtomicBool) -> Vec<Known> {
    let none = || items.iter().map(|_| (None, None)).collect();
    let Some(cache) = cache else { return none() };
    let found: Mutex<Vec<Known>> = Mutex::new(none());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((i, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
        {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let reading = cache.read(item, &settings.request(item));
            let wanted = reading.as_ref().filter(|_| settings.witnesses.is_none());
            let known = wanted.and_then(|reading| cache.get(item, reading));
            found.lock().unwrap_or_else(PoisonError::into_inner)[i] = (reading, known);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
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

/// Verifies one harness in a worker, and keeps what is worth keeping. What was read for it is what the worker gets.
pub fn one(
    item: &Item,
    settings: &Settings,
    places: &Places,
    kept: Option<(&Cache, &Reading)>,
    stop: &AtomicBool,
    show: &Show,
) -> ClaimResult {
    // Not in `target`, which others may remove.
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            let why = format!("cannot write in `{}`: {error}", std::env::temp_dir().display());
            return ClaimResult { reason: why, ..ClaimResult::new(item.harness.clone(), Status::Crashed) };
        }
    };
    let line = show.start(item);
    let snapshot = kept.map(|(_, reading)| (reading, folder.path().join("snapshot.json")));
    if let Some((reading, path)) = &snapshot
        && let Err(error) = reading.snapshot.write(path)
    {
        let why = format!("cannot write `{}`: {error}", path.display());
        return ClaimResult { reason: why, ..ClaimResult::new(item.harness.clone(), Status::Crashed) };
    }
    let request = Request {
        snapshot: snapshot.map(|(_, path)| path),
        regressions: regressions::read(item),
        record: record(item, places.tour),
        witness: settings.witnesses.as_deref().map(|folder| witness(item, folder)),
        ..settings.request(item)
    };
    let result = child::run(item, request, places.capture, folder.path(), stop, |progress, time| {
        show.progress(&line, item, progress, time, settings.slow_after);
    });
    show.end(line);
    if let Some((cache, reading)) = kept {
        cache.put(item, reading, &result);
    }
    regressions::keep(item, &result);
    result
}

#[cfg(test)]
mod tests {
    use super::super::harnesses::tests::item;
    use super::*;
    use tour::result::EngineChoices;

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
            recheck: 0,
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
