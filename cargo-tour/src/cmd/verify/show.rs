//! What a user sees while harnesses run, and at the end.

use super::harnesses::Item;
use crate::packages::Messages;
use crate::term::{Term, print_error, print_line};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tour::capture::{Capture, FoundBy};
use tour::protocol::{Phase, Progress};
use tour::result::{ClaimResult, Counterexample, Counts, SourcePlace, Statistic, Status, brief};

/// Standard output and the progress lines.
pub struct Show {
    term: Term,
    messages: Messages,
    lines: Option<MultiProgress>,
    start: Instant,
    /// Widest package and harness, so that columns stand still.
    width: usize,
    /// One line at a time.
    output: Mutex<()>,
}

/// The progress of one harness.
pub struct Line {
    bar: Option<ProgressBar>,
    /// How often it was reported to be slow.
    reported: Mutex<u32>,
}

impl Show {
    /// For these harnesses.
    pub fn new(term: Term, messages: Messages, items: &[Item]) -> Show {
        let animated = messages == Messages::Human && !term.quiet && std::io::stderr().is_terminal();
        let name = |item: &Item| item.executable.package.len() + item.harness.name.len() + 1;
        Show {
            term,
            messages,
            lines: animated.then(MultiProgress::new),
            start: Instant::now(),
            width: items.iter().map(name).max().unwrap_or(0).min(50),
            output: Mutex::new(()),
        }
    }

    fn line(&self, text: impl std::fmt::Display) {
        let _one = self.output.lock();
        match &self.lines {
            Some(lines) => lines.suspend(|| print_line(text)),
            None => print_line(text),
        }
    }

    /// A harness begins.
    pub fn start(&self, item: &Item) -> Line {
        let bar = self.lines.as_ref().map(|lines| {
            let bar = lines.add(ProgressBar::new_spinner());
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message(format!("{} {}", item.executable.package, item.harness.name));
            bar
        });
        Line { bar, reported: Mutex::new(0) }
    }

    /// A harness ends.
    pub fn end(&self, line: Line) {
        if let Some(bar) = line.bar {
            bar.finish_and_clear();
        }
    }

    /// A harness goes on.
    pub fn progress(
        &self,
        line: &Line,
        item: &Item,
        progress: Option<&Progress>,
        time: Duration,
        slow: Duration,
    ) {
        let details = progress.map(describe).unwrap_or_default();
        let name = format!("{} {}", item.executable.package, item.harness.name);
        if let Some(bar) = &line.bar {
            bar.set_message(format!("{name}  {:.1}s  {details}", time.as_secs_f64()));
            bar.tick();
            return;
        }
        if self.messages != Messages::Human || self.term.quiet || slow.is_zero() {
            return;
        }
        let Ok(mut reported) = line.reported.lock() else { return };
        if time >= slow * (*reported + 1) {
            *reported += 1;
            let status = self.term.status("SLOW", None);
            self.line(format_args!("{status} [>{:>6}s] {name:<1$}  {details}", time.as_secs(), self.width));
        }
    }

    /// What was captured.
    pub fn captured(&self, capture: &Capture, unchanged: bool) {
        if self.messages != Messages::Human || self.term.quiet {
            return;
        }
        print_line(captured_line(&self.term, capture, unchanged));
        if capture.found_by == FoundBy::BuildScriptText {
            print_error(
                "warning: the compiler could not be watched: C files were read from the text of build.rs, some may be missing",
            );
        }
    }

    /// How a harness ended.
    pub fn result(&self, result: &ClaimResult) {
        match self.messages {
            Messages::Human => self.human(result),
            Messages::Short => self.short(result),
            Messages::Json => self.json(&Event::of(result)),
        }
    }

    fn human(&self, result: &ClaimResult) {
        if self.term.quiet && result.is_proved() || result.status == Status::NotRun {
            return;
        }
        let is_good = result.status.is_good().filter(|_| !result.is_unchecked());
        let status = self.term.status(result.status.word(), is_good);
        let time = match result.cached {
            true => " cached".to_owned(),
            false => format!("{:>6.1}s", result.time),
        };
        let name = format!("{} {}", result.claim.group(), result.claim.name());
        let line = format!("{status} [{time}] {name:<0$}  {1}", self.width, remark(result));
        self.line(line.trim_end());
    }

