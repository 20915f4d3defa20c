//! What was proved of one text is never said of another: a package with every kind of input that a verdict depends on, and
//! changes of each kind. Every input is 0 or 1, and the harness claims that all of them are 0.

use crate::support::{Folder, Run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tour::protocol::Listed;
use tour::result::{Harness, PROTOCOL};

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\ntest = false\n\
                        [[test]]\nname = \"described\"\nharness = false\n[workspace]\n";

const BUILD_RS: &str = r##"
use std::process::Command;
const BUILT: &str = "-DBUILT=0";
fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let out = variable("OUT_DIR");
    let generated = variable("GENERATED");
    std::fs::write(format!("{out}/generated.h"), format!("#define GENERATED 0{generated}\n")).unwrap();
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let flags = variable("CFLAGS");
    let run = |program: &str, args: &[&str]| assert!(Command::new(program).args(args).status().unwrap().success());
    let mut objects = Vec::new();
    for name in ["0first", "a", "plain"] {
        let object = format!("{out}/{name}.o");
        let file = format!("csrc/{name}.c");
        let generated = format!("-I{out}");
        let mut args = vec!["-c", &file, "-o", &object, "-Icsrc/first", "-Icsrc/second", "-I../outside", &generated];
        args.extend(["-include", "csrc/forced.h", "@csrc/flags.rsp", "@../outside/flags.rsp", BUILT]);
        args.extend(flags.split_whitespace());
        run(&cc, &args);
        objects.push(object);
    }
    let archive = format!("{out}/libdemo.a");
    let mut args = vec!["crs", &archive];
    args.extend(objects.iter().map(String::as_str));
    run("ar", &args);
    println!("cargo:rustc-link-lib=static=demo\ncargo:rustc-link-search=native={out}");
    println!("cargo:rerun-if-changed=csrc\ncargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GENERATED\ncargo:rerun-if-env-changed=CFLAGS");
}
"##;

const A_C: &str = r#"#include <stdlib.h>
#include <conf.h>
#include <outside.h>
#include "direct.h"
#include "link.h"
#include "near.h"
#include "folder/in.h"
#include "generated.h"
#include <macro.h>
#include MACRO
#ifndef BY_CC
#define BY_CC 0
#endif
#ifndef BY_WRAPPER
#define BY_WRAPPER 0
#endif
#ifndef BY_PATH
#define BY_PATH 0
#endif
#ifndef BY_CFLAGS
#define BY_CFLAGS 0
#endif
#if __has_include("optional.h")
#define OPTIONAL 1
#else
#define OPTIONAL 0
#endif
#define OWN 0
int plain(void), stubbed(void), ruled(void), hook(void);
int value(void) {
    void *memory = malloc(1);
    int failed = memory == 0;
    free(memory);
    return CONF + OUTSIDE + DIRECT + DEEP + LINKED + IN_FOLDER + GENERATED + NEAR + BY_CC + BY_WRAPPER + BY_PATH + BY_CFLAGS + OPTIONAL
        + OWN + FORCED + LISTED + LISTED_OUTSIDE + BUILT + BY_MACRO + plain() + stubbed() + ruled() + hook() + failed;
}
"#;

const PLAIN_C: &str = "__attribute__((weak)) int hook(void) { return 0; }\nint plain(void) { return 0; }\n";

const LIB_RS: &str = "mod knobs;
extern \"C\" { fn value() -> i32; }
const OWN: i32 = 0;
#[cfg(test)]
mod proofs {
    use super::*;
    #[tour::verify]
    fn holds() { let other = 0; assert!(unsafe { value() } + OWN + crate::knobs::OTHER + other == 0); }
}
";

/// How a file gets another text of the same length.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    Written,
    /// With the time that it had.
    TimeKept,
    /// Another file in its place, with the time that it had.
    Replaced,
}

const STYLES: [Style; 3] = [Style::Written, Style::TimeKept, Style::Replaced];

/// A package, and what it is built with.
struct World {
    folder: Folder,
    variables: BTreeMap<String, String>,
    arguments: Vec<&'static str>,
    /// The variable, with a compiler before all others.
    path: String,
    set: BTreeMap<&'static str, bool>,
}

