//! The script that stands in for the C compiler: it notes the call and runs the real one.
//!
//! It is one executable file without arguments of its own, because that is all that cmake takes as `CC`. Names by which
//! build scripts call a compiler directly (`gcc`, `clang`) get one too, in a folder at the front of `PATH`.

use super::CaptureError;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a build needs to be watched.
#[derive(Debug)]
pub struct Wrapper {
    /// Variables for cargo.
    pub variables: Vec<(OsString, OsString)>,
    /// Where calls are noted, one file each.
    pub calls: PathBuf,
}

/// With this variable set, no wrapper is used: for builds that can't do with one.
pub const NO_WRAPPER: &str = "TOUR_NO_WRAPPER";

/// Programs that run a compiler given as their first argument.
pub const LAUNCHERS: &[&str] = &["ccache", "sccache", "distcc", "icecc"];

impl Wrapper {
    /// Writes the scripts. `None` if scripts can't run here.
    pub fn install(tour: &Path, host: &str) -> Result<Option<Wrapper>, CaptureError> {
        if !cfg!(unix) || std::env::var_os(NO_WRAPPER).is_some() {
            return Ok(None);
        }
        let folder = tour.join("wrapper");
        let names = folder.join("path");
        let calls = tour.join("calls");
        for new in [&names, &calls] {
            std::fs::create_dir_all(new).map_err(CaptureError::io("create", new))?;
        }
        let real = real_compiler(host, &folder);
        let script = folder.join("cc");
        write_script(&script, &calls, &real)?;
        if !runs(&script) {
            return Ok(None);
        }
        let mut variables: Vec<(OsString, OsString)> = compiler_variables(host)
            .map(|name| (OsString::from(name), script.clone().into_os_string()))
            .collect();
        let multiarch = format!("{}-gcc", host.replace("-unknown-", "-"));
        for name in NAMES.iter().copied().chain([multiarch.as_str()]) {
            if let Some(program) = find_program(name, &folder) {
                let words = vec![program.to_string_lossy().into_owned()];
                write_script(&names.join(name), &calls, &words)?;
            }
        }
        variables.push(("PATH".into(), front_of_path(&names, &folder)));
        Ok(Some(Wrapper { variables, calls }))
    }
}

/// The variables that crate `cc` looks at for a build on and for the host, the strongest first.
pub fn compiler_variables(host: &str) -> impl Iterator<Item = String> {
    let forms = [format!("CC_{host}"), format!("CC_{}", host.replace('-', "_"))];
    forms.into_iter().chain(["HOST_CC", "TARGET_CC", "CC"].map(String::from))
}

/// Names by which build scripts call a compiler directly.
const NAMES: &[&str] = &["cc", "gcc", "clang", "c99"];

/// The variables that name a compiler for some target, in order.
pub fn named_compilers() -> Vec<(String, OsString)> {
    let is_compiler = |name: &str| name == "CC" || name.starts_with("CC_") || name.ends_with("_CC");
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let mut found: Vec<_> = named.filter(|(name, _)| is_compiler(name)).collect();
    found.sort();
    found
}

/// The programs that a build may take for its compiler as things are.
pub fn programs(tour: &Path) -> Vec<PathBuf> {
    let ours = tour.join("wrapper");
    let values = named_compilers().into_iter().filter_map(|(_, value)| value.into_string().ok());
    let words = values.flat_map(|value| match Path::new(&value).is_file() {
        true => vec![value],
        // A launcher comes before the compiler.
        false => shlex::split(&value).unwrap_or_default(),
    });
    let names = words.chain(NAMES.iter().map(|name| (*name).to_owned()));
    names.filter_map(|name| find_program(&name, &ours)).filter(|program| program.is_file()).collect()
}

