//! Verifying one harness, from its text to a result.

use super::choices;
use super::find;
use super::inputs::{AsRust, label_inputs};
use super::lower::Lowered;
use super::mutants;
use super::progress;
use super::snapshot::{Reader, Snapshot};
use super::vacuity;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tour_c::load::FrontError;
use tour_c::sema::LowerOptions;
use tour_capture::capture;
use tour_engine::analysis::{self, Kind};
use tour_engine::confirm::{Recorder, shrink_all, steps};
use tour_engine::context::{Context, Findings, Watch};
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_interp::interp::{Fixed, Image, Options, Outcome, Trace};
use tour_ir::limits::{Ended, Limits, supervise};
use tour_ir::prepared::Prepared;
use tour_ir::program::{DataModel, Rule};
use tour_ir::source::{Diagnostic, SourceMap};
use tour_protocol::protocol::{self, Phase, Request};
use tour_protocol::result::{ClaimResult, Counterexample, Harness, Note, ReachedUnit, Replay, Status};
use tour_report::coverage::{Collector, Settings};
use tour_report::fault;
use tour_report::report::build::{self, Evidence};
use tour_report::report::places::Places;
use tour_report::report::record::Record;
use tour_report::report::stuck::Stuck;
use tour_report::report::witness;

/// The wall-clock limit where none is given.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Verifies a harness.
pub(super) fn verify(harness: &Harness, request: &Request) -> ClaimResult {
    // A first build may take long, and that is not the harness's time. The job finds what this leaves, or the same error.
    if request.compile_commands.is_none() {
        let _ = capture::units(&harness.manifest_dir);
    }
    let start = Instant::now();
    let limits = Limits {
        time: Some(
            request
                .timeout
                .or(harness.timeout)
                .and_then(|limit| Duration::try_from_secs_f64(limit).ok())
                .unwrap_or(TIMEOUT),
        ),
        memory: request.memory.or(harness.memory),
    };
    let stuck = Arc::new(Stuck::default());
    let context = Context { watch: Watch::new(stuck.clone()), ..Context::default() };
    let reporter = progress::Reporter::start(request.progress.clone());
    let (asked, job_context, phase) = (request.clone(), context.clone(), reporter.phase());
    let job_harness = harness.clone();
    let decided = Arc::new(OnceLock::new());
    let job_decided = decided.clone();
    let ended = supervise(limits, &context.interrupt, move || {
        let decided = job_decided;
        let guessed = AtomicBool::new(false);
        Job {
            harness: job_harness,
            request: asked,
            context: job_context,
            phase,
            stuck,
            start,
            guessed,
            decided,
        }
        .run()
    });
    // What was decided stays so, whatever became of the search for suspects.
    let mut result = match (ended, decided.get()) {
        (Ended::Returned(result), _) => result,
        (Ended::Stuck(_) | Ended::Panicked, Some(result)) => ClaimResult::clone(result),
        (Ended::Stuck(reason), None) => build::unknown(harness.clone(), &UnknownReason::Stopped(reason)),
        (Ended::Panicked, None) => build::unknown(
            harness.clone(),
            &UnknownReason::Internal("tour itself failed; please report it with the harness".into()),
        ),
    };
    reporter.stop();
    result.statistics = build::statistics(&context.stats);
    result.time = start.elapsed().as_secs_f64();
    result
}

/// A harness that should fail is fine if it does, as it should and in no other way.
pub(super) fn expect(result: &mut ClaimResult) {
    let Some(harness) = result.claim.harness().filter(|harness| harness.must_fail()) else { return };
    let wanted = harness.should_fail.clone().unwrap_or_default();
    let (expected, others): (Vec<&Counterexample>, Vec<&Counterexample>) =
        result.violations.iter().partition(|found| matches(found, &wanted));
    let (status, reason) = match (expected.first(), others.first(), result.status) {
        (Some(found), None, _) => (Status::Proved, format!("fails as it should: {}", found.message)),
        (Some(_), Some(other), _) => (
            Status::Violated,
            format!("should fail with `{wanted}` alone, but also with `{}`", other.message),
        ),
        (None, Some(other), _) => {
            (Status::Violated, format!("should fail with `{wanted}`, but fails with `{}`", other.message))
        }
        (None, None, Status::Proved | Status::Vacuous) => match wanted.is_empty() {
            true => (Status::Violated, "should fail, but holds".to_owned()),
            false => (Status::Violated, format!("should fail with `{wanted}`, but holds")),
        },
        (None, None, _) => return,
    };
    (result.status, result.reason) = (status, reason);
    result.vacuity.clear();
}

