//! `tour.toml`: settings of a workspace that are worth keeping under version control.
//!
//! ```toml
//! [profile.default]          # in force without --profile
//! timeout = "60s"
//! memory = "2G"
//! properties = ["assert", "memory-safety"]
//!
//! [[profile.default.override]]   # for harnesses of a name
//! harness = "ring::*"
//! analysis = "bmc"
//!
//! [profile.ci]               # what it does not say is as in `default`
//! timeout = "10m"
//! fail-fast = true
//!
//! [stub.read_sensor]         # a function without a body
//! file = "stubs/sensor.c"
//! ```

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;
use tour_c::front::Input;
use tour_c::sema::{self, Returns};
use tour_ir::source::{Diagnostic, SourceMap, Span, Unit};
use tour_protocol::protocol::Request;
use tour_protocol::result::{EngineChoices, Harness};
use tour_syntax::units::{self, Limit};

/// The name of the file.
pub const FILE: &str = "tour.toml";

/// The name of the profile that is in force if none is named.
pub const DEFAULT_PROFILE: &str = "default";

/// What the file says.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Stubs by the name of the function.
    pub stubs: BTreeMap<String, Stub>,
}

/// The environment variable that names a profile.
pub const PROFILE_VARIABLE: &str = "TOUR_PROFILE";

/// Time for a harness of which nobody says anything else.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// What is said about how a harness is verified. What is `None` is not said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessOptions {
    /// Time; the inner `None` is `"none"`.
    pub timeout: Option<Option<Duration>>,
    /// Memory, in bytes.
    pub memory: Option<Option<u64>>,
    /// Ids of properties to check.
    pub properties: Option<Vec<String>>,
    /// `malloc` and its kin may fail.
    pub malloc_may_fail: Option<bool>,
    /// How the engine works.
    pub engine: EngineChoices,
}

impl HarnessOptions {
    /// What `#[verify(…)]` says.
    pub fn of(harness: &Harness) -> HarnessOptions {
        HarnessOptions {
            timeout: harness.timeout.map(|limit| Duration::try_from_secs_f64(limit).ok()),
            memory: harness.memory.map(Some),
            properties: (!harness.properties.is_empty()).then(|| harness.properties.clone()),
            malloc_may_fail: harness.malloc_may_fail.then_some(true),
            engine: harness.engine.clone(),
        }
    }

    /// A request that asks for this.
    pub fn ask(self, request: Request) -> Request {
        Request {
            timeout: self.timeout.map(|limit| Limit(limit).seconds()),
            memory: self.memory.map(|limit| Limit(limit).bytes()),
            properties: self.properties.unwrap_or_default(),
            malloc_may_fail: self.malloc_may_fail.unwrap_or(false),
            engine: self.engine,
            ..request
        }
    }

    /// What is not said is as in `other`.
    pub fn or(self, other: &HarnessOptions) -> HarnessOptions {
        HarnessOptions {
            timeout: self.timeout.or(other.timeout),
            memory: self.memory.or(other.memory),
            properties: self.properties.or_else(|| other.properties.clone()),
            malloc_may_fail: self.malloc_may_fail.or(other.malloc_may_fail),
            engine: self.engine.or(&other.engine),
        }
    }
}

/// What counts for a harness of what is said in several places, in this order: the command line; the harness's own
/// `#[verify(…)]`; the first part of the profile whose pattern the harness's name matches and that says it; the profile, and what
/// is so by default.
pub fn strongest(
    asked: &HarnessOptions,
    harness: &Harness,
    overrides: &[Override],
    otherwise: &HarnessOptions,
) -> HarnessOptions {
    let own = HarnessOptions::of(harness);
    let matching = overrides.iter().filter(|part| part.matches(harness)).map(|part| &part.options);
    let weaker = std::iter::once(&own).chain(matching).chain([otherwise]);
    weaker.fold(asked.clone(), |strong, weak| strong.or(weak))
}

/// What a profile says about harnesses of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// A pattern of names, in which `*` stands for any text.
    pub harness: String,
    /// What is said.
    pub options: HarnessOptions,
}

impl Override {
    /// Whether a harness is meant: by its name, or that with its package before it.
    pub fn matches(&self, harness: &Harness) -> bool {
        let full = format!("{}::{}", harness.package, harness.name);
        [&harness.name, &full].iter().any(|name| matches(&self.harness, name))
    }
}

/// Whether a name matches a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    ends.into_iter().any(|at| matches(rest, &name[at..]))
}

