//! Running the real build under the wrapper, and making a capture of what it did.

use super::calls::{self, Call, Purpose};
use super::wrapper::Wrapper;
use super::{Capture, CaptureError, FoundBy, Options, Places, Script, Stamp, Unit, build_rs, objects};
use cargo_metadata::{Artifact, BuildScript, Message, PackageId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// A test executable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Executable {
    /// The file.
    pub path: PathBuf,
    /// Its package.
    pub package: String,
    /// Where the package is; tests run there.
    pub manifest_dir: PathBuf,
    /// The target: the library, a binary or an integration test.
    pub target: String,
    /// `lib`, `bin`, `test`, …
    pub kind: String,
    /// Its main source file.
    pub source: PathBuf,
}

/// What cargo tells of a build.
#[derive(Default)]
struct Built {
    artifacts: Vec<Artifact>,
    scripts: Vec<BuildScript>,
}

impl Built {
    fn read(pipe: impl Read) -> Built {
        let mut built = Built::default();
        for message in Message::parse_stream(BufReader::new(pipe)).map_while(Result::ok) {
            match message {
                Message::CompilerArtifact(artifact) => built.artifacts.push(artifact),
                Message::BuildScriptExecuted(script) => built.scripts.push(script),
                _ => {}
            }
        }
        built
    }
}

/// Builds, and says what was compiled and what it depends on.
pub fn run(places: &Places, options: &Options) -> Result<(Capture, Option<Stamp>), CaptureError> {
    let host = host_triple();
    let wrapper = Wrapper::install(&places.tour, &host)?;
    if let Some(wrapper) = &wrapper {
        forget_other_compilers(places, options, wrapper)?;
    }
    let start = start_time(&places.tour)?;
    let built = build(places, options, wrapper.as_ref())?;
    let mut capture = Capture { directory: places.tour.clone(), ..Capture::default() };
    capture.executables = built.artifacts.iter().filter_map(executable).collect();
    let mut scripts = Scripts::of(&built);
    let mut listed = Vec::new();
    match &wrapper {
        Some(wrapper) => {
            let calls = current(calls::read(&wrapper.calls), &scripts.out_dirs);
            scripts.read_calls(&calls, &mut capture);
            listed.extend(calls.into_iter().flat_map(|call| call.listed));
        }
        None => {
            capture.found_by = FoundBy::BuildScriptText;
            // Those of dependencies have too many conditions to be read so.
            for folder in local_folders(&built) {
                capture.units.extend(build_rs::units(&folder));
            }
        }
    }
    capture.units.sort_by(|a, b| (&a.package, &a.file, &a.object).cmp(&(&b.package, &b.file, &b.object)));
    capture.units = calls::without_twins(std::mem::take(&mut capture.units));
    capture.scripts = scripts.finish(&capture.units);
    let stamp = stamp(places, &built, &capture, listed, start);
    Ok((capture, stamp))
}

/// The time now by the clock of the file system, which the files' own times are compared with.
fn start_time(tour: &Path) -> Result<SystemTime, CaptureError> {
    let path = tour.join("started");
    super::write_atomically(&path, b"").map_err(CaptureError::io("write", &path))?;
    std::fs::metadata(&path).and_then(|m| m.modified()).map_err(CaptureError::io("read", &path))
}

/// Where build scripts take another compiler than last time, what they compiled is removed: cargo knows only our wrapper,
/// which is the same for every compiler.
fn forget_other_compilers(places: &Places, options: &Options, wrapper: &Wrapper) -> Result<(), CaptureError> {
    let file = places.tour.join("compilers");
    let (now, before) = (super::stamp::compilers(&places.tour), std::fs::read_to_string(&file).ok());
    if before.as_deref() == Some(now.as_str()) {
        return Ok(());
    }
    let packages: BTreeSet<String> =
        calls::read(&wrapper.calls).into_iter().map(|call| call.package).collect();
    for package in packages.iter().filter(|name| before.is_some() && !name.is_empty()) {
        let mut command = Command::new(cargo_program());
        command.args(["clean", "--package", package]).arg("--target-dir").arg(&places.tour);
        command.args(profile_flags(&options.cargo)).current_dir(&places.package);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_cargo(name)) {
            command.env_remove(name);
        }
        // A package that is none of this workspace's any more has nothing that counts.
        let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    super::write_atomically(&file, now.as_bytes()).map_err(CaptureError::io("write", &file))
}

