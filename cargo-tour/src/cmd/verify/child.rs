//! One harness in a process of its own, a worker: what goes wrong there harms no other.

use super::harnesses::Item;
use serde::Deserialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tour::protocol::{self, PROTOCOL, Progress, Request};
use tour::result::{ClaimResult, Status};

/// How long after its limit a harness may take to say so.
const GRACE: Duration = Duration::from_secs(10);

/// How often progress is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// The environment variable that names another program in place of this one for workers: a wrapper, say, that runs it in a
/// sandbox. It is called with the same arguments.
const WORKER: &str = "TOUR_WORKER";

/// Verifies a harness. `folder` is its own, and empty.
pub fn run(
    item: &Item,
    mut request: Request,
    capture: &Path,
    folder: &Path,
    stop: &AtomicBool,
    mut progress: impl FnMut(Option<&Progress>, Duration),
) -> ClaimResult {
    let start = Instant::now();
    let harness = &item.harness;
    let ended = |status, reason: String| {
        let time = start.elapsed().as_secs_f64();
        ClaimResult { reason, time, ..ClaimResult::new(harness.clone(), status) }
    };
    let (result, noted) = (folder.join("result.json"), folder.join("progress.json"));
    request.result = Some(result.clone());
    request.progress = Some(noted.clone());
    request.description = Some(Box::new(harness.clone()));
    request.executable = Some(item.executable.path.clone());
    let mut child = match spawn(item, &request, capture, folder) {
        Ok(child) => child,
        Err(error) => return ended(Status::Crashed, format!("cannot be run: {error}")),
    };
    let limit = request.timeout.or(harness.timeout).and_then(|s| Duration::try_from_secs_f64(s).ok());
    let (mut pause, mut looked) = (Duration::from_millis(1), Instant::now());
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return ended(Status::Crashed, format!("cannot be waited for: {error}")),
        }
        if stop.load(Ordering::Relaxed) {
            end(&mut child);
            return ended(Status::NotRun, String::new());
        }
        if limit.is_some_and(|limit| start.elapsed() > limit + GRACE) {
            end(&mut child);
            return ended(Status::Crashed, "it did not stop at its time limit".into());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            let state = std::fs::read(&noted).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            progress(state.as_ref(), start.elapsed());
        }
    };
    let text = std::fs::read(&result).unwrap_or_default();
    match (serde_json::from_slice::<Version>(&text), serde_json::from_slice::<ClaimResult>(&text)) {
        (Ok(Version { protocol: PROTOCOL }), Ok(result)) => result,
        (Ok(Version { protocol }), _) => {
            let why = format!(
                "its worker speaks version {protocol} of the protocol, the command version {PROTOCOL}"
            );
            ended(Status::Crashed, why)
        }
        (Err(_), _) => ended(Status::Crashed, describe(status, &folder.join("output"))),
    }
}

/// What results of all versions have.
#[derive(Deserialize)]
struct Version {
    protocol: u32,
}

fn spawn(item: &Item, request: &Request, capture: &Path, folder: &Path) -> std::io::Result<Child> {
    let request_file = folder.join("request.json");
    protocol::write_json(&request_file, request)?;
    let output = File::create(folder.join("output"))?;
    let mut command = worker(&request_file)?;
    command.current_dir(&item.executable.manifest_dir).env(tour::capture::CAPTURE_VARIABLE, capture);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    // A group of its own: Ctrl-C reaches only us, and we end it with all that it started.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    end_with_us(&mut command);
    command.spawn()
}

/// If we are killed, nobody else ends the harness.
fn end_with_us(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let ask = || set_parent_process_death_signal(Some(Signal::KILL)).map_err(std::io::Error::from);
        // SAFETY: a system call that allocates nothing and takes no lock, as is needed between fork and exec.
        unsafe { std::os::unix::process::CommandExt::pre_exec(command, ask) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// The command of a worker: this program again.
fn worker(request: &Path) -> std::io::Result<Command> {
    let program = match std::env::var_os(WORKER).filter(|named| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => std::env::current_exe()?,
    };
    let mut command = Command::new(program);
    command.args(["tour", "worker"]).arg(request);
    Ok(command)
}

/// The command that runs the body of a harness natively.
pub fn native(item: &Item, request: &Path) -> Command {
    let mut command = Command::new(&item.executable.path);
    command.args(["--exact", &item.harness.name, "--nocapture", "--include-ignored"]);
    command.current_dir(&item.executable.manifest_dir);
    command.env("CARGO_MANIFEST_DIR", &item.executable.manifest_dir);
    command.env(protocol::REQUEST, request);
    command
}

/// Ends a child and all that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// How a process ended that left no result, with the last line that it printed.
fn describe(status: ExitStatus, output: &Path) -> String {
    let text = std::fs::read(output).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let printed =
        text.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("test result"));
    let how = describe_end(status);
    printed.map_or(how.clone(), |line| format!("{how}; it printed: {line}"))
}

/// In words: `ended with exit code 101`, `killed by signal 11`.
pub fn describe_end(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "ended".into(),
    }
}