/// Settings of a run. What is `None` is not said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// About each harness.
    pub options: HarnessOptions,
    /// About some; the first that says something counts.
    pub overrides: Vec<Override>,
    /// Harnesses at once.
    pub jobs: Option<usize>,
    /// Stop after the first failure.
    pub fail_fast: Option<bool>,
    /// Say that a harness is slow after this time.
    pub slow_after: Option<Duration>,
}

/// What stands in for a function that no C of the build defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stub {
    /// This file defines it.
    File(PathBuf),
    /// It returns and writes what is said here.
    Rule(sema::Stub),
}

/// Why the file can't be used.
#[derive(Clone, Debug)]
pub struct ConfigError {
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
    /// The text of the file.
    pub sources: SourceMap,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(label) = self.diagnostic.labels.first() {
            write!(f, "{}: ", self.sources.display(label.span))?;
        }
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for ConfigError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    #[serde(default)]
    profile: BTreeMap<String, RawProfile>,
    #[serde(default)]
    stub: BTreeMap<String, RawStub>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawProfile {
    timeout: Option<Spanned<String>>,
    memory: Option<Spanned<String>>,
    analysis: Option<String>,
    domain: Option<String>,
    search: Option<String>,
    metric: Option<String>,
    block: Option<String>,
    certify: Option<bool>,
    #[serde(default, rename = "override")]
    overrides: Vec<RawOverride>,
    jobs: Option<Spanned<usize>>,
    fail_fast: Option<bool>,
    properties: Option<Vec<Spanned<String>>>,
    malloc_may_fail: Option<bool>,
    slow_after: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawOverride {
    harness: String,
    timeout: Option<Spanned<String>>,
    memory: Option<Spanned<String>>,
    analysis: Option<String>,
    domain: Option<String>,
    search: Option<String>,
    metric: Option<String>,
    block: Option<String>,
    certify: Option<bool>,
    properties: Option<Vec<Spanned<String>>>,
    malloc_may_fail: Option<bool>,
}

/// What both of these say.
struct RawHarnessOptions {
    timeout: Option<Spanned<String>>,
    memory: Option<Spanned<String>>,
    engine: EngineChoices,
    properties: Option<Vec<Spanned<String>>>,
    malloc_may_fail: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStub {
    file: Option<Spanned<PathBuf>>,
    returns: Option<Spanned<RawReturns>>,
    #[serde(default)]
    writes: Vec<String>,
}

/// A number, or `"nondet"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawReturns {
    Number(i64),
    Word(String),
}

impl Config {
    /// The settings for a package: `tour.toml` beside its manifest, or above up to the workspace's.
    pub fn find(package: &Path, workspace: &Path) -> Result<Config, Box<ConfigError>> {
        let inside = package.ancestors().take_while(|folder| folder.starts_with(workspace));
        match inside.map(|folder| folder.join(FILE)).find(|file| file.is_file()) {
            Some(file) => Config::read(&file),
            None => Ok(Config::default()),
        }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Config, Box<ConfigError>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Config::parse(path, &text),
            Err(error) => Err(Box::new(ConfigError {
                diagnostic: Diagnostic::error(
                    "tour::config",
                    format!("cannot read `{}`: {error}", path.display()),
                ),
                sources: SourceMap::default(),
            })),
        }
    }

    /// Reads a text.
    pub fn parse(path: &Path, text: &str) -> Result<Config, Box<ConfigError>> {
        let mut sources = SourceMap::default();
        let unit = sources.add(Unit::plain(path, text));
        let fail = |message: String, range: Option<std::ops::Range<usize>>, help: &str| {
            let range = range.unwrap_or(0..0);
            let diagnostic = Diagnostic::error("tour::config", message)
                .label(Span::new(unit, range.start, range.end), "")
                .help(help);
            Box::new(ConfigError { diagnostic, sources: sources.clone() })
        };
        let raw: RawConfig = toml::from_str(text).map_err(|error| {
            fail(error.message().to_owned(), error.span(), "the chapter on tour.toml lists all settings")
        })?;
        let mut config = Config::default();
        for (name, raw) in raw.profile {
            let profile = raw.check().map_err(|(message, range, help)| fail(message, Some(range), help))?;
            config.profiles.insert(name, profile);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        for (name, raw) in raw.stub {
            let Some(file) = raw.file else {
                let returns = match raw.returns.map(|returns| (returns.span(), returns.into_inner())) {
                    None => Returns::Nondet,
                    Some((_, RawReturns::Number(number))) => Returns::Value(number.into()),
                    Some((_, RawReturns::Word(word))) if word == "nondet" => Returns::Nondet,
                    Some((range, RawReturns::Word(word))) => {
                        let message = format!("the stub of `{name}` returns `{word}`");
                        return Err(fail(message, Some(range), "`returns` takes a number or \"nondet\""));
                    }
                };
                let rule = sema::Stub { function: name.clone(), returns, writes: raw.writes };
                config.stubs.insert(name, Stub::Rule(rule));
                continue;
            };
            let (range, path) = (file.span(), folder.join(file.get_ref()));
            if raw.returns.is_some() || !raw.writes.is_empty() {
                let message = format!("the stub of `{name}` is in a file, which says what it does");
                return Err(fail(message, Some(range), "either `file`, or `returns` and `writes`"));
            }
            if !path.is_file() {
                let message = format!("the stub of `{name}` is in `{}`, which is no file", path.display());
                return Err(fail(message, Some(range), "the path is relative to tour.toml"));
            }
            config.stubs.insert(name, Stub::File(path));
        }
        Ok(config)
    }

    /// The profile of a name, or the default one; the error lists which there are.
    pub fn chosen(&self, name: Option<&str>) -> Result<Profile, String> {
        self.profile(name).ok_or_else(|| {
            let known: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
            let name = name.unwrap_or_default();
            format!("there is no profile `{name}` in tour.toml (there are: {})", known.join(", "))
        })
    }

    /// A profile with what it does not say taken from the default one. `None` if there is none of this name.
    pub fn profile(&self, name: Option<&str>) -> Option<Profile> {
        let base = self.profiles.get(DEFAULT_PROFILE).cloned().unwrap_or_default();
        let named = match name {
            None | Some(DEFAULT_PROFILE) => return Some(base),
            Some(name) => self.profiles.get(name)?.clone(),
        };
        Some(Profile {
            options: named.options.or(&base.options),
            overrides: named.overrides.into_iter().chain(base.overrides).collect(),
            jobs: named.jobs.or(base.jobs),
            fail_fast: named.fail_fast.or(base.fail_fast),
            slow_after: named.slow_after.or(base.slow_after),
        })
    }
}

/// The stubs for a package: units that define functions, and rules. A function that the package's C defines has none.
pub fn stubs(
    package: &Path,
    defines: impl Fn(&str) -> bool,
) -> Result<(Vec<Input>, Vec<sema::Stub>), Box<Diagnostic>> {
    let places = match crate::capture::locate(package) {
        Ok(places) => places,
        Err(_) => return Ok((Vec::new(), Vec::new())),
    };
    let config = Config::find(&places.package, &places.workspace)
        .map_err(|error| Box::new(Diagnostic::error("tour::config", error.to_string())))?;
    let (mut files, mut rules): (Vec<&Path>, Vec<sema::Stub>) = (Vec::new(), Vec::new());
    for (name, stub) in &config.stubs {
        match stub {
            // Two bodies: which one counts? What `returns` and `writes` say stands for any body.
            Stub::File(_) if defines(name) => {
                let message = format!("tour.toml has a stub for `{name}`, which the C of the build defines");
                let help = "say with `returns` and `writes` what it does, or remove the stub";
                return Err(Box::new(Diagnostic::error("tour::config", message).help(help)));
            }
            Stub::File(file) if files.contains(&file.as_path()) => {}
            Stub::File(file) => files.push(file),
            Stub::Rule(rule) => rules.push(rule.clone()),
        }
    }
    Ok((files.into_iter().map(Input::file).collect(), rules))
}

type Wrong = (String, std::ops::Range<usize>, &'static str);

fn limit<T>(
    raw: Spanned<String>,
    parse: fn(&str) -> Result<Limit<T>, units::Wrong>,
) -> Result<Option<T>, Wrong> {
    parse(raw.get_ref()).map(|limit| limit.0).map_err(|wrong| (wrong.message, raw.span(), wrong.help))
}

impl RawHarnessOptions {
    fn check(self) -> Result<HarnessOptions, Wrong> {
        let property = |raw: Spanned<String>| match tour_ir::program::Rule::named(raw.get_ref()) {
            Some(_) => Ok(raw.into_inner()),
            None => Err((
                format!("there is no property `{}`", raw.get_ref()),
                raw.span(),
                "`cargo tour verify --help` lists the properties",
            )),
        };
        Ok(HarnessOptions {
            timeout: self.timeout.map(|raw| limit(raw, units::duration)).transpose()?,
            memory: self.memory.map(|raw| limit(raw, units::size)).transpose()?,
            properties: self
                .properties
                .map(|all| all.into_iter().map(property).collect::<Result<Vec<_>, _>>())
                .transpose()?,
            malloc_may_fail: self.malloc_may_fail,
            engine: self.engine,
        })
    }
}

impl RawOverride {
    fn check(self) -> Result<Override, Wrong> {
        let RawOverride { harness, timeout, memory, properties, malloc_may_fail, .. } = self;
        let RawOverride { analysis, domain, search, metric, block, certify, .. } = self;
        let engine = EngineChoices { analysis, domain, search, metric, block, certify };
        let options = RawHarnessOptions { timeout, memory, engine, properties, malloc_may_fail }.check()?;
        Ok(Override { harness, options })
    }
}

impl RawProfile {
    fn check(self) -> Result<Profile, Wrong> {
        let RawProfile {
            timeout,
            memory,
            properties,
            malloc_may_fail,
            jobs,
            fail_fast,
            slow_after,
            overrides,
            ..
        } = self;
        let RawProfile { analysis, domain, search, metric, block, certify, .. } = self;
        let engine = EngineChoices { analysis, domain, search, metric, block, certify };
        let number = |raw: Spanned<usize>| match *raw.get_ref() {
            0 => Err(("0 jobs would never end".to_owned(), raw.span(), "leave it out for one job a core")),
            jobs => Ok(jobs),
        };
        Ok(Profile {
            options: RawHarnessOptions { timeout, memory, engine, properties, malloc_may_fail }.check()?,
            overrides: overrides.into_iter().map(RawOverride::check).collect::<Result<_, _>>()?,
            jobs: jobs.map(number).transpose()?,
            fail_fast,
            slow_after: slow_after.map(|raw| limit(raw, units::duration)).transpose()?.flatten(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_add_to_the_default_one() {
        let text = "[profile.default]\ntimeout = \"2m 30s\"\njobs = 2\n[profile.ci]\ntimeout = \"none\"\nmemory = \"2G\"\n";
        let config = Config::parse(Path::new("tour.toml"), text).expect("settings");
        let ci = config.profile(Some("ci")).expect("a profile");
        assert_eq!(
            (ci.options.timeout, ci.jobs, ci.options.memory),
            (Some(None), Some(2), Some(Some(2 << 30)))
        );
        let default = config.profile(None).expect("a profile");
        assert_eq!(default.options.timeout, Some(Some(Duration::from_secs(150))));
        assert_eq!(config.profile(Some("nightly")), None);
        assert_eq!(Config::default().profile(None), Some(Profile::default()));
    }

    #[test]
    fn harnesses_by_pattern() {
        let text = "[profile.default]\nanalysis = \"bmc\"\n\
                    [[profile.default.override]]\nharness = \"ring::*\"\ntimeout = \"1s\"\nsearch = \"tour\"\n\
                    [profile.ci]\n[[profile.ci.override]]\nharness = \"*::pop\"\n";
        let config = Config::parse(Path::new("tour.toml"), text).expect("settings");
        let ci = config.profile(Some("ci")).expect("a profile");
        let patterns: Vec<&str> = ci.overrides.iter().map(|part| part.harness.as_str()).collect();
        assert_eq!(patterns, ["*::pop", "ring::*"], "those of the named profile first");
        assert_eq!(ci.options.engine.analysis.as_deref(), Some("bmc"));
        assert_eq!(ci.overrides[1].options.engine.search.as_deref(), Some("tour"));
        let harness =
            |name: &str| Harness { name: name.into(), package: "demo".into(), ..Harness::default() };
        let check = |pattern: &str, name: &str, expected: bool| {
            let part = Override { harness: pattern.into(), options: HarnessOptions::default() };
            assert_eq!(part.matches(&harness(name)), expected, "{pattern} {name}");
        };
        check("ring::*", "ring::pop", true);
        check("ring::*", "string::pop", false);
        check("*pop*", "ring::pop_all", true);
        check("demo::ring::pop", "ring::pop", true);
        check("ring", "ring::pop", false);
        check("*", "", true);
    }

    /// Each setting, said in all places from the strongest on, with the strongest left out one after the other.
    #[test]
    fn settings_said_in_several_places_count_in_one_order() {
        type Say = fn(&mut HarnessOptions, usize);
        let settings: [(&str, Say); 10] = [
            ("timeout", |o, n| o.timeout = Some(Some(Duration::from_secs(n as u64 + 1)))),
            ("memory", |o, n| o.memory = Some(Some(n as u64 + 1))),
            ("properties", |o, n| o.properties = Some(vec![n.to_string()])),
            ("malloc-may-fail", |o, _| o.malloc_may_fail = Some(true)),
            ("analysis", |o, n| o.engine.analysis = Some(n.to_string())),
            ("domain", |o, n| o.engine.domain = Some(n.to_string())),
            ("search", |o, n| o.engine.search = Some(n.to_string())),
            ("metric", |o, n| o.engine.metric = Some(n.to_string())),
            ("block", |o, n| o.engine.block = Some(n.to_string())),
            ("certify", |o, n| o.engine.certify = Some(n == 0)),
        ];
        for (name, say) in settings {
            for strongest_place in 0..5 {
                // The command line, the harness, two matching patterns, the profile.
                let mut places: Vec<HarnessOptions> = vec![HarnessOptions::default(); 5];
                (strongest_place..5).for_each(|n| say(&mut places[n], n));
                let mut expected = HarnessOptions::default();
                say(&mut expected, strongest_place);
                let part = |pattern: &str, n: usize| Override {
                    harness: pattern.into(),
                    options: places[n].clone(),
                };
                let mut elsewhere = part("elsewhere", 0);
                say(&mut elsewhere.options, 9);
                let overrides = [elsewhere, part("ring::*", 2), part("*", 3)];
                let own = &places[1];
                let harness = Harness {
                    name: "ring::pop".into(),
                    timeout: own.timeout.flatten().map(|time| time.as_secs_f64()),
                    memory: own.memory.flatten(),
                    properties: own.properties.clone().unwrap_or_default(),
                    malloc_may_fail: own.malloc_may_fail.unwrap_or(false),
                    engine: own.engine.clone(),
                    ..Harness::default()
                };
                let found = strongest(&places[0], &harness, &overrides, &places[4]);
                assert_eq!(found, expected, "{name}, said first in place {strongest_place}");
            }
        }
    }

    #[test]
    fn stubs_by_rules() {
        let text = "[stub.a]\nreturns = -3\nwrites = [\"*arg0\"]\n[stub.b]\n[stub.c]\nreturns = \"nondet\"";
        let config = Config::parse(Path::new("tour.toml"), text).expect("settings");
        let rule = |function: &str, returns, writes: &[&str]| {
            let writes = writes.iter().map(|text| text.to_string()).collect();
            Stub::Rule(sema::Stub { function: function.into(), returns, writes })
        };
        assert_eq!(config.stubs["a"], rule("a", Returns::Value(-3), &["*arg0"]));
        assert_eq!(config.stubs["b"], rule("b", Returns::Nondet, &[]));
        assert_eq!(config.stubs["c"], rule("c", Returns::Nondet, &[]));
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, want: &str| {
            let error = Config::parse(Path::new("tour.toml"), text).expect_err("an error");
            assert_eq!(error.to_string(), want, "{text}");
        };
        check("[stub.a]\nreturns = \"any\"", "tour.toml:2:11: the stub of `a` returns `any`");
        check("[profile.ci]\ntimeout = \"soon\"", "tour.toml:2:11: `soon` is no time");
        check("[profile.ci]\nmemory = \"0G\"", "tour.toml:2:10: `0G` is no amount of memory");
        check("[profile.ci]\njobs = 0", "tour.toml:2:8: 0 jobs would never end");
        check("[profile.ci]\nproperties = [\"safety\"]", "tour.toml:2:15: there is no property `safety`");
        check(
            "[profile.ci]\ntimeouts = 1",
            "tour.toml:2:1: unknown field `timeouts`, expected one of `timeout`, `memory`, `analysis`, \
             `domain`, `search`, `metric`, `block`, `certify`, `override`, `jobs`, `fail-fast`, `properties`, `malloc-may-fail`, \
             `slow-after`",
        );
        check(
            "[stub.f]\nfile = \"nowhere.c\"",
            "tour.toml:2:8: the stub of `f` is in `nowhere.c`, which is no file",
        );
        check(
            "[stub.f]\nfile = \"f.c\"\nreturns = 1",
            "tour.toml:2:8: the stub of `f` is in a file, which says what it does",
        );
        check("profile = 1", "tour.toml:1:11: invalid type: integer `1`, expected a map");
        check("[profile", "tour.toml:1:9: unclosed table, expected `]`");
    }
}
