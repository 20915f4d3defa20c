//! Limits on time and memory that we enforce ourselves, so that the end of a run is an answer and not a kill.
//!
//! A run has one [`Interrupt`]: a shared flag that long loops poll (one relaxed atomic load) and that the solver's
//! back end is hooked to. [`supervise`] runs a job on a thread of its own, raises the flag when a limit is hit, and
//! after a short grace period returns without the job if it is stuck.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Why a run was stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The time is up.
    Timeout,
    /// The memory is used up.
    Memory,
    /// The user or a faster analysis stopped it.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            StopReason::Timeout => "timeout",
            StopReason::Memory => "out of memory",
            StopReason::Cancelled => "cancelled",
        })
    }
}

impl std::error::Error for StopReason {}

/// A shared flag that asks all parts of a run to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    own: Arc<AtomicU8>,
    /// Raised if this one is: the flag of the run that this is a part of.
    above: Option<Arc<AtomicU8>>,
}

impl Interrupt {
    /// A flag that is not raised.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks everyone to stop. The first reason stays.
    pub fn stop(&self, reason: StopReason) {
        let code = match reason {
            StopReason::Timeout => 1,
            StopReason::Memory => 2,
            StopReason::Cancelled => 3,
        };
        // Failing means that a reason is there already, which is the one to keep.
        let _ = self.own.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// A flag for a part of the run: it is raised when this one is, or by itself.
    pub fn child(&self) -> Interrupt {
        Interrupt { own: Arc::default(), above: Some(self.own.clone()) }
    }

    /// Why to stop, if someone asked for it. Cheap enough for inner loops.
    pub fn reason(&self) -> Option<StopReason> {
        let raised = match (self.own.load(Ordering::Relaxed), &self.above) {
            (0, Some(above)) => above.load(Ordering::Relaxed),
            (raised, _) => raised,
        };
        match raised {
            0 => None,
            1 => Some(StopReason::Timeout),
            2 => Some(StopReason::Memory),
            _ => Some(StopReason::Cancelled),
        }
    }

    /// [`Interrupt::reason`] as an error, for `?`.
    pub fn check(&self) -> Result<(), StopReason> {
        self.reason().map_or(Ok(()), Err)
    }
}

/// What a run may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Resident memory, in bytes.
    pub memory: Option<u64>,
}

/// How often the limits are looked at.
const TICK: Duration = Duration::from_millis(10);

/// How long a job may take to notice that it should stop.
pub const GRACE: Duration = Duration::from_millis(1000);

/// The stack of the supervised thread. Recursive walkers grow it on demand, so it need not be huge.
const STACK: usize = 16 << 20;

/// How a supervised job ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// It returned (perhaps because it noticed the interrupt).
    Returned(T),
    /// It did not react within [`GRACE`]; its thread still runs.
    Stuck(StopReason),
    /// It panicked. The panic hook has the details.
    Panicked,
}

/// Runs `job` on a thread of its own within `limits`. When one is hit, `interrupt` is raised.
pub fn supervise<T: Send + 'static>(
    limits: Limits,
    interrupt: &Interrupt,
    job: impl FnOnce() -> T + Send + 'static,
) -> Ended<T> {
    let start = Instant::now();
    let (done, result) = mpsc::channel();
    let worker = thread::Builder::new().name("tour".into()).stack_size(STACK).spawn(move || {
        // The receiver is gone only if this job was given up as stuck.
        let _ = done.send(job());
    });
    if worker.is_err() {
        // No thread can be had: the machine (or a limit set from outside) has no room for one.
        interrupt.stop(StopReason::Memory);
        return Ended::Stuck(StopReason::Memory);
    }
    let address_space = address_space_limit();
    let mut give_up: Option<Instant> = None;
    loop {
        let tick = match (limits.time, give_up) {
            (Some(time), None) => {
                TICK.min(time.saturating_sub(start.elapsed()).max(Duration::from_micros(100)))
            }
            _ => TICK,
        };
        match result.recv_timeout(tick) {
            Ok(value) => return Ended::Returned(value),
            Err(RecvTimeoutError::Disconnected) => return Ended::Panicked,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let (Some(deadline), Some(reason)) = (give_up, interrupt.reason()) {
            if Instant::now() >= deadline {
                return Ended::Stuck(reason);
            }
            continue;
        }
        if limits.time.is_some_and(|time| start.elapsed() >= time) {
            interrupt.stop(StopReason::Timeout);
        } else if let Some(usage) = memory_stats::memory_stats() {
            let resident = limits.memory.is_some_and(|limit| usage.physical_mem as u64 >= limit);
            // Beyond a limit on the address space, allocations fail and the process is aborted: stop before.
            let mapped = address_space.is_some_and(|limit| usage.virtual_mem as u64 >= limit / 20 * 19);
            if resident || mapped {
                interrupt.stop(StopReason::Memory);
            }
        }
        if interrupt.reason().is_some() {
            give_up = Some(Instant::now() + GRACE);
        }
    }
}

/// `ulimit -v`, if one is set.
fn address_space_limit() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: f64) -> Limits {
        Limits { time: Some(Duration::from_secs_f64(n)), memory: None }
    }

    #[test]
    fn a_job_within_its_limits_returns() {
        let interrupt = Interrupt::new();
        assert!(matches!(supervise(seconds(10.0), &interrupt, || 3), Ended::Returned(3)));
        assert_eq!(interrupt.reason(), None);
    }

    #[test]
    fn a_job_that_polls_the_interrupt_ends_by_itself() {
        let interrupt = Interrupt::new();
        let polled = interrupt.clone();
        let ended = supervise(seconds(0.03), &interrupt, move || {
            loop {
                if let Some(reason) = polled.reason() {
                    return reason;
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        assert!(matches!(ended, Ended::Returned(StopReason::Timeout)), "{ended:?}");
    }

    #[test]
    fn a_stuck_job_is_left_behind() {
        let start = Instant::now();
        let ended = supervise(seconds(0.01), &Interrupt::new(), || thread::sleep(Duration::from_secs(60)));
        assert!(matches!(ended, Ended::Stuck(StopReason::Timeout)), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_job_over_its_memory_limit_is_stopped() {
        let interrupt = Interrupt::new();
        let polled = interrupt.clone();
        let limits = Limits { time: None, memory: Some(1) };
        let ended = supervise(limits, &interrupt, move || {
            while polled.reason().is_none() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        assert!(matches!(ended, Ended::Returned(())));
        assert_eq!(interrupt.reason(), Some(StopReason::Memory));
    }

    #[test]
    fn a_part_stops_with_the_whole_and_not_the_other_way_round() {
        let whole = Interrupt::new();
        let (part, other) = (whole.child(), whole.child());
        part.stop(StopReason::Cancelled);
        assert_eq!((part.reason(), whole.reason()), (Some(StopReason::Cancelled), None));
        whole.stop(StopReason::Timeout);
        assert_eq!(other.reason(), Some(StopReason::Timeout));
    }

    #[test]
    fn the_first_reason_stays() {
        let interrupt = Interrupt::new();
        assert!(interrupt.check().is_ok());
        interrupt.stop(StopReason::Memory);
        interrupt.stop(StopReason::Timeout);
        assert_eq!(interrupt.check(), Err(StopReason::Memory));
    }
}
