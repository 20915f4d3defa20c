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

/// How the engine works, as users name it. What is `None` is not said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineChoices {
    /// The analysis: an algorithm, or an abstract domain for lazy abstraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<String>,
    /// The abstract domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Which state is looked at next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// How a directed search measures distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The blocks of abstraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Whether certificates of proofs are checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certify: Option<bool>,
}

impl EngineChoices {
    /// What is not said is as in `other`.
    pub fn or(self, other: &EngineChoices) -> EngineChoices {
        EngineChoices {
            analysis: self.analysis.or_else(|| other.analysis.clone()),
            domain: self.domain.or_else(|| other.domain.clone()),
            search: self.search.or_else(|| other.search.clone()),
            metric: self.metric.or_else(|| other.metric.clone()),
            block: self.block.or_else(|| other.block.clone()),
            certify: self.certify.or(other.certify),
        }
    }
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
    /// The target of the package that it is in: `lib demo`, `bin demo`, `test ring`.
    #[serde(default)]
    pub target: String,
    /// The directory of the package's manifest.
    pub manifest_dir: PathBuf,
    /// Where the package's build script wrote, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_dir: Option<PathBuf>,
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
    /// `analysis = "…"` and its kin.
    #[serde(default)]
    pub engine: EngineChoices,
    /// `should_fail = "…"`: it must be violated, and the check's rule or message must contain this text.
    pub should_fail: Option<String>,
    /// `#[should_panic]`: it must be violated.
    pub should_panic: bool,
    /// `#[ignore]`
    pub ignored: bool,
    /// Bits of a pointer, for which the test executable was made.
    #[serde(default)]
    pub pointer_width: u32,
    /// The text of the function: part of the key of a cached result.
    pub source: String,
}

impl Harness {
    /// The modules that it is in, inside of its crate.
    pub fn modules(&self) -> Vec<String> {
        self.module.split("::").skip(1).map(str::to_owned).collect()
    }

    /// It must be violated.
    pub fn must_fail(&self) -> bool {
        self.should_panic || self.should_fail.is_some()
    }
}
