//! Limits are kept by tour itself: the end is a verdict, not a kill.

use crate::support::{Folder, Run};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A compiler that never ends: the run is stuck outside of our loops.
fn with_slow_compiler() -> Folder {
    let text = "#define ZERO 0\nint main(void) { return ZERO; }";
    let folder = Folder::with(text).file("slow-cc", "#!/bin/sh\nsleep 60\n");
    make_executable(&folder);
    folder
}

#[cfg(unix)]
fn make_executable(folder: &Folder) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.path("slow-cc"), std::fs::Permissions::from_mode(0o755))
        .expect("permissions");
}

#[test]
fn a_timeout_is_kept_even_when_the_compiler_hangs() {
    let start = Instant::now();
    let run = with_slow_compiler().tour("check a.c --cc ./slow-cc --timeout 200ms --stats");
    run.expect(3, "VERDICT: UNKNOWN (timeout)");
    assert!(run.out.contains("Statistics:"), "{}", run.out);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_memory_limit_is_kept() {
    let run = with_slow_compiler().tour("check a.c --cc ./slow-cc --memory 1k --timeout 30s");
    run.expect(3, "VERDICT: UNKNOWN (out of memory)");
}

#[test]
fn a_timeout_has_its_reason_in_json() {
    let run = with_slow_compiler().tour("check a.c --cc ./slow-cc --timeout 0.1 --json");
    assert_eq!(run.code, Some(3));
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!((&value["verdict"], &value["reason"]["kind"]), (&"UNKNOWN".into(), &"timeout".into()));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so() {
    let folder = with_slow_compiler();
    let mut command = folder.command("check a.c --cc ./slow-cc --timeout 60s");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    std::thread::sleep(Duration::from_millis(300));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let run = Run::of(child.wait_with_output().expect("it ends"));
    run.expect(130, "VERDICT: UNKNOWN (cancelled)");
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_address_space_from_outside_does_no_harm() {
    let folder = Folder::with("int main(void) { return 0; }");
    let command = folder.command("check a.c");
    let line = format!("ulimit -v 8388608; exec {} tour check a.c", command.get_program().display());
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path(".")).output();
    Run::of(output.expect("sh runs")).expect(0, "VERDICT: SAFE");
}