impl World {
    fn new() -> World {
        let folder = Folder::new();
        let path = std::env::var("PATH").expect("a path");
        let mut world =
            World { folder, variables: BTreeMap::new(), arguments: Vec::new(), path, set: BTreeMap::new() };
        for name in ["csrc/first", "csrc/second", "csrc/folders/0", "csrc/folders/1", "src", "tests", "stubs"]
        {
            std::fs::create_dir_all(world.path(name)).expect("a folder");
        }
        for name in ["../outside", "../tools/cc", "../tools/path", "../tools/first"] {
            std::fs::create_dir_all(world.path(name)).expect("a folder");
        }
        let texts = [
            ("Cargo.toml", MANIFEST),
            ("build.rs", BUILD_RS),
            ("tour.toml", "[stub.stubbed]\nfile = \"stubs/stubbed.c\"\n[stub.ruled]\nreturns = 0\n"),
            (
                "stubs/stubbed.c",
                "#include \"stubbed.h\"\n#define STUB 0\nint stubbed(void) { return STUB + STUB_HEADER; }\n",
            ),
            ("stubs/stubbed.h", "#define STUB_HEADER 0\n"),
            ("csrc/0first.c", "int unrelated;\n#if 0\nint hook(void) { return 1; }\n#endif\n"),
            ("csrc/a.c", A_C),
            ("csrc/plain.c", PLAIN_C),
            ("csrc/forced.h", "#define FORCED 0\n"),
            ("csrc/flags.rsp", "-DLISTED=0\n"),
            ("../outside/flags.rsp", "-DLISTED_OUTSIDE=0\n"),
            ("../outside/outside.h", "#define OUTSIDE 0\n"),
            ("csrc/second/conf.h", "#define CONF 0\n"),
            ("csrc/second/near.h", "#define NEAR 0\n"),
            ("csrc/second/macro.h", "#define MACRO <macro0.h>\n"),
            ("csrc/second/macro0.h", "#define BY_MACRO 0\n"),
            ("csrc/second/macro1.h", "#define BY_MACRO 1\n"),
            ("csrc/direct.h", "#include \"middle.h\"\n#define DIRECT 0\n"),
            ("csrc/middle.h", "#include \"deep.h\"\n"),
            ("csrc/deep.h", "#define DEEP 0\n"),
            ("csrc/link0.h", "#define LINKED 0\n"),
            ("csrc/link1.h", "#define LINKED 1\n"),
            ("csrc/folders/0/in.h", "#define IN_FOLDER 0\n"),
            ("csrc/folders/1/in.h", "#define IN_FOLDER 1\n"),
            ("src/lib.rs", LIB_RS),
            ("src/knobs.rs", "pub const OTHER: i32 = 0;\n"),
            ("tests/described.rs", include_str!("data/described_harnesses.rs")),
        ];
        for (name, text) in texts {
            std::fs::write(world.path(name), text).expect("a file");
        }
        world.link("csrc/link.h", "link0.h");
        world.link("csrc/folder", "folders/0");
        world.script("../tools/cc/mine", "-DBY_CC=1");
        world.script("../tools/path/cc", "-DBY_PATH=1");
        world.script("../tools/first/cc", "-DBY_WRAPPER=0");
        world.path = format!("{}:{}", world.path("../tools/first").display(), world.path);
        world.describe();
        world
    }