/// Whether a violation is the one that is asked for: by its rule, its message, or what its native run said.
fn matches(found: &Counterexample, wanted: &str) -> bool {
    let seen = match &found.replay {
        Replay::Confirmed { how } => how.as_str(),
        Replay::NotShown { .. } | Replay::NotRun { .. } => "",
    };
    [&found.property, &found.message, seen].iter().any(|text| text.contains(wanted))
}

struct Job {
    harness: Harness,
    request: Request,
    context: Context,
    phase: progress::Shared,
    stuck: Arc<Stuck>,
    start: Instant,
    /// The build was not watched.
    guessed: AtomicBool,
    /// The result, before suspects are looked for.
    decided: Arc<OnceLock<ClaimResult>>,
}

impl Job {
    fn run(&self) -> ClaimResult {
        let manifest_dir = self.harness.manifest_dir.as_path();
        self.phase.set(Phase::Read);
        let reading = Instant::now();
        let read =
            self.snapshot(manifest_dir).and_then(|snapshot| Ok((snapshot.harness(&self.harness)?, snapshot)));
        let (source, snapshot) = match read {
            Ok(read) => read,
            Err(error) => return self.invalid(&error),
        };
        let files = source.items.files.clone();
        let front = snapshot.front(&self.harness);
        self.guessed.store(snapshot.is_guessed, Ordering::Relaxed);
        let options = LowerOptions {
            model: data_model(&self.harness),
            stubs: snapshot.stubs.clone(),
            malloc_may_fail: self.request.malloc_may_fail || self.harness.malloc_may_fail,
            ..LowerOptions::default()
        };
        let lowered = match source.lower(&snapshot.inputs(), &front, options) {
            Ok(lowered) => lowered,
            Err(error) => return self.invalid(&error),
        };
        self.context.stats.set("front-end-time", reading.elapsed());
        ClaimResult { sources: files, ..self.analyse(lowered) }
    }

    /// What was read for it, or is read now.
    fn snapshot(&self, manifest_dir: &Path) -> Result<Snapshot, FrontError> {
        let error = |diagnostic: Box<Diagnostic>| FrontError {
            diagnostics: vec![*diagnostic],
            sources: SourceMap::default(),
        };
        if let Some(path) = &self.request.snapshot {
            return Snapshot::read(path).map_err(error);
        }
        self.phase.set(Phase::Capture);
        let captured = match &self.request.compile_commands {
            Some(path) => find::compile_commands(path),
            None => capture::units(manifest_dir).map_err(|error| {
                Box::new(Diagnostic::error("tour::capture", error.to_string()).help(error.help()))
            }),
        };
        let captured = captured.map_err(error)?;
        self.phase.set(Phase::Read);
        Snapshot::take(&self.harness, &Reader::new(&captured))
    }

    /// The harness or the C can't be read.
    fn invalid(&self, error: &FrontError) -> ClaimResult {
        match self.context.interrupt.reason() {
            Some(stop) => build::unknown(self.harness.clone(), &UnknownReason::Stopped(stop)),
            None => build::invalid(self.harness.clone(), &error.diagnostics, &error.sources),
        }
    }

