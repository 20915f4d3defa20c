//! Running something within limits, and stopping it with Ctrl-C.

use crate::cli::LimitArgs;
use crate::exit::Exit;
use crate::term::print_error;
use std::time::Duration;
use tour::limits::{Interrupt, Limits, StopReason};

impl LimitArgs {
    /// As limits of a run.
    pub fn limits(&self) -> Limits {
        let memory = self.memory.map_or_else(most_of_the_memory, |limit| limit.0);
        Limits { time: self.timeout.0, memory }
    }
}

/// Three quarters of what this machine (or the container we are in) has, so that we stop before the system does.
pub fn most_of_the_memory() -> Option<u64> {
    let container =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|t| t.trim().parse().ok());
    [machine_memory(), container].into_iter().flatten().min().map(|bytes: u64| bytes / 4 * 3)
}

#[cfg(target_os = "linux")]
fn machine_memory() -> Option<u64> {
    let info = rustix::system::sysinfo();
    // The types of these fields differ between platforms.
    #[allow(clippy::useless_conversion)]
    u64::from(info.totalram).checked_mul(u64::from(info.mem_unit)).filter(|&bytes| bytes > 0)
}

#[cfg(not(target_os = "linux"))]
fn machine_memory() -> Option<u64> {
    None
}

/// The first Ctrl-C asks the run to stop and to say what it has; the second ends the process.
pub fn stop_on_ctrl_c(interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    let result = ctrlc::set_handler(move || {
        if interrupt.reason().is_some() {
            Exit::Interrupted.now();
        }
        print_error("interrupted: stopping (press Ctrl-C again to stop at once)");
        interrupt.stop(StopReason::Cancelled);
    });
    // Without a handler, Ctrl-C still ends the process.
    if let Err(error) = result {
        print_error(format_args!("warning: no handler for Ctrl-C: {error}"));
    }
}

/// The CPU time of this process.
#[cfg(unix)]
pub fn cpu_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call, which is all that it asks for.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } != 0;
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    (!failed).then(|| Duration::new(seconds, nanos))
}

/// The CPU time of this process.
#[cfg(not(unix))]
pub fn cpu_time() -> Option<Duration> {
    None
}

/// Ends the processes that a stuck run waits for (a compiler that hangs), so that nothing is left behind.
pub fn end_children() {
    let mut family = children_of(std::process::id());
    let mut next = 0;
    // The compiler has children of its own.
    while let Some(&child) = family.get(next) {
        family.extend(children_of(child));
        next += 1;
    }
    for child in family {
        #[cfg(unix)]
        if let Some(child) = i32::try_from(child).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
        }
    }
}

/// As far as the system tells (Linux does).
fn children_of(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let lists = threads.flatten().map(|thread| std::fs::read_to_string(thread.path().join("children")));
    lists
        .flatten()
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>())
        .collect()
}