/// The flags that name the profile.
fn profile_flags(flags: &[OsString]) -> Vec<OsString> {
    let mut found = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--release" || text == "-r" || text.starts_with("--profile=") {
            found.push(word.clone());
        } else if text == "--profile" {
            found.push(word.clone());
            found.extend(words.next().cloned());
        }
    }
    found
}

/// The cargo that runs us, or the one of `PATH`.
fn cargo_program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// As the Rust compiler calls this machine.
pub fn host_triple() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").stderr(Stdio::null()).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map_or_else(
        || format!("{}-unknown-{}-gnu", std::env::consts::ARCH, std::env::consts::OS),
        String::from,
    )
}

fn build(places: &Places, options: &Options, wrapper: Option<&Wrapper>) -> Result<Built, CaptureError> {
    let program = cargo_program();
    let mut command = Command::new(&program);
    if options.tests {
        command.args(["test", "--no-run"]);
    } else {
        command.arg("check");
    }
    command.args(["--message-format", "json-render-diagnostics", "--target-dir"]).arg(&places.tour);
    command.args(&options.cargo).current_dir(&places.package);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(if options.show { Stdio::inherit() } else { Stdio::piped() });
    // Variables of a cargo that runs us speak of another package.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_cargo(name)) {
        command.env_remove(name);
    }
    if let Some(wrapper) = wrapper {
        command.envs(wrapper.variables.iter().cloned());
    }
    let mut child =
        command.spawn().map_err(|error| CaptureError::NoCargo { program: program.clone(), error })?;
    // Both pipes are read, so that cargo never waits for us.
    let stderr = child.stderr.take().map(|mut pipe| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    });
    let built = child.stdout.take().map(Built::read).unwrap_or_default();
    let status = child.wait().map_err(|error| CaptureError::NoCargo { program, error })?;
    let output = stderr.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() { Ok(built) } else { Err(CaptureError::BuildFailed { output }) }
}

/// Variables that cargo sets for the programs it runs and that would mislead a cargo inside of them.
fn is_of_cargo(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_")
        || name.starts_with("CARGO_BIN_")
        || matches!(
            &*name,
            "CARGO_MANIFEST_DIR"
                | "CARGO_MANIFEST_PATH"
                | "OUT_DIR"
                | "CARGO_PRIMARY_PACKAGE"
                | "CARGO_CRATE_NAME"
        )
}

fn executable(artifact: &Artifact) -> Option<Executable> {
    let Artifact { package_id, manifest_path, target, profile, executable, .. } = artifact;
    let path = executable.clone().filter(|_| profile.test)?;
    Some(Executable {
        path: path.into(),
        package: package_name(package_id, manifest_path.as_ref()),
        manifest_dir: manifest_path.parent()?.into(),
        target: target.name.clone(),
        kind: target.kind.first().map(ToString::to_string).unwrap_or_default(),
        source: target.src_path.clone().into(),
    })
}

/// `path+file:///a/b#name@1.0` or `…/name#1.0`.
fn package_name(id: &PackageId, manifest: &Path) -> String {
    let id = id.repr.as_str();
    let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
    match fragment.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => {
            let folder =
                manifest.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
            address.rsplit('/').next().map(String::from).or(folder).unwrap_or_default()
        }
    }
}

/// The package is one whose files can change.
fn is_local(id: &PackageId) -> bool {
    id.repr.starts_with("path+")
}