    fn short(&self, result: &ClaimResult) {
        if result.is_proved() {
            return;
        }
        let word = result.status.word().to_lowercase();
        let who = format!("{} {}", result.claim.group(), result.claim.name());
        for violation in &result.violations {
            self.line(format_args!("{}: {word}: {who}: {}", violation.place, violation.message));
        }
        if result.violations.is_empty() {
            let place = result.first_place().map_or(String::new(), |place| format!("{place}: "));
            self.line(format_args!("{place}{word}: {who}: {}", result.why()));
        }
    }

    fn json(&self, event: &Event) {
        match serde_json::to_string(event) {
            Ok(text) => self.line(text),
            Err(error) => crate::crash::report_internal(&format!("a message is no JSON: {error}")),
        }
    }

    /// Everything that is not proved, in full.
    pub fn failures(&self, results: &[ClaimResult]) {
        if self.messages != Messages::Human {
            return;
        }
        for result in results.iter().filter(|r| !matches!(r.status, Status::Proved | Status::NotRun)) {
            print_error(format_args!(
                "\n{} {} {}",
                self.term.status(result.status.word(), Some(false)),
                result.claim.group(),
                result.claim.name()
            ));
            let folder = result.claim.directory();
            for (i, message) in result.diagnostics.iter().enumerate() {
                self.term.message(message, folder);
                if let Some(violation) = result.violations.get(i) {
                    self.violation(violation, folder);
                }
            }
            let reason_alone = matches!(result.status, Status::Violated | Status::Unknown | Status::Crashed);
            if result.diagnostics.is_empty() && reason_alone {
                print_error(format_args!("    {}", result.why()));
            }
            self.details(result);
        }
    }

    fn details(&self, result: &ClaimResult) {
        for vacuity in &result.vacuity {
            self.term.message(&vacuity.to_message(), result.claim.directory());
        }
        if !result.violations.is_empty() {
            if result.others_hold {
                print_error("  all other checks hold");
            }
            // What was not seen natively is not kept.
            if result.violations.iter().any(|violation| violation.replay.is_confirmed()) {
                print_error(format_args!("  replay: cargo tour replay {}", result.claim.name()));
            }
        }
        for assumption in &result.assumptions {
            print_error(format_args!("  assumed: {}", assumption.message));
        }
    }

    /// Under the message of a violation: its inputs, what the native run showed, and its steps if they are wanted.
    fn violation(&self, violation: &Counterexample, folder: &std::path::Path) {
        violation.interleaving.iter().for_each(|row| print_error(format_args!("    {row}")));
        if !violation.inputs.is_empty() {
            print_error("  inputs:");
        }
        for input in &violation.inputs {
            print_error(format_args!("    let {input};"));
        }
        print_error(format_args!("  {}", violation.replay.describe()));
        if !self.term.verbose {
            return;
        }
        print_error("  steps:");
        for step in &violation.trace {
            let file = brief(&step.place.file, folder);
            print_error(format_args!("    {}:{}: {}", file.display(), step.place.line, step.indented()));
        }
    }

    /// The end.
    pub fn summary(&self, results: &[ClaimResult], exit: crate::exit::Exit) {
        let counts = Counts::of(results);
        match self.messages {
            Messages::Json => self.json(&Event::Summary {
                counts,
                exit_code: exit as i32,
                time: self.start.elapsed().as_secs_f64(),
            }),
            Messages::Human | Messages::Short => {
                let status = self.term.status("Summary", Some(exit == crate::exit::Exit::Success));
                let time = self.start.elapsed().as_secs_f64();
                print_line(format_args!("{status} [{time:>6.1}s] {}", in_words(&counts)));
            }
        }
    }
}

/// One line of `--message-format json`.
#[derive(serde::Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Event<'a> {
    Harness {
        package: &'a str,
        harness: String,
        status: Status,
        cached: bool,
        time: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        report: Option<&'a ClaimResult>,
        #[serde(skip_serializing_if = "Option::is_none")]
        crash: Option<&'a str>,
    },
    Summary {
        counts: Counts,
        #[serde(rename = "exit-code")]
        exit_code: i32,
        time: f64,
    },
}

impl Event<'_> {
    fn of(result: &ClaimResult) -> Event<'_> {
        let has_run = !matches!(result.status, Status::Crashed | Status::NotRun);
        Event::Harness {
            package: result.claim.group(),
            harness: result.claim.name(),
            status: result.status,
            cached: result.cached,
            time: result.time,
            report: has_run.then_some(result),
            crash: (result.status == Status::Crashed).then_some(&result.reason),
        }
    }
}

