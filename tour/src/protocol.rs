//! How the command and a test executable talk: the side of the test executable.
//!
//! The other side, with the whole protocol in words, is the crate `tour-protocol`. A request is a file named by the
//! environment variable [`REQUEST`]; answers are files, too, and are there whole or not at all.

use crate::json::{self, Object, Value};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Version of the protocol: both sides must have the same.
pub(crate) const PROTOCOL: u32 = 4;

/// The environment variable that holds the path of a request.
pub(crate) const REQUEST: &str = "TOUR_REQUEST";

/// What this process was started for.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// Say which harnesses there are, in this file.
    List { result: PathBuf },
    /// Run the body of a harness with inputs, and say in the file how it ended.
    Replay { harness: String, inputs: Vec<u128>, result: Option<PathBuf> },
    /// Run the body of a harness with many inputs: see `sampling`.
    Sample { harness: String, plan: Value },
}

impl Request {
    /// The request that this process was started with.
    pub(crate) fn of_this_process() -> Option<Result<Request, String>> {
        let path = std::env::var_os(REQUEST)?;
        let path = Path::new(&path);
        let read = fs::read_to_string(path).map_err(|error| error.to_string());
        let read = read.and_then(|text| Value::parse(&text).ok_or_else(|| "it is no JSON".to_owned()));
        let read = read.map_err(|why| format!("cannot read the request `{}`: {why}", path.display()));
        Some(read.and_then(|value| Request::of(&value)))
    }

    fn of(value: &Value) -> Result<Request, String> {
        let protocol = value.field("protocol").as_number();
        if protocol != Some(f64::from(PROTOCOL)) {
            let version = value.field("version").as_text().unwrap_or("of another version");
            return Err(mismatch(&format!("cargo-tour {version}")));
        }
        let harness = value.field("harness").as_text().unwrap_or_default().to_owned();
        let result = value.field("result").as_text().map(PathBuf::from);
        let no = |what: &str| format!("the request has no {what}");
        match value.field("action").as_text() {
            Some("list") => Ok(Request::List { result: result.ok_or_else(|| no("result"))? }),
            Some("replay") => {
                let inputs = value.field("inputs").as_scalars().ok_or_else(|| no("inputs"))?;
                Ok(Request::Replay { harness, inputs, result })
            }
            Some("sample") => Ok(Request::Sample { harness, plan: value.clone() }),
            other => Err(format!("a test executable can't do `{}`", other.unwrap_or_default())),
        }
    }
}

/// The command and this crate can't talk.
pub(crate) fn mismatch(command: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{command} and tour-verify {version} do not understand each other: install the command of the same version \
         (`cargo install --locked cargo-tour@{version}`), or update the dev-dependency `tour-verify` to that of the command"
    )
}

/// How a native run ended, when it was not by a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Returned,
    Panicked { message: String, file: String, line: u32, column: u32 },
    AssumeFailed,
    OutOfInputs,
}

impl End {
    pub(crate) fn to_json(&self) -> Object {
        match self {
            End::Returned => Object::new().text("end", "returned"),
            End::AssumeFailed => Object::new().text("end", "assume-failed"),
            End::OutOfInputs => Object::new().text("end", "out-of-inputs"),
            End::Panicked { message, file, line, column } => Object::new()
                .text("end", "panicked")
                .text("message", message)
                .text("file", file)
                .number("line", line)
                .number("column", column),
        }
    }
}

/// A new request.
pub(crate) fn request(action: &str, harness: &str) -> Object {
    Object::new()
        .number("protocol", PROTOCOL)
        .text("version", env!("CARGO_PKG_VERSION"))
        .text("action", action)
        .text("harness", harness)
}

/// Scalars as a JSON list.
pub(crate) fn scalars(values: &[u128]) -> String {
    let values: Vec<String> = values.iter().map(|value| json::bits(*value)).collect();
    format!("[{}]", values.join(","))
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let partial = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&partial, text).and_then(|()| fs::rename(&partial, path))
}

/// Adds a line to a file that others add to as well.
pub(crate) fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
    // One write a line: nobody's gets in between.
    file.write_all(format!("{line}\n").as_bytes())
}

/// A folder for one exchange, gone when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> io::Result<Folder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("tour-{process}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                // Left by a process of the same number that was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in the system's temporary folder is removed with it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let read = |text: String| Request::of(&Value::parse(&text).expect("JSON"));
        let text = request("replay", "proofs::push")
            .text("result", "/tmp/end.json")
            .raw("inputs", &scalars(&[7, u128::MAX]))
            .to_string();
        match read(text) {
            Ok(Request::Replay { harness, inputs, result }) => {
                assert_eq!((harness.as_str(), inputs), ("proofs::push", vec![7, u128::MAX]));
                assert_eq!(result, Some("/tmp/end.json".into()));
            }
            other => panic!("{other:?}"),
        }
        let error =
            read(r#"{"protocol":3,"version":"0.0.9","action":"list"}"#.into()).expect_err("another version");
        assert!(error.contains("cargo-tour 0.0.9") && error.contains("cargo install"), "{error}");
        assert!(read(request("verify", "h").to_string()).is_err());
    }

    #[test]
    fn folders_are_removed() {
        let folder = Folder::new().expect("a folder");
        let path = folder.file("a");
        write(&path, "b").expect("a file");
        append(&path, "c").expect("a file");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "bc\n");
        drop(folder);
        assert!(!path.exists());
    }
}