/// Local packages, whose files can change.
fn local_folders(built: &Built) -> Vec<PathBuf> {
    let local = built.artifacts.iter().filter(|artifact| is_local(&artifact.package_id));
    let folders: BTreeSet<PathBuf> =
        local.filter_map(|artifact| Some(artifact.manifest_path.parent()?.into())).collect();
    folders.into_iter().collect()
}

/// The calls that made what is in the build now. Notes of earlier runs of a build script are removed.
fn current(calls: Vec<Call>, out_dirs: &BTreeSet<PathBuf>) -> Vec<Call> {
    let (old, kept): (Vec<Call>, Vec<Call>) =
        calls.into_iter().partition(|call| ran_since(&call.out_dir, call.time));
    for call in old {
        // If it stays, it is left out again next time.
        let _ = std::fs::remove_file(call.note);
    }
    kept.into_iter().filter(|call| out_dirs.contains(&call.out_dir)).collect()
}

/// Whether a build script was started after a time: cargo leaves a file when it starts one.
fn ran_since(out_dir: &Path, time: SystemTime) -> bool {
    let started = out_dir.parent().map(|folder| folder.join("invoked.timestamp"));
    let started = started.and_then(|file| std::fs::metadata(file).and_then(|m| m.modified()).ok());
    started.is_some_and(|started| started > time)
}

/// What is known of build scripts, by package.
struct Scripts {
    out_dirs: BTreeSet<PathBuf>,
    scripts: BTreeMap<String, Script>,
}

impl Scripts {
    fn of(built: &Built) -> Scripts {
        let mut found = Scripts { out_dirs: BTreeSet::new(), scripts: BTreeMap::new() };
        let manifests: BTreeMap<&PackageId, &Path> =
            built.artifacts.iter().map(|a| (&a.package_id, a.manifest_path.as_ref())).collect();
        for BuildScript { package_id, linked_libs, linked_paths, out_dir, .. } in &built.scripts {
            let manifest = manifests.get(package_id).copied().unwrap_or(Path::new(""));
            let package = package_name(package_id, manifest);
            let linked_paths: Vec<String> = linked_paths.iter().map(ToString::to_string).collect();
            let script = found.scripts.entry(package.clone()).or_default();
            script.package = package;
            for library in linked_libs.iter().filter_map(|l| static_library(l.as_str())) {
                if script.libraries.iter().all(|l| l.name != library) {
                    script.libraries.push(objects::library(library, &linked_paths));
                }
            }
            found.out_dirs.insert(out_dir.into());
        }
        found
    }

    fn read_calls(&mut self, calls: &[Call], capture: &mut Capture) {
        for call in calls {
            match call.purpose() {
                Purpose::Compile(units) => capture.units.extend(units),
                Purpose::Other(why) => {
                    let script = self.scripts.entry(call.package.clone()).or_default();
                    script.package = call.package.clone();
                    *script.skipped.entry(why.to_owned()).or_default() += 1;
                }
            }
        }
    }

    fn finish(mut self, units: &[Unit]) -> Vec<Script> {
        for unit in units {
            let script = self.scripts.entry(unit.package.clone()).or_default();
            script.package = unit.package.clone();
            script.units += 1;
        }
        for script in self.scripts.values_mut() {
            let objects: Vec<&Path> = units
                .iter()
                .filter(|u| u.package == script.package)
                .filter_map(|u| u.object.as_deref())
                .collect();
            script.libraries.iter_mut().for_each(|library| objects::compare(library, &objects));
        }
        self.scripts.into_values().collect()
    }
}

/// `static=foo`, `static:+whole-archive=foo`.
fn static_library(linked: &str) -> Option<&str> {
    let (kind, name) = linked.split_once('=')?;
    // A build script may rename: `static=foo:bar`.
    let name = name.split(':').next()?;
    (kind == "static" || kind.starts_with("static:")).then_some(name)
}

