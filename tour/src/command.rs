//! Asking the installed `cargo-tour` for the verdict of a harness.

use crate::describe::Description;
use crate::entry::Answer;
use crate::json::Value;
use crate::protocol::{self, Folder, PROTOCOL};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that names the command, or says `none`.
const TOUR: &str = "TOUR";

/// How to get it.
pub(crate) const INSTALL: &str = "install it with `cargo install --locked cargo-tour`";

/// The command: named by `TOUR`, or installed. None if there is none, or is to be none.
pub(crate) fn find() -> Result<Option<PathBuf>, String> {
    match std::env::var_os(TOUR).filter(|named| !named.is_empty()) {
        Some(named) if named == "none" => Ok(None),
        Some(named) => {
            let path = PathBuf::from(named);
            match path.is_file() {
                true => Ok(Some(path)),
                false => Err(format!(
                    "TOUR names `{}`, which is no file\nhelp: name the command `cargo-tour`, or `none` to test without it",
                    path.display()
                )),
            }
        }
        None => Ok(installed()),
    }
}

/// As cargo finds its subcommands: in its own folder, and on the path.
fn installed() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let home = home.or_else(|| user.map(|user| Path::new(&user).join(".cargo")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("cargo-tour{}", std::env::consts::EXE_SUFFIX);
    home.map(|home| home.join("bin"))
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// Asks it. An error is no answer.
pub(crate) fn ask(command: &Path, description: &Description) -> Result<Answer, String> {
    let cannot = |what: &str, error: std::io::Error| format!("cannot {what}: {error}");
    let folder = Folder::new().map_err(|error| cannot("create a temporary folder", error))?;
    let (request, result) = (folder.file("request.json"), folder.file("answer.json"));
    let program = std::env::current_exe().map_err(|error| cannot("find the test executable", error))?;
    let text = protocol::request("answer", &description.name())
        .object("description", description.to_json())
        .text("executable", &program.to_string_lossy())
        .text("result", &result.to_string_lossy())
        .to_string();
    protocol::write(&request, &text).map_err(|error| cannot("write the request", error))?;
    let output = Command::new(command)
        .args(["tour", "answer"])
        .arg(&request)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", command.display()))?;
    let answer = std::fs::read_to_string(&result).ok();
    match answer.as_deref().map(read) {
        Some(answer) => answer,
        None => {
            let printed = String::from_utf8_lossy(&output.stderr);
            let printed = printed.lines().next().unwrap_or("it printed nothing");
            let which = format!("`{}` gave no answer ({}: {printed}); it", command.display(), output.status);
            Err(protocol::mismatch(&which))
        }
    }
}

/// Reads an answer, of the command or of the engine.
pub(crate) fn read(text: &str) -> Result<Answer, String> {
    let value = Value::parse(text).ok_or_else(|| "the answer is no JSON".to_owned())?;
    let version = value.field("version").as_text().unwrap_or("of another version");
    if value.field("protocol").as_number() != Some(f64::from(PROTOCOL)) {
        return Err(protocol::mismatch(&format!("cargo-tour {version}")));
    }
    if let Some(error) = value.field("error").as_text() {
        return Err(error.to_owned());
    }
    Ok(Answer {
        is_proved: value.field("proved").is_true(),
        text: value.field("text").as_text().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let answer =
            read(r#"{"protocol":4,"version":"0.1.0","proved":true,"violated":false,"text":"PROVED"}"#);
        let answer = answer.expect("an answer");
        assert!(answer.is_proved && answer.text == "PROVED");
        let error = |text: &str| read(text).err().expect("an error");
        assert!(error(r#"{"protocol":5,"version":"9.9.9","proved":true}"#).contains("cargo-tour 9.9.9"));
        assert_eq!(error(r#"{"protocol":4,"version":"0.1.0","error":"no Cargo.toml"}"#), "no Cargo.toml");
        assert!(error("").contains("no JSON"));
    }
}
