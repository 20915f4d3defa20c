//! What a result is about.

use super::SourcePlace;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Something that holds or not, and is verified as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A harness of a package.
    Harness(Box<Harness>),
    /// A program given to `cargo tour check`.
    Program(CheckedProgram),
}

/// A program of no files.
impl Default for Claim {
    fn default() -> Claim {
        Claim::Program(CheckedProgram::default())
    }
}

impl From<Harness> for Claim {
    fn from(harness: Harness) -> Claim {
        Claim::Harness(Box::new(harness))
    }
}

impl Claim {
    /// The harness, if it is one.
    pub fn harness(&self) -> Option<&Harness> {
        match self {
            Claim::Harness(harness) => Some(harness),
            Claim::Program(_) => None,
        }
    }

    /// The name of the harness, or the files of the program.
    pub fn name(&self) -> String {
        match self {
            Claim::Harness(harness) => harness.name.clone(),
            Claim::Program(program) => program.files.join(" "),
        }
    }

    /// What it belongs to: its package, or the command.
    pub fn group(&self) -> &str {
        match self {
            Claim::Harness(harness) => &harness.package,
            Claim::Program(_) => "cargo tour check",
        }
    }

    /// What its relative paths are relative to.
    pub fn directory(&self) -> &Path {
        match self {
            Claim::Harness(harness) => &harness.manifest_dir,
            Claim::Program(program) => &program.directory,
        }
    }

    /// Where it stands: the function of the harness, or the first file.
    pub fn place(&self) -> SourcePlace {
        match self {
            Claim::Harness(harness) => SourcePlace::line(harness.file.clone(), harness.line),
            Claim::Program(program) => {
                SourcePlace::line(program.files.first().cloned().unwrap_or_default().into(), 1)
            }
        }
    }
}

/// A C program, as it was given to `cargo tour check`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckedProgram {
    /// Its files, as they were named.
    pub files: Vec<String>,
    /// The function that it begins with.
    pub entry: String,
    /// Sizes of types: `ilp32`, `lp64`.
    pub data_model: String,
    /// Where the command was run.
    pub directory: PathBuf,
}

/// A harness, as it is found in a test executable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Harness {
    /// The name of the test, as libtest knows it: `proofs::push_then_pop`.
    pub name: String,
    /// Its module with the crate: `demo::proofs`.
    pub module: String,
    /// The function.
    pub function: String,
    /// The package.
    pub package: String,
    /// The directory of the package's manifest.
    pub manifest_dir: PathBuf,
    /// The file that it stands in, absolute where that could be found out.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: u32,
    /// `tag = "…"`, each.
    pub tags: Vec<String>,
    /// `timeout = "30s"`, in seconds.
    pub timeout: Option<f64>,
    /// `memory = "2G"`, in bytes.
    pub memory: Option<u64>,
    /// `unwind = 8`
    pub unwind: Option<u32>,
    /// `property = "…"`, each; empty: all.
    pub properties: Vec<String>,
    /// `malloc_may_fail = true`
    #[serde(default)]
    pub malloc_may_fail: bool,
    /// `should_fail = "…"`: it must be violated, and the check's rule or message must contain this text.
    pub should_fail: Option<String>,
    /// `#[should_panic]`: it must be violated.
    pub should_panic: bool,
    /// `#[ignore]`
    pub ignored: bool,
    /// The text of the function: part of the key of a cached result.
    pub source: String,
}

impl Harness {
    /// It must be violated.
    pub fn must_fail(&self) -> bool {
        self.should_panic || self.should_fail.is_some()
    }
}