fn stamp(
    places: &Places,
    built: &Built,
    capture: &Capture,
    listed: Vec<PathBuf>,
    start: SystemTime,
) -> Option<Stamp> {
    let folders = local_folders(built);
    let mut files: BTreeSet<PathBuf> = listed.into_iter().collect();
    let mut variables = BTreeSet::new();
    for BuildScript { out_dir, package_id, .. } in &built.scripts {
        let Some(output) = out_dir.parent().map(|folder| folder.join("output")) else { continue };
        let text = std::fs::read(&output).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let Some(line) = line.strip_prefix("cargo::").or_else(|| line.strip_prefix("cargo:")) else {
                continue;
            };
            match line.split_once('=') {
                // Relative to the package, which is looked at as a whole if it is local, and never changes if not.
                Some(("rerun-if-changed", path)) if is_local(package_id) => {
                    let path = Path::new(path);
                    if path.is_absolute() && !path.starts_with(&places.tour) {
                        files.insert(path.to_owned());
                    }
                }
                Some(("rerun-if-env-changed", name)) if !is_compiler(name) => {
                    variables.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }
    let outside = |file: &PathBuf| {
        !folders.iter().any(|folder| file.starts_with(folder)) && !file.starts_with(&places.tour)
    };
    files.extend(capture.units.iter().map(|unit| unit.file.clone()).filter(outside));
    files.extend(capture.units.iter().map(|unit| unit.compiler.clone()).filter(|c| c.is_absolute()));
    Stamp::take(folders, files.into_iter().collect(), variables.into_iter().collect(), places, start)
}

/// Variables that we set ourselves for the build.
fn is_compiler(name: &str) -> bool {
    name == "PATH" || name.starts_with("CC_") || name == "CC" || name.ends_with("_CC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages() {
        let check = |id: String, name| {
            assert_eq!(package_name(&PackageId { repr: id }, Path::new("/x/dir/Cargo.toml")), name)
        };
        check("path+file:///home/me/demo#0.1.0".into(), "demo");
        check("path+file:///home/me/dir#demo@0.1.0".into(), "demo");
        check("registry+https://example.org/index#lz4-sys@1.11.1".into(), "lz4-sys");
    }

    #[test]
    fn libraries() {
        assert_eq!(static_library("static=z"), Some("z"));
        assert_eq!(static_library("static:+whole-archive=z"), Some("z"));
        assert_eq!(static_library("dylib=z"), None);
        assert_eq!(static_library("z"), None);
    }

    #[test]
    fn messages_of_cargo() {
        let lines = [
            r#"a line that a build script printed"#,
            r#"{"reason":"compiler-artifact","package_id":"path+file:///a#demo@0.1.0","manifest_path":"/a/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"ring","src_path":"/a/tests/ring.rs","edition":"2024","doc":false,"doctest":false,"test":true},"profile":{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":true},"features":[],"filenames":[],"executable":"/t/ring-1","fresh":false}"#,
            r#"{"reason":"something-new"}"#,
            r#"{"reason":"build-script-executed","package_id":"path+file:///a#demo@0.1.0","linked_libs":["static=ring"],"linked_paths":["native=/o"],"cfgs":[],"env":[],"out_dir":"/o"}"#,
            r#"{"reason":"build-finished","success":true}"#,
        ];
        let built = Built::read(lines.join("\n").as_bytes());
        let found: Vec<Executable> = built.artifacts.iter().filter_map(executable).collect();
        let [found] = &found[..] else { panic!("one executable: {found:?}") };
        assert_eq!(
            (found.package.as_str(), found.target.as_str(), found.kind.as_str()),
            ("demo", "ring", "test")
        );
        assert_eq!(local_folders(&built), [Path::new("/a")]);
        assert_eq!(Scripts::of(&built).out_dirs, BTreeSet::from([PathBuf::from("/o")]));
    }
}
