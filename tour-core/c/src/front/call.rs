//! Calls of the C compiler, within limits: one that hangs or writes without end must not take the run with it.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A call that takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(120);

/// More text than this is not read.
const MAX_TEXT: u64 = 4 << 30;

/// More messages than this are not read.
const MAX_MESSAGES: u64 = 16 << 20;

/// Runs a compiler with a text on its standard input.
pub(super) fn call(command: Command, input: Option<Vec<u8>>) -> std::io::Result<Output> {
    call_within(command, input, PATIENCE)
}

fn call_within(mut command: Command, input: Option<Vec<u8>>, patience: Duration) -> std::io::Result<Output> {
    let end = Instant::now() + patience;
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // A driver starts other programs: all of them are ended together.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), input) {
        // The compiler may stop reading at an error; its message says more than the broken pipe.
        std::thread::spawn(move || {
            let _ = pipe.write_all(&text);
        });
    }
    let (text, messages) = (read(child.stdout.take(), MAX_TEXT), read(child.stderr.take(), MAX_MESSAGES));
    let left = || end.saturating_duration_since(Instant::now());
    let read = (text.recv_timeout(left()), messages.recv_timeout(left()));
    let (Ok(Some(stdout)), Ok(Some(stderr)), Some(status)) = (read.0, read.1, wait(&mut child, end)?) else {
        end_group(&mut child);
        let why = format!("it wrote too much, or did not end within {} s", patience.as_secs());
        return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, why));
    };
    Ok(Output { status, stdout, stderr })
}

/// All that comes out of a pipe; `None` if it is too much.
fn read(pipe: Option<impl Read + Send + 'static>, max: u64) -> Receiver<Option<Vec<u8>>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let complete = match pipe {
            Some(pipe) => pipe.take(max).read_to_end(&mut bytes).is_ok(),
            None => true,
        };
        // Nobody waits for it any more if the call was ended.
        let _ = send.send((complete && (bytes.len() as u64) < max).then_some(bytes));
    });
    receive
}

/// Its pipes are closed: it is about to end.
fn wait(child: &mut Child, end: Instant) -> std::io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // There may be nobody left.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, input: Option<&str>, patience: Duration) -> std::io::Result<Output> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        call_within(command, input.map(|text| text.as_bytes().to_vec()), patience)
    }

    #[test]
    fn what_is_written_is_read() {
        let output = run("cat; echo no >&2; exit 3", Some("text"), PATIENCE).expect("it ends");
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"text"[..], &b"no\n"[..]));
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn a_compiler_that_hangs_is_ended_with_all_that_it_started() {
        let start = Instant::now();
        for script in ["sleep 60 & sleep 60", "exec >&- 2>&-; sleep 60"] {
            let error = run(script, None, Duration::from_secs(1)).expect_err("it hangs");
            assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{script}");
        }
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