    /// Of the package; what is outside of it is beside it.
    fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("../") {
            Some(outside) => self.folder.path(outside),
            None => self.folder.path("package").join(name),
        }
    }

    fn link(&self, name: &str, to: &str) {
        let (path, new) = (self.path(name), self.path("csrc/new-link"));
        std::os::unix::fs::symlink(to, &new).expect("a link");
        std::fs::rename(new, path).expect("a link");
    }

    fn script(&self, name: &str, flags: &str) {
        use std::os::unix::fs::PermissionsExt;
        let (path, new) = (self.path(name), self.path(&format!("{name}.new")));
        std::fs::write(&new, format!("#!/bin/sh\nexec {} {flags} \"$@\"\n", real_cc().display()))
            .expect("a file");
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        // Never written to while it runs.
        std::fs::rename(new, path).expect("a file");
    }

    /// What the test executable says of the harness: the text that stands in the file.
    fn describe(&self) {
        let text = std::fs::read_to_string(self.path("src/lib.rs")).expect("a file");
        let start = text.find("fn holds").expect("the harness");
        let end = start + text[start..].find('\n').expect("a line");
        let harness = Harness {
            name: "proofs::holds".into(),
            module: "demo::proofs".into(),
            function: "holds".into(),
            package: "demo".into(),
            target: "lib demo".into(),
            manifest_dir: self.path(""),
            file: self.path("src/lib.rs"),
            line: 8,
            pointer_width: 64,
            source: text[start..end].into(),
            ..Harness::default()
        };
        let listed = Listed { protocol: PROTOCOL, version: tour::VERSION.to_owned(), harness };
        std::fs::write(self.path("harnesses.json"), serde_json::to_string(&listed).expect("JSON"))
            .expect("a file");
    }

    /// Another text in a file, in some style.
    fn replace(&self, name: &str, from: &str, to: &str, style: Style) {
        let path = self.path(name);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains(from), "{name}: {from}: {text}");
        let time = std::fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
        let text = text.replace(from, to);
        match style {
            Style::Written => std::fs::write(&path, text).expect("a file"),
            Style::TimeKept => {
                std::fs::write(&path, text).expect("a file");
                set_time(&path, time);
            }
            Style::Replaced => {
                let new = path.with_extension("new");
                std::fs::copy(&path, &new).expect("a file");
                std::fs::write(&new, text).expect("a file");
                set_time(&new, time);
                std::fs::rename(new, path).expect("a file");
            }
        }
    }

    fn write_or_remove(&self, name: &str, text: &str, is_there: bool) {
        let path = self.path(name);
        match is_there {
            true => std::fs::write(path, text).expect("a file"),
            false => std::fs::remove_file(path).expect("it was there"),
        }
    }

    fn variable(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }

    /// Sets an input to 0 or 1.
    fn set(&mut self, change: &Change, on: bool, style: Style) {
        let name = change.name;
        if self.set.insert(name, on).unwrap_or(false) == on {
            return;
        }
        let digit = |value: bool| if value { "1" } else { "0" };
        match change.how {
            How::Text(file, text) => {
                let (from, to) = (text.replace('?', digit(!on)), text.replace('?', digit(on)));
                self.replace(file, &from, &to, style);
                if file == "src/lib.rs" {
                    self.describe();
                }
            }
            How::Exists(file, text) => self.write_or_remove(file, text, on),
            How::Link(file, targets) => self.link(file, targets[usize::from(on)]),
            How::Compiler(name) => {
                let name = name.replace("TARGET", &format!("{}_unknown_linux_gnu", std::env::consts::ARCH));
                let compiler = self.path("../tools/cc/mine").display().to_string();
                self.variable(&name, on.then_some(compiler));
            }
            How::Path => {
                let folder = self.path("../tools/path").display().to_string();
                self.variable("PATH", on.then(|| format!("{folder}:{}", self.path)));
            }
            How::Variable(name, value) => self.variable(name, on.then(|| value.to_owned())),
            How::Argument(argument) => {
                self.arguments.retain(|known| *known != argument);
                self.arguments.extend(on.then_some(argument));
            }
        }
    }

    fn is_on(&self, name: &str) -> bool {
        self.set.get(name).copied().unwrap_or(false)
    }

    /// Whether all inputs are 0.
    fn holds(&self) -> bool {
        let named =
            CHANGES.iter().any(|change| matches!(change.how, How::Compiler(_)) && self.is_on(change.name));
        let counts = |change: &Change| match change.how {
            // A compiler that is named is not looked for, and the first that is found is taken.
            How::Path => !named,
            How::Text("../tools/first/cc", _) => !named && !self.is_on("PATH"),
            _ => true,
        };
        !CHANGES.iter().any(|change| self.is_on(change.name) && counts(change))
    }

    fn verify(&self, more: &str) -> Run {
        let arguments = self.arguments.join(" ");
        let mut command = self.folder.command(&format!("verify --no-ffi {arguments} {more}"));
        command.current_dir(self.path(""));
        for variable in ["CARGO_TARGET_DIR", "TOUR_PROFILE", "GITHUB_ACTIONS", "RUSTFLAGS", "HOST_CC"] {
            command.env_remove(variable);
        }
        command.env("PATH", &self.path);
        Run::of(command.envs(&self.variables).output().expect("the binary runs"))
    }

    /// Verifies, and says what is wrong with the verdict.
    fn wrong(&self) -> Option<String> {
        let run = self.verify("");
        let expected = if self.holds() { 0 } else { 1 };
        (run.code != Some(expected)).then(|| format!("{:?} set: {run:#?}", self.set))
    }
}

