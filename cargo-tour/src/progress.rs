//! `--progress`: one line that shows what the run is doing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tour::coverage::{Collector, Glance};

/// How often the line is drawn.
const EVERY: Duration = Duration::from_millis(200);

/// Draws until it is dropped.
pub struct Progress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to draw on standard error; the collector is there once the program was read.
    pub fn start(collector: Arc<OnceLock<Arc<Collector>>>) -> Progress {
        let (stop, stopped) = mpsc::channel::<()>();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        let work = move || {
            bar.set_message("reading");
            while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(EVERY) {
                if let Some(collector) = collector.get() {
                    bar.set_message(line(collector));
                }
                bar.tick();
            }
            bar.finish_and_clear();
        };
        let thread = std::thread::Builder::new().name("tour-progress".into()).spawn(work).ok();
        Progress { stop: Some(stop), thread }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It draws; if that failed, nothing is lost.
            let _ = thread.join();
        }
    }
}

/// `refinement 31, 12 predicates, 40 states, visited lines 85 %, …`
fn line(collector: &Collector) -> String {
    let Glance { measures, refinements, predicates, states } = collector.glance();
    let shares =
        measures.iter().map(|(id, share)| format!("{} {:.0} %", id.replace('-', " "), 100.0 * share));
    std::iter::once(format!("refinement {refinements}, {predicates} predicates, {states} states"))
        .chain(shares)
        .collect::<Vec<_>>()
        .join(", ")
}
