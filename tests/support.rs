//! Running the binary in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder with files to run in.
pub struct Folder(tempfile::TempDir);

/// What a run left.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with one C file, `a.c`.
    pub fn with(text: &str) -> Folder {
        Folder::new().file("a.c", text)
    }

    /// Adds a file.
    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Folder {
        std::fs::write(self.path(name), text).expect("the folder can be written to");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `cargo tour` with arguments separated by blanks.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-tour"));
        command.arg("tour").args(args.split_whitespace()).current_dir(self.0.path());
        for variable in ["CC", "CARGO_TERM_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "CFLAGS"] {
            command.env_remove(variable);
        }
        // A key of its own: nothing is left in the home of who runs the tests.
        command.env("XDG_STATE_HOME", self.0.path().join(".state"));
        // A stand-in for the engine.
        if self.path("worker").is_file() {
            command.env("TOUR_WORKER", self.path("worker"));
        }
        command
    }

    /// Runs `cargo tour`.
    pub fn tour(&self, args: &str) -> Run {
        Run::of(self.command(args).output().expect("the binary runs"))
    }
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }

    /// The last line of standard output.
    pub fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }

    /// Asserts exit code and last line.
    #[track_caller]
    pub fn expect(&self, code: i32, last_line: &str) {
        assert_eq!((self.code, self.last_line()), (Some(code), last_line), "{self:#?}");
    }
}

/// A top-level folder or file of the repository.
pub fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