fn set_time(path: &Path, time: SystemTime) {
    std::fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("a time");
}

fn real_cc() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a path");
    std::env::split_paths(&path)
        .map(|folder| folder.join("cc"))
        .find(|cc| cc.is_file())
        .expect("a C compiler")
}

/// A kind of change.
struct Change {
    name: &'static str,
    how: How,
}

enum How {
    /// In this file, this text, with a digit for `?`.
    Text(&'static str, &'static str),
    /// There is a file with this text.
    Exists(&'static str, &'static str),
    /// A link leads to the first or the second.
    Link(&'static str, [&'static str; 2]),
    /// A variable names another compiler.
    Compiler(&'static str),
    /// `PATH` has another `cc`.
    Path,
    Variable(&'static str, &'static str),
    /// Of the command.
    Argument(&'static str),
}

const fn change(name: &'static str, how: How) -> Change {
    Change { name, how }
}

const CHANGES: &[Change] = &[
    change("the C file", How::Text("csrc/a.c", "#define OWN ?")),
    change("a C file without directives", How::Text("csrc/plain.c", "plain(void) { return ?;")),
    change("a header", How::Text("csrc/direct.h", "#define DIRECT ?")),
    change("a deep header", How::Text("csrc/deep.h", "#define DEEP ?")),
    change("a header outside of the package", How::Text("../outside/outside.h", "#define OUTSIDE ?")),
    change("a header by a flag", How::Text("csrc/forced.h", "#define FORCED ?")),
    change("the name of a header", How::Text("csrc/second/macro.h", "<macro?.h>")),
    change("a list of flags", How::Text("csrc/flags.rsp", "-DLISTED=?")),
    change("a list of flags outside of the package", How::Text("../outside/flags.rsp", "-DLISTED_OUTSIDE=?")),
    change("a flag of the build script", How::Text("build.rs", "-DBUILT=?")),
    change("a stub", How::Text("stubs/stubbed.c", "#define STUB ?")),
    change("a header of a stub", How::Text("stubs/stubbed.h", "STUB_HEADER ?")),
    change("the rule of a stub", How::Text("tour.toml", "returns = ?")),
    change("a constant of the harness's file", How::Text("src/lib.rs", "const OWN: i32 = ?")),
    change("a constant of another file", How::Text("src/knobs.rs", "OTHER: i32 = ?")),
    change("the harness", How::Text("src/lib.rs", "let other = ?")),
    change("a header that shadows another", How::Exists("csrc/first/conf.h", "#define CONF 1\n")),
    change("a header beside the file that shadows another", How::Exists("csrc/near.h", "#define NEAR 1\n")),
    change("a header that __has_include finds", How::Exists("csrc/optional.h", "")),
    change("a linked header", How::Link("csrc/link.h", ["link0.h", "link1.h"])),
    change("a linked folder", How::Link("csrc/folder", ["folders/0", "folders/1"])),
    change("a strong definition", How::Text("csrc/0first.c", "#if ?")),
    change("CC", How::Compiler("CC")),
    change("CC for the target", How::Compiler("CC_TARGET")),
    change("HOST_CC", How::Compiler("HOST_CC")),
    change("PATH", How::Path),
    change("the compiler itself", How::Text("../tools/first/cc", "-DBY_WRAPPER=?")),
    change("CFLAGS", How::Variable("CFLAGS", "-DBY_CFLAGS=1")),
    change("a generated header", How::Variable("GENERATED", "1")),
    change("an option", How::Argument("--malloc-may-fail")),
];

/// Whether a style makes sense for it: objects are compiled by times, so that the linker sees no definition otherwise.
fn fits(change: &Change, style: Style) -> bool {
    match change.how {
        How::Text(file, _) => {
            style == Style::Written || !["csrc/0first.c", "src/lib.rs", "build.rs"].contains(&file)
        }
        _ => style == Style::Written,
    }
}

/// All kinds of change, in all styles that make sense.
fn kinds() -> Vec<(&'static Change, Style)> {
    let all = CHANGES.iter().flat_map(|change| STYLES.map(|style| (change, style)));
    all.filter(|(change, style)| fits(change, *style)).collect()
}

/// All kinds, each in one style.
#[test]
fn no_change_is_overlooked() {
    let mut world = World::new();
    assert_eq!(world.wrong(), None, "nothing is set");
    let again = world.verify("");
    assert!(again.last_line().contains("(1 cached)"), "{again:#?}");
    for (i, change) in CHANGES.iter().enumerate() {
        let style = STYLES.into_iter().cycle().skip(i).find(|style| fits(change, *style)).expect("a style");
        world.set(change, true, style);
        assert_eq!(world.wrong(), None, "{} {style:?}", change.name);
        world.set(change, false, style);
        if i == 3 {
            let back = world.verify("");
            assert!(
                back.code == Some(0) && back.last_line().contains("(1 cached)"),
                "as at first: {back:#?}"
            );
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn changes_of_every_kind_in_every_style() {
    let mut world = World::new();
    assert_eq!(world.wrong(), None, "nothing is set");
    for (change, style) in kinds() {
        world.set(change, true, style);
        assert_eq!(world.wrong(), None, "{} {style:?}", change.name);
        world.set(change, false, style);
        assert_eq!(world.wrong(), None, "{} {style:?}, back", change.name);
    }
}

/// A step of a sequence: a change, and whether it is set.
type Step = (usize, bool, Style);

/// Applies a sequence to a new package, which is verified before it and after it. What is wrong then?
fn diverges(steps: &[Step]) -> Option<String> {
    let mut world = World::new();
    world.wrong().or_else(|| {
        steps.iter().for_each(|&(change, on, style)| world.set(&CHANGES[change], on, style));
        world.wrong()
    })
}

/// Leaves out what is not needed for something to be wrong.
fn shrunk(mut steps: Vec<Step>) -> Vec<Step> {
    let mut i = 0;
    while i < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(i);
        match diverges(&fewer) {
            Some(_) => steps = fewer,
            None => i += 1,
        }
    }
    steps
}

/// Random sequences of changes: `TOUR_SEQUENCES` of them, from `TOUR_SEED` on. A verdict that is wrong after one is shown with
/// the fewest changes that make it so, and with what is said without results of earlier runs.
#[test]
#[ignore = "takes an hour for 500"]
fn random_sequences_of_changes() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (sequences, mut state) = (number("TOUR_SEQUENCES", 500), number("TOUR_SEED", 1));
    let mut random = |below: usize| {
        // Knuth's generator is good enough to choose with.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut world = World::new();
    let mut done: Vec<Step> = Vec::new();
    let (mut proved, mut cached) = (0, 0);
    for sequence in 0..sequences {
        // Often back to what was proved before.
        let mut steps: Vec<Step> = Vec::new();
        if random(2) == 0 {
            let set = CHANGES.iter().enumerate().filter(|(_, change)| world.is_on(change.name));
            steps.extend(set.map(|(i, _)| (i, false, Style::Written)));
        }
        for _ in 0..random(4) {
            let change = random(CHANGES.len());
            let style = STYLES[random(3)];
            let style = if fits(&CHANGES[change], style) { style } else { Style::Written };
            steps.push((change, !world.is_on(CHANGES[change].name), style));
        }
        for &(change, on, style) in &steps {
            world.set(&CHANGES[change], on, style);
        }
        done.extend(&steps);
        let run = world.verify("");
        let expected = if world.holds() { 0 } else { 1 };
        proved += u64::from(expected == 0);
        cached += u64::from(run.last_line().contains("(1 cached)"));
        if run.code != Some(expected) {
            let plain = world.verify("--no-cache");
            let fewest: Vec<_> =
                shrunk(done).iter().map(|&(change, on, style)| (CHANGES[change].name, on, style)).collect();
            panic!("sequence {sequence}: {fewest:?}: {run:#?}\nwithout results of earlier runs: {plain:#?}");
        }
    }
    eprintln!("{sequences} sequences: {proved} proved, {cached} from earlier runs, none wrong");
}

/// The text that was read is the one that the verdict is of.
#[test]
fn an_edit_during_the_run_is_seen_by_the_next() {
    let world = World::new();
    let worker = world.path("../tools/worker");
    let text = format!(
        "#!/bin/sh\nsed 's/define OWN 0/define OWN 1/' csrc/a.c > csrc/new && mv csrc/new csrc/a.c\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_cargo-tour")
    );
    std::fs::write(&worker, text).expect("a file");
    let chmod = std::process::Command::new("chmod").arg("+x").arg(&worker).status();
    assert!(chmod.expect("chmod").success());
    let mut edited = World { variables: BTreeMap::new(), ..world };
    edited.variable("TOUR_WORKER", Some(worker.display().to_string()));
    let first = edited.verify("");
    assert_eq!(first.code, Some(0), "of the text as it was read: {first:#?}");
    edited.variables.clear();
    let second = edited.verify("");
    assert_eq!(second.code, Some(1), "{second:#?}");
}

/// A result that was made up, swapped, cut off or changed is never believed: `TOUR_FORGED` of them.
#[test]
fn forged_results_are_not_believed() {
    let number = std::env::var("TOUR_FORGED").ok().and_then(|number| number.parse().ok()).unwrap_or(24);
    let mut world = World::new();
    let results = |world: &World| {
        let folders = std::fs::read_dir(world.path("target/tour/cache")).expect("results");
        let files = folders
            .flatten()
            .flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
        files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|e| e == "result"))
            .collect::<Vec<_>>()
    };
    assert_eq!(world.wrong(), None, "proved");
    let [proved] = &results(&world)[..] else { panic!("one result") };
    let proved_text = std::fs::read(proved).expect("a result");
    world.set(&CHANGES[0], true, Style::Written);
    assert_eq!(world.wrong(), None, "violated");
    let violated = results(&world).into_iter().find(|path| path != proved).expect("another result");
    let good = std::fs::read(&violated).expect("a result");
    let again = world.verify("");
    assert!(again.code == Some(1) && again.last_line().contains("(1 cached)"), "{again:#?}");
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for i in 0..number {
        let mut bytes = good.clone();
        match i % 6 {
            0 => bytes.clone_from(&proved_text),
            1 => bytes.truncate(random(good.len())),
            2 => {
                let at = random(good.len());
                bytes[at] ^= 1 << random(5);
            }
            3 => {
                let text = String::from_utf8(bytes).expect("text");
                bytes = text.replace("\"violated\"", "\"proved\"").into_bytes();
            }
            4 => {
                // The head of one and the content of the other.
                let head = |bytes: &[u8]| {
                    bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(1).expect("a head").0
                };
                bytes = [&good[..head(&good)], &proved_text[head(&proved_text)..]].concat();
            }
            _ => bytes.extend(&proved_text),
        }
        assert_ne!(bytes, good);
        std::fs::write(&violated, &bytes).expect("a file");
        let refused = world.folder.command("cache verify");
        let mut refused = refused;
        let refused = Run::of(refused.current_dir(world.path("")).output().expect("it runs"));
        assert!(refused.code == Some(1) && refused.err.contains(".result: "), "{i}: {refused:#?}");
        let run = world.verify("-v");
        assert_eq!(run.code, Some(1), "{i}: {run:#?}");
        assert!(!run.last_line().contains("cached") && run.err.contains("is not used"), "{i}: {run:#?}");
    }
    // What another user keeps is another's.
    std::fs::write(&violated, &good).expect("a file");
    world.variable("XDG_STATE_HOME", Some(world.path("../elsewhere").display().to_string()));
    let run = world.verify("");
    assert!(run.code == Some(1) && !run.last_line().contains("cached"), "{run:#?}");
}
