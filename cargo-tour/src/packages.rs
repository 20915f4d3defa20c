//! The command line of commands that work on packages: which packages, how they are built, which harnesses.

use crate::cli::ChoiceArgs;
use crate::coverage::CoverageOutput;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tour::capture;
use tour::program::Rule;
use tour_syntax::units::{self, Limit};

pub const VERIFY_HELP: &str = "\
The package is built in target/tour with a small wrapper as its C compiler, so that the C files of the
build and their flags are known. Each function marked #[verify] is then run against all its inputs at
once. A violation is executed natively before it is shown.

Exit code: 0 all proved, 1 a violation, 2 usage or configuration error, 3 something is unknown or not certified,
4 no harness found, 5 a claim is vacuous, 70 a bug in tour, 101 the build failed, 130 interrupted.

Settings can be kept in tour.toml, too. What is said in several places counts in this order:
the command line, #[verify(...)], what a profile says for harnesses of that name, the profile.

Examples:
  cargo tour verify
  cargo tour verify ring --timeout 60s -j 4
  cargo tour verify --exact proofs::push --analysis bmc
  cargo tour verify --workspace --tag fast --junit tour.xml --sarif tour.sarif
  cargo tour verify --partition hash:1/4";

/// Which packages, and how they are built.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Packages")]
pub struct PackageArgs {
    /// This package; may be repeated [default: that of the current folder]
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,
    /// All packages of the workspace
    #[arg(long, alias = "all")]
    pub workspace: bool,
    /// But not this one
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub exclude: Vec<String>,
    /// Path of a Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Features to switch on
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,
    /// Switch all features on
    #[arg(long)]
    pub all_features: bool,
    /// Do not switch default features on
    #[arg(long)]
    pub no_default_features: bool,
    /// Build with optimisation: C that depends on NDEBUG or the like is seen as it is released
    #[arg(short, long)]
    pub release: bool,
    /// Cargo.lock must not change
    #[arg(long)]
    pub locked: bool,
    /// Use no network
    #[arg(long)]
    pub offline: bool,
}

impl PackageArgs {
    /// The folder of the manifest, or the current one.
    pub fn folder(&self) -> PathBuf {
        match &self.manifest_path {
            Some(path) if path.is_dir() => path.clone(),
            Some(path) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
                _ => PathBuf::from("."),
            },
            None => PathBuf::from("."),
        }
    }

    /// For a capture. With `tests`, the test executables are built as well.
    pub fn capture_options(&self, tests: bool, show: bool) -> capture::Options {
        capture::Options { manifest_dir: self.folder(), cargo: self.cargo_flags(), tests, show, force: false }
    }

    fn cargo_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = Vec::new();
        let mut listed = |flag: &str, values: &[String]| {
            for value in values {
                flags.extend([flag.into(), value.into()]);
            }
        };
        listed("--package", &self.package);
        listed("--exclude", &self.exclude);
        listed("--features", &self.features);
        let switches = [
            (self.workspace, "--workspace"),
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.release, "--release"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
        ];
        flags.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, flag)| OsString::from(flag)));
        flags
    }
}

/// Which harnesses.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Harnesses")]
pub struct SelectionArgs {
    /// Harnesses whose names contain this text; several texts: any of them
    #[arg(value_name = "FILTER", help_heading = clap::builder::Resettable::Reset)]
    pub filters: Vec<String>,
    /// The filters are whole names
    #[arg(long)]
    pub exact: bool,
    /// Not those whose names contain this text
    #[arg(long, value_name = "FILTER")]
    pub skip: Vec<String>,
    /// Only those with this tag; may be repeated: any of them
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Those marked `#[ignore]` as well
    #[arg(long)]
    pub include_ignored: bool,
    /// Part M of N, to spread a suite over machines: hash:M/N or count:M/N
    #[arg(long, value_name = "KIND:M/N", value_parser = partition)]
    pub partition: Option<Partition>,
}

/// A part of all harnesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    /// By name: a new harness moves no other. Else by position.
    pub by_hash: bool,
    /// From 1.
    pub part: u64,
    /// How many parts.
    pub of: u64,
}

fn partition(text: &str) -> Result<Partition, String> {
    let wrong = || "write for example `hash:1/4`: the first of four parts".to_owned();
    let (kind, numbers) = text.split_once(':').ok_or_else(wrong)?;
    let (part, of) = numbers.split_once('/').ok_or_else(wrong)?;
    let (part, of) = (part.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
    let by_hash = match kind {
        "hash" => true,
        "count" => false,
        _ => return Err(wrong()),
    };
    if (1..=of).contains(&part) { Ok(Partition { by_hash, part, of }) } else { Err(wrong()) }
}

/// A name of properties: a rule or a group.
fn property() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(Rule::names())
}