    fn analyse(&self, lowered: Lowered) -> ClaimResult {
        let asked: Vec<&str> = match &self.request.properties[..] {
            [] => self.harness.properties.iter().map(String::as_str).collect(),
            given => given.iter().map(String::as_str).collect(),
        };
        let rules = match rules(&asked) {
            Ok(rules) => rules,
            Err(diagnostic) => {
                let sources = lowered.program.sources.clone();
                return self.invalid(&FrontError { diagnostics: vec![*diagnostic], sources });
            }
        };
        // Who asks has put its own words before the harness's.
        let options = match choices::options(&self.request.engine.clone().or(&self.harness.engine)) {
            Ok(options) => options,
            Err(why) => {
                let sources = lowered.program.sources.clone();
                let place = format!("{}:{}", self.harness.file.display(), self.harness.line);
                let help = format!("it is said on the command line, in tour.toml or at {place}");
                let diagnostic = Diagnostic::error("tour::options", why).help(help);
                return self.invalid(&FrontError { diagnostics: vec![diagnostic], sources });
            }
        };
        self.phase.set(Phase::Analyse);
        let original = self.request.mutants.map(|asked| (asked, lowered.program.clone()));
        let lowered = lowered.prepared(&rules);
        let stats = &self.context.stats;
        stats.set("locations", lowered.program.cfa.locs.len());
        stats.set("edges", lowered.program.cfa.edges.len());
        let found = self.regression(&lowered.program);
        let collector = Collector::new(&lowered.program, Settings { graph: true, ..Settings::default() });
        self.phase.watch(&collector);
        let watch = self.context.watch.with(collector.clone());
        let context = Context { watch, ..self.context.clone() };
        let mut found = found.unwrap_or_else(|| self.findings(&lowered.program, &context, &options));
        // Suspects are looked for around the run that was found: zeros and ones tell less of a fault.
        let first = found.violations.first().cloned();
        shrink_all(&lowered.program, &mut found, &self.context);
        self.witness(&lowered, &rules, &found);
        let mut result = self.result(&lowered, &rules, &found, options.certify);
        let record = self.record(&lowered.program, &found, &result, &collector);
        if let Some(violation) = first {
            let _ = self.decided.set(result.clone());
            let program = &lowered.program;
            let faults = fault::localise(program, &violation, &self.context, &fault::Options::default());
            let here = std::env::current_dir().unwrap_or_default();
            let explain = format!("cargo tour explain {}", self.harness.name);
            build::add_faults(&mut result, &faults, &explain, &here);
            self.leave(&record.result(&result));
        }
        if let (Status::Proved, false) = (result.status, self.harness.clone().must_fail()) {
            self.phase.set(Phase::Vacuity);
            result.vacuity = vacuity::find(&lowered, &self.context);
            if !result.vacuity.is_empty() {
                result.status = Status::Vacuous;
            }
            result.mutants =
                original.map(|(asked, program)| mutants::try_all(&program, &rules, &self.context, &asked));
        }
        result
    }

    /// With `unwind`, loops are unrolled first: that is decisive where no run is longer, and says nothing otherwise.
    fn findings(&self, program: &Prepared, context: &Context, options: &analysis::Options) -> Findings {
        if let Some(unwind) = self.harness.unwind {
            let bounded = analysis::Options {
                analysis: Kind::BMC,
                max_depth: unwind as usize,
                certify: options.certify,
                ..analysis::Options::default()
            };
            let found = analysis::verify_all(program, context, &bounded);
            if found.verdict().is_decided() || context.interrupt.reason().is_some() {
                return found;
            }
        }
        analysis::verify_all(program, context, options)
    }

    /// Leaves the record of the run. Its measures are statistics.
    fn record(
        &self,
        program: &Prepared,
        found: &Findings,
        result: &ClaimResult,
        collector: &Collector,
    ) -> Record {
        let coverage = collector.coverage(program, found);
        let stats = &self.context.stats;
        for (id, share) in collector.glance().measures {
            stats.set(id, share);
        }
        stats.set("coverage-time", collector.cost());
        let result = ClaimResult { time: self.start.elapsed().as_secs_f64(), ..result.clone() };
        let record = Record::new(&result, program, found.violations.first(), coverage)
            .statistics(stats)
            .graph(&collector.graph());
        self.leave(&record);
        record
    }

    /// Leaves the record, if someone wants it. The report is made of what is there.
    fn leave(&self, record: &Record) {
        if let Some(path) = &self.request.record {
            let _ = protocol::write_json(path, record);
        }
    }