/// The compiler that the user's own build would take.
fn real_compiler(host: &str, ours: &Path) -> Vec<String> {
    for variable in compiler_variables(host).filter(|v| v != "TARGET_CC") {
        let Ok(value) = std::env::var(&variable) else { continue };
        // We may run inside of a build that is watched already.
        if Path::new(&value).starts_with(ours) {
            continue;
        }
        // As crate `cc` does: an existing path is one word, whatever is in it.
        if Path::new(&value).is_file() {
            return vec![value];
        }
        let mut words = shlex::split(&value).unwrap_or_default();
        if let Some(first) = words.first_mut() {
            if let Some(found) = find_program(first, ours) {
                *first = found.to_string_lossy().into_owned();
            }
            return words;
        }
    }
    let found = ["cc", "gcc", "clang"].into_iter().find_map(|name| find_program(name, ours));
    vec![found.map_or_else(|| "cc".to_owned(), |path| path.to_string_lossy().into_owned())]
}

/// A program of `PATH`, but none of ours.
fn find_program(name: &str, ours: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(name.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| !folder.starts_with(ours));
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn front_of_path(names: &Path, ours: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let rest = std::env::split_paths(&path).filter(|folder| !folder.starts_with(ours));
    let folders: Vec<PathBuf> = [names.to_owned()].into_iter().chain(rest).collect();
    // Only a folder with a colon in its name can't be joined: then direct calls go unseen, as `doctor` tells.
    std::env::join_paths(folders).unwrap_or(path)
}

/// Words of a command for a shell.
fn quoted(words: &[String]) -> String {
    let quote = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The text is the same from run to run, and so is the file: build scripts run again when their compiler changes.
fn write_script(path: &Path, calls: &Path, real: &[String]) -> Result<(), CaptureError> {
    let folder = quoted(&[calls.to_string_lossy().into_owned()]);
    let words = quoted(real);
    let text = format!(
        "#!/bin/sh\n\
         # Notes the call and runs the compiler. Written by `cargo tour`. Rust's own compiler calls it to link: that is\n\
         # no work of a build script.\n\
         if [ -z \"$CARGO_CRATE_NAME\" ] && call=$(mktemp {folder}/new.XXXXXXXXXX 2>/dev/null); then\n\
         \x20   printf '%s\\0' \"$PWD\" \"$OUT_DIR\" \"$CARGO_PKG_NAME\" \"$CPATH\" \"$C_INCLUDE_PATH\" {words} \"$@\" \
         > \"$call\" \\\n\
         \x20       && mv -f \"$call\" {folder}/call.\"${{call##*.}}\"\n\
         fi\n\
         exec {words} \"$@\"\n"
    );
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    super::write_atomically(path, text.as_bytes()).map_err(CaptureError::io("write", path))?;
    make_executable(path).map_err(CaptureError::io("write", path))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Whether the script can be executed: not in a folder that is mounted without that right, say.
fn runs(script: &Path) -> bool {
    let mut command = Command::new(script);
    // No call of a build script, though we may run in a test that knows of one: with this variable it is not noted.
    command.env("CARGO_CRATE_NAME", "tour");
    command.arg(OsStr::new("--version")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_noted_and_the_exit_code_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let calls = folder.path().join("it's calls");
        std::fs::create_dir(&calls).expect("a folder");
        let script = folder.path().join("cc");
        write_script(&script, &calls, &["/bin/sh".into(), "-c".into(), "exit 7".into()]).expect("a script");
        let call = |crate_name: &str| {
            let mut command = Command::new(&script);
            command.args(["-c", "a b.c"]).env("OUT_DIR", "/out").env("CARGO_CRATE_NAME", crate_name);
            command.status().expect("it runs").code()
        };
        assert_eq!(call(""), Some(7));
        assert_eq!(call("demo"), Some(7), "a link");
        let noted: Vec<_> =
            std::fs::read_dir(&calls).expect("calls").map(|e| e.expect("a call").path()).collect();
        assert_eq!(noted.len(), 1);
        let text = std::fs::read_to_string(&noted[0]).expect("a call");
        let fields: Vec<&str> = text.split_terminator('\0').collect();
        assert_eq!(fields[1], "/out");
        assert_eq!(fields[5..], ["/bin/sh", "-c", "exit 7", "-c", "a b.c"]);
    }

    #[test]
    fn a_folder_that_is_gone_does_not_stop_the_build() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("cc");
        write_script(&script, Path::new("/nowhere/calls"), &["/bin/true".into()]).expect("a script");
        assert!(Command::new(&script).status().expect("it runs").success());
    }
}