#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub packages: PackageArgs,
    /// Check only this property or group of properties; may be repeated [default: as the harness says, or all]
    #[arg(long, value_name = "PROPERTY", value_parser = property(), hide_possible_values = true, help_heading = "Property")]
    pub property: Vec<String>,
    /// Let malloc, calloc and realloc fail: each call may give null
    #[arg(long, help_heading = "Property")]
    pub malloc_may_fail: bool,
    #[command(flatten)]
    pub engine: ChoiceArgs,
    /// Time for each harness, in place of its own: 60s, 2m 30s, none [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = units::duration, help_heading = "Limits")]
    pub timeout: Option<Limit<Duration>>,
    /// Memory for each harness, in place of its own: 4G, 512M, none
    #[arg(long, value_name = "SIZE", value_parser = units::size, help_heading = "Limits")]
    pub memory: Option<Limit<u64>>,
    /// Harnesses at once [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    pub jobs: Option<u32>,
    /// Stop after the first harness that is not proved
    #[arg(long, help_heading = "Running")]
    pub fail_fast: bool,
    /// Verify again what did not change
    #[arg(long, help_heading = "Running")]
    pub no_cache: bool,
    /// Verify a share of what did not change anew, and compare: all of it, or N %
    #[arg(long, value_name = "N%", num_args = 0..=1, require_equals = true, default_missing_value = "100%")]
    #[arg(value_parser = share, conflicts_with = "no_cache", help_heading = "Running")]
    pub recheck: Option<u32>,
    /// Whether violations are run natively
    #[arg(long, value_name = "WHEN", default_value = "always", help_heading = "Running")]
    pub replay: ReplayRuns,
    /// Short for --replay never
    #[arg(long, conflicts_with = "replay", help_heading = "Running")]
    pub no_replay: bool,
    /// Do not compare `extern "C"` declarations with the C
    #[arg(long, help_heading = "Running")]
    pub no_ffi: bool,
    /// Settings of this profile of tour.toml
    #[arg(long, value_name = "NAME", env = "TOUR_PROFILE", help_heading = "Running")]
    pub profile: Option<String>,
    #[command(flatten)]
    pub coverage: CoverageOutput,
    #[command(flatten)]
    pub output: ResultArgs,
}

/// Whether violations are run natively.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReplayRuns {
    /// In the test executable, under limits
    #[default]
    Always,
    /// Nothing is run with the inputs that were found
    Never,
}

/// `5%`, from 1 % to 100 %.
fn share(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    number.filter(|number| (1..=100).contains(number)).ok_or_else(|| "a share is 1% to 100%".to_owned())
}

/// Where results go.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Form of what goes to standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub message_format: Messages,
    /// Write results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write results as SARIF
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write a witness for each harness that is decided (SV-COMP format 2.0); nothing is taken from the cache
    #[arg(long, value_name = "FOLDER")]
    pub witness: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Messages {
    /// For people
    #[default]
    Human,
    /// One line for each finding
    Short,
    /// One JSON object a line
    Json,
}

#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub packages: PackageArgs,
    /// One JSON object a line
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    #[command(flatten)]
    pub packages: PackageArgs,
    /// Run the build even if nothing changed
    #[arg(long)]
    pub force: bool,
    /// Read each file as a verification would, and say which can't be read
    #[arg(long)]
    pub parse: bool,
    /// As JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The harness: its name or a part that only one has
    pub harness: String,
    #[command(flatten)]
    pub packages: PackageArgs,
    /// Run it under this debugger
    #[arg(long, value_name = "PROGRAM")]
    pub debugger: Option<String>,
    /// Which of the kept inputs, from 1 [default: the last]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub number: Option<u32>,
}

#[derive(Clone, Debug, Args)]
pub struct CleanArgs {
    /// Path of a Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Only results, not the build
    #[arg(long)]
    pub cache: bool,
}

#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// Path of a Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Take tour from this checkout instead of the registry
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct NewHarnessArgs {
    /// The C header
    #[arg(value_name = "HEADER.h")]
    pub header: PathBuf,
    /// Only this function; may be repeated [default: all of the header]
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// The file to write [default: tests/HEADER_harness.rs of the package]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
    /// Flags for clang
    #[arg(last = true, value_name = "FLAGS")]
    pub clang: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct FfiArgs {
    #[command(flatten)]
    pub packages: PackageArgs,
}

#[derive(Clone, Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub packages: PackageArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions() {
        assert_eq!(partition("hash:2/3"), Ok(Partition { by_hash: true, part: 2, of: 3 }));
        assert_eq!(partition("count:1/1"), Ok(Partition { by_hash: false, part: 1, of: 1 }));
        for wrong in ["", "hash", "hash:0/3", "hash:4/3", "slice:1/2", "hash:1", "hash:a/b", "hash:0/0"] {
            assert!(partition(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_folder_of_a_manifest() {
        let folder =
            |path: &str| PackageArgs { manifest_path: Some(path.into()), ..PackageArgs::default() }.folder();
        assert_eq!(folder("Cargo.toml"), PathBuf::from("."));
        assert_eq!(folder("a/Cargo.toml"), PathBuf::from("a"));
    }
}