    /// Leaves a witness, if someone wants it.
    fn witness(&self, lowered: &Lowered<Prepared>, rules: &[Rule], found: &Findings) {
        let Some(wanted) = &self.request.witness else { return };
        let program = &lowered.program;
        let hashed = |file: &Path| {
            let digest = Sha256::digest(std::fs::read(file).ok()?);
            let text = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            Some((file.display().to_string(), text))
        };
        let own = self.harness.clone().file;
        let units = program.sources.units().filter(|(id, _)| *id >= lowered.first_c_unit);
        let files = std::iter::once(own.as_path()).chain(units.map(|(_, unit)| unit.path.as_path()));
        let violated = found.violations.first().map(|violation| program.checks[violation.check].rule);
        let task = witness::Task {
            files: files.filter_map(hashed).collect(),
            rule: violated.or(rules.first().copied()).unwrap_or(Rule::Assert),
            data_model: data_model(&self.harness),
            time: wanted.time.clone(),
        };
        if let Some(text) = witness::document(program, &found.verdict(), &task) {
            // Who asked sees what is missing.
            let _ = protocol::write_atomically(&wanted.file, text.as_bytes());
        }
    }

    /// Inputs that violated it before are tried first. If some do again, nothing else is looked for.
    fn regression(&self, program: &Prepared) -> Option<Findings> {
        let mut violations: Vec<Violation> = Vec::new();
        let image = (!self.request.regressions.is_empty()).then(|| Image::of(program))?;
        for inputs in &self.request.regressions {
            let fixed = Fixed::new(inputs.iter().map(|bits| bits.0));
            let mut recorder = Recorder::new(Box::new(fixed));
            let mut trace = Trace::default();
            let run = image.run(&mut recorder, &Options::default(), &mut trace);
            let Outcome::Error(check) = run.outcome else { continue };
            if violations.iter().all(|known| known.check != check) {
                let (inputs, trace) = (recorder.taken, steps(program, &trace));
                violations.push(Violation { check, analysis: "regression", inputs, trace });
            }
        }
        let rest = Verdict::Unknown(UnknownReason::Inconclusive);
        (!violations.is_empty()).then_some(Findings { violations, rest })
    }

    fn result(
        &self,
        lowered: &Lowered<Prepared>,
        rules: &[Rule],
        findings: &Findings,
        certified: bool,
    ) -> ClaimResult {
        let program = &lowered.program;
        let mut places = Places::new(&program.sources);
        let evidence = Evidence { program, rules, findings, certified };
        let harness = self.harness.clone();
        let mut result = build::result(harness, &evidence, &AsRust(lowered), &mut places);
        label_inputs(&mut result);
        result.checks.retain(|property| property.checks > 0);
        if let (Verdict::Unknown(UnknownReason::Stopped(_)), Some(message)) =
            (findings.verdict(), result.diagnostics.first_mut())
            && let Some((span, text)) = self.stuck.place(program)
        {
            message.labels.push(places.note(&text, span));
        }
        result.diagnostics.extend(lowered.notes.iter().map(|note| places.message(note)));
        if self.guessed.load(Ordering::Relaxed) {
            let message = "the C files and their flags are those in the text of build.rs".to_owned();
            result.assumptions.push(Note { message, place: result.claim.place() });
        }
        let units = program.sources.units().filter(|(id, _)| *id >= lowered.first_c_unit);
        result.units = units
            .map(|(_, unit)| ReachedUnit {
                file: unit.path.clone(),
                hash: protocol::hash(unit.text.as_bytes()),
            })
            .collect();
        result
    }
}

/// Sizes of types where the harness runs.
pub(super) fn data_model(harness: &Harness) -> DataModel {
    if harness.pointer_width == 32 { DataModel::Ilp32 } else { DataModel::Lp64 }
}

/// The rules that names stand for: what the harness claims, always, and undefined behaviour if nothing is said.
fn rules(names: &[&str]) -> Result<Vec<Rule>, Box<Diagnostic>> {
    let mut rules = Rule::STATED.to_vec();
    for name in if names.is_empty() { &["undefined-behaviour"][..] } else { names } {
        match Rule::named(name) {
            Some(found) => rules.extend(found),
            None => {
                let known = Rule::names().join(", ");
                return Err(Box::new(
                    Diagnostic::error("tour::property", format!("there is no property `{name}`"))
                        .help(format!("there are {known}")),
                ));
            }
        }
    }
    rules.sort();
    rules.dedup();
    Ok(rules)
}