/// `Captured 3 C files from 1 build script`
pub fn captured_line(term: &Term, capture: &Capture, unchanged: bool) -> String {
    let scripts = capture.scripts.iter().filter(|s| s.units > 0).count();
    let status = term.status("Captured", Some(true));
    let suffix = if unchanged { ", unchanged" } else { "" };
    format!(
        "{status} {} from {}{suffix}",
        count(capture.units.len(), "C file"),
        count(scripts, "build script")
    )
}

/// What is worth a word beside the status.
fn remark(result: &ClaimResult) -> String {
    let why = result.why().to_owned();
    match result.status {
        Status::Proved => {
            let mut text = count(result.check_count(), "check");
            if let Some(Statistic::Count(predicates)) = result.statistics.get("predicates") {
                text.push_str(&format!(", {}", count(*predicates as usize, "predicate")));
            }
            if !result.assumptions.is_empty() {
                text.push_str(&format!(", {}", count(result.assumptions.len(), "assumption")));
            }
            if result.is_unchecked() { format!("{why}  {text}") } else { text }
        }
        Status::Violated => result.replay().unwrap_or(why),
        Status::Unknown => {
            let name = |place: &SourcePlace| place.file.file_name().map(|n| n.to_string_lossy().into_owned());
            match result.first_place().and_then(|place| Some((name(place)?, place.line))) {
                Some((file, line)) => format!("{why}, at {file}:{line}"),
                None => why,
            }
        }
        Status::Invalid | Status::Vacuous | Status::Crashed | Status::NotRun => why,
    }
}

/// `refinement 31, 212 predicates, 1.4 GiB`
fn describe(progress: &Progress) -> String {
    let phase = match progress.phase {
        Phase::Capture => "looking for C",
        Phase::Read => "reading",
        Phase::Analyse => "",
        Phase::Vacuity => "asking whether claims are vacuous",
        Phase::Replay => "replaying",
    };
    let memory = progress.memory as f64 / f64::from(1 << 20);
    let memory =
        if memory >= 1024.0 { format!("{:.1} GiB", memory / 1024.0) } else { format!("{memory:.0} MiB") };
    if phase.is_empty() {
        let Progress { refinements, predicates, states, visited_lines, .. } = progress;
        let lines = 100.0 * visited_lines;
        format!(
            "refinement {refinements}, {predicates} predicates, {states} states, {lines:.0} % of lines, {memory}"
        )
    } else {
        format!("{phase}, {memory}")
    }
}

fn in_words(counts: &Counts) -> String {
    let parts = [
        (counts.proved, "proved"),
        (counts.violated, "violated"),
        (counts.unknown, "unknown"),
        (counts.vacuous, "vacuous"),
        (counts.invalid, "invalid"),
        (counts.crashed, "crashed"),
        (counts.not_run, "not run"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let cached = if counts.cached > 0 { format!(" ({} cached)", counts.cached) } else { String::new() };
    format!("{}: {}{cached}", count(counts.selected, "harness"), parts.join(", "))
}

/// `1 check`, `2 checks`, `3 harnesses`.
pub fn count(n: usize, what: &str) -> String {
    match (n, what.ends_with('s')) {
        (1, _) => format!("1 {what}"),
        (_, true) => format!("{n} {what}es"),
        (_, false) => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        assert_eq!(count(1, "harness"), "1 harness");
        assert_eq!(count(2, "harness"), "2 harnesses");
        assert_eq!(count(0, "check"), "0 checks");
        let counts =
            Counts { selected: 4, proved: 2, unknown: 1, violated: 1, cached: 1, ..Counts::default() };
        assert_eq!(in_words(&counts), "4 harnesses: 2 proved, 1 violated, 1 unknown (1 cached)");
    }

    #[test]
    fn progress_in_words() {
        let mut progress = Progress {
            phase: Phase::Analyse,
            refinements: 31,
            predicates: 212,
            states: 9,
            visited_lines: 0.5,
            time: 1.0,
            memory: 3 << 29,
        };
        assert_eq!(describe(&progress), "refinement 31, 212 predicates, 9 states, 50 % of lines, 1.5 GiB");
        progress.phase = Phase::Read;
        progress.memory = 5 << 20;
        assert_eq!(describe(&progress), "reading, 5 MiB");
    }
}
