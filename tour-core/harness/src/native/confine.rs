//! Running a program that does what a violation says: within limits, in a process group of its own, in an empty
//! directory, with an environment of almost nothing.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Address space, unless a sanitizer needs more: 4 GiB, in KiB.
const MEMORY: u64 = 4 << 20;
/// Size of a file: 64 MiB, in blocks of 512 bytes.
const FILE_SIZE: u64 = 1 << 17;
/// How many processes and threads it may have beside those that its user has already.
const PROCESSES: usize = 256;
/// How much of the standard error is read.
const MAX_ERRORS: u64 = 1 << 20;
/// What is left of the environment.
const VARIABLES: [&str; 4] = ["PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/// How a program is run.
pub(crate) struct Confined<'a> {
    /// When it is stopped.
    pub patience: Duration,
    /// Its address space is limited; sanitizers reserve more than any limit.
    pub limits_memory: bool,
    /// Where it runs.
    pub directory: &'a Path,
}

/// How a run ended.
pub(crate) struct End {
    /// `None` if it was stopped.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard error.
    pub errors: String,
}

impl Confined<'_> {
    /// Runs it.
    pub(crate) fn run(&self, command: Command) -> std::io::Result<End> {
        let mut limited = self.limited(&command);
        limited.env_clear();
        for name in VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                limited.env(name, value);
            }
        }
        // What the caller sets for the program stays.
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                limited.env(name, value);
            }
        }
        limited
            .env("ASAN_OPTIONS", "detect_stack_use_after_return=1")
            .env("UBSAN_OPTIONS", "print_stacktrace=0");
        limited.current_dir(self.directory);
        within(limited, self.patience)
    }

    /// The shell sets limits, and becomes the program.
    #[cfg(unix)]
    fn limited(&self, command: &Command) -> Command {
        let memory = if self.limits_memory { format!("ulimit -v {MEMORY}; ") } else { String::new() };
        let seconds = self.patience.as_secs().max(1);
        // The system counts those of the user, not of the program; shells have two names for it.
        let processes = own_tasks() + PROCESSES;
        let script = format!(
            "ulimit -c 0; ulimit -t {seconds}; ulimit -f {FILE_SIZE}; {memory}\
             {{ ulimit -u {processes} || ulimit -p {processes}; }} 2>/dev/null; exec \"$0\" \"$@\""
        );
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg(command.get_program()).args(command.get_args());
        shell
    }

    #[cfg(not(unix))]
    fn limited(&self, command: &Command) -> Command {
        let mut same = Command::new(command.get_program());
        same.args(command.get_args());
        same
    }
}

/// How many processes and threads this user has; too many rather than too few.
#[cfg(unix)]
fn own_tasks() -> usize {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| Some(std::fs::read_dir(process.path().join("task")).ok()?.count())).sum()
}

/// Runs a command in a group of its own, and ends the whole group when it is done or takes too long.
pub(crate) fn within(mut command: Command, patience: Duration) -> std::io::Result<End> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let pipe = child.stderr.take();
    // A full pipe would stop the program.
    let reader = std::thread::spawn(move || {
        let mut errors = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read until an error is what there is.
            let _ = pipe.by_ref().take(MAX_ERRORS).read_to_end(&mut errors);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        String::from_utf8_lossy(&errors).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > patience {
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    end_group(&mut child, status.is_none())?;
    let errors = reader.join().unwrap_or_default();
    Ok(End { status, errors })
}

/// Ends what the child has started, and the child itself if it runs.
fn end_group(child: &mut Child, runs: bool) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // There may be nobody left.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    if runs {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str) -> End {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let confined =
            Confined { patience: Duration::from_secs(2), limits_memory: true, directory: folder.path() };
        confined.run(command).expect("it runs")
    }

    #[test]
    fn a_run_is_stopped() {
        assert!(run("sleep 30").status.is_none());
        assert!(run("sleep 30 & exit 3").status.is_some_and(|status| status.code() == Some(3)));
    }

    #[test]
    fn a_run_sees_and_writes_little() {
        assert_eq!(run("env | grep -c -e HOME -e USER >&2").errors.trim(), "0");
        assert_eq!(run("ls >&2").errors.trim(), "");
        // The user of a system may do what it likes.
        if !rustix::process::geteuid().is_root() {
            let forks = "i=0; while [ $i -lt 2000 ]; do sleep 2 & i=$((i+1)); done";
            assert!(!run(forks).status.is_some_and(|status| status.success()));
        }
        assert!(!run("head -c 100000000 /dev/zero > large").status.is_some_and(|status| status.success()));
    }
}
