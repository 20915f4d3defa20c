//! Showing what a harness is doing while it runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tour_protocol::protocol::{Phase, Progress, write_json};
use tour_report::coverage::{Collector, Glance};

/// How often the file is written.
const EVERY: Duration = Duration::from_millis(200);

/// The current phase and what is collected, shared with the job.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<AtomicU8>, Arc<OnceLock<Arc<Collector>>>);

const PHASES: [Phase; 5] = [Phase::Capture, Phase::Read, Phase::Analyse, Phase::Vacuity, Phase::Replay];

impl Shared {
    pub(super) fn set(&self, phase: Phase) {
        let index = PHASES.iter().position(|p| *p == phase).unwrap_or(0);
        self.0.store(index as u8, Ordering::Relaxed);
    }

    /// Coverage is collected from now on.
    pub(super) fn watch(&self, collector: &Arc<Collector>) {
        self.1.get_or_init(|| collector.clone());
    }

    fn glance(&self) -> Glance {
        self.1.get().map_or_else(Glance::default, |collector| collector.glance())
    }

    fn get(&self) -> Phase {
        PHASES.get(usize::from(self.0.load(Ordering::Relaxed))).copied().unwrap_or(Phase::Capture)
    }
}

/// A thread that writes the file, if someone wants it.
pub(super) struct Reporter {
    phase: Shared,
    stop: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Reporter {
    pub(super) fn start(path: Option<PathBuf>) -> Reporter {
        let (phase, stop) = (Shared::default(), Arc::new(AtomicBool::new(false)));
        let thread = path.and_then(|path| {
            let (phase, stop) = (phase.clone(), stop.clone());
            let work = move || {
                let start = Instant::now();
                while !stop.load(Ordering::Relaxed) {
                    // Someone who looks sees the last one; none at all does no harm.
                    let _ = write_json(&path, &progress(&phase, start));
                    std::thread::park_timeout(EVERY);
                }
            };
            std::thread::Builder::new().name("tour-progress".into()).spawn(work).ok()
        });
        Reporter { phase, stop, thread: Mutex::new(thread) }
    }

    pub(super) fn phase(&self) -> Shared {
        self.phase.clone()
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            thread.thread().unpark();
            // It panics only if writing does, which is no one's loss.
            let _ = thread.join();
        }
    }
}

fn progress(shared: &Shared, start: Instant) -> Progress {
    let Glance { measures, refinements, predicates, states } = shared.glance();
    Progress {
        phase: shared.get(),
        refinements,
        predicates,
        states,
        visited_lines: measures.first().map_or(0.0, |(_, share)| *share),
        time: start.elapsed().as_secs_f64(),
        memory: memory_stats::memory_stats().map_or(0, |usage| usage.physical_mem as u64),
    }
}
