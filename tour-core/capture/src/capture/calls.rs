//! What the wrapper noted: which calls compiled a C file of the program, and which were probes, links or assembler.

use super::Unit;
use super::wrapper::LAUNCHERS;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A call of the compiler.
#[derive(Clone, Debug)]
pub struct Call {
    /// The note, to be removed when it is out of date.
    pub note: PathBuf,
    /// When.
    pub time: SystemTime,
    /// Where the compiler ran.
    pub directory: PathBuf,
    /// `OUT_DIR` of the build script.
    pub out_dir: PathBuf,
    /// The package of the build script.
    pub package: String,
    /// The compiler.
    pub compiler: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The files that it takes arguments from.
    pub listed: Vec<PathBuf>,
}

/// Reads the notes, the oldest first.
pub fn read(folder: &Path) -> Vec<Call> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("call."));
    let mut calls: Vec<Call> = entries.flatten().map(|e| e.path()).filter(named).filter_map(parse).collect();
    calls.sort_by(|a, b| (a.time, &a.note).cmp(&(b.time, &b.note)));
    calls
}

fn parse(note: PathBuf) -> Option<Call> {
    let time = std::fs::metadata(&note).and_then(|m| m.modified()).ok()?;
    let bytes = std::fs::read(&note).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut fields = text.split_terminator('\0').map(String::from);
    let (directory, out_dir, package) = (fields.next()?, fields.next()?, fields.next()?);
    let (paths, system_paths) = (fields.next()?, fields.next()?);
    let mut listed = Vec::new();
    let mut words = fields.skip_while(|word| {
        let name = Path::new(word).file_name().and_then(|n| n.to_str()).unwrap_or("");
        LAUNCHERS.contains(&name)
    });
    let compiler = words.next()?;
    let directory = PathBuf::from(directory);
    let mut arguments = expand(words, &directory, &mut listed);
    // Search paths from the environment are as good as flags, and stay when the environment is gone.
    for (flag, list) in [("-I", paths), ("-isystem", system_paths)] {
        for folder in list.split(':').filter(|f| !f.is_empty()) {
            arguments.extend([flag.to_owned(), folder.to_owned()]);
        }
    }
    Some(Call { note, time, directory, out_dir: out_dir.into(), package, compiler, arguments, listed })
}

/// `@file` stands for the arguments in that file, which may name others.
fn expand(words: impl Iterator<Item = String>, directory: &Path, listed: &mut Vec<PathBuf>) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut waiting: Vec<String> = words.collect();
    waiting.reverse();
    while let Some(word) = waiting.pop() {
        let file =
            word.strip_prefix('@').map(|file| directory.join(file)).filter(|_| listed.len() < MAX_LISTED);
        let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        match (file, text.and_then(|text| shlex::split(&text))) {
            (Some(file), Some(words)) => {
                listed.push(file);
                waiting.extend(words.into_iter().rev());
            }
            _ => arguments.push(word),
        }
    }
    arguments
}

/// More files of arguments than this are not read: they may name each other.
const MAX_LISTED: usize = 64;

/// What a call was for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It compiled C files of the program.
    Compile(Vec<Unit>),
    /// It is nothing that the program consists of; the reason is for `doctor`.
    Other(&'static str),
}

/// Flags whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "-D",
    "-U",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-arch",
    "-target",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xlinker",
    "-L",
    "-l",
    "-u",
    "-T",
    "-z",
    "-aux-info",
    "--param",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "--sysroot",
    "-mllvm",
    "-e",
];

/// File names that compilers are probed with.
const PROBES: &[&str] =
    &["conftest.c", "flag_check.c", "detect_compiler_family.c", "testfile.c", "testCCompiler.c"];

/// Folders that compilers are probed in.
const PROBE_FOLDERS: &[&str] = &["CMakeScratch", "CMakeTmp", "CompilerIdC", "meson-private"];

impl Call {
    /// Looks at the arguments and at what is on disk now.
    pub fn purpose(&self) -> Purpose {
        let mut sources = Vec::new();
        let (mut object, mut language, mut compiles, mut shared) = (None, None, false, false);
        let mut others = None;
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-c" => compiles = true,
                "-shared" | "-dynamiclib" => shared = true,
                "-E" | "-S" | "-M" | "-MM" | "-fsyntax-only" | "--version" | "-v" | "-dumpversion"
                | "-dumpmachine" | "-dM" => return Purpose::Other("probe"),
                "-o" => object = words.next().cloned(),
                "-x" => language = words.next().cloned(),
                "-" => return Purpose::Other("probe"),
                flag if WITH_VALUE.contains(&flag) => {
                    words.next();
                }
                flag if flag.starts_with("-x") => language = Some(flag[2..].to_owned()),
                flag if flag.starts_with("-o") => object = Some(flag[2..].to_owned()),
                flag if flag.starts_with('-') => {}
                file => match (language.as_deref(), extension(file)) {
                    (Some("c" | "cpp-output"), _) | (None | Some("none"), Some("c" | "i")) => {
                        sources.push(file.to_owned());
                    }
                    (None, Some("S" | "s" | "asm")) | (Some("assembler" | "assembler-with-cpp"), _) => {
                        others = Some("assembler");
                    }
                    (None, Some("cc" | "cpp" | "cxx" | "C" | "c++" | "mm")) | (Some("c++"), _) => {
                        others = Some("C++");
                    }
                    (None, Some("m")) | (Some("objective-c"), _) => others = Some("Objective-C"),
                    _ => {}
                },
            }
        }
        if sources.is_empty() {
            return Purpose::Other(others.unwrap_or("link"));
        }
        if !compiles && !shared {
            return Purpose::Other("probe or tool: compiled and linked at once");
        }
        let object = object.map(|o| self.directory.join(o));
        if object.as_deref() == Some(Path::new("/dev/null")) {
            return Purpose::Other("probe");
        }
        let units: Vec<Unit> =
            sources.iter().filter_map(|source| self.unit(source, object.as_deref())).collect();
        if units.is_empty() { Purpose::Other("probe") } else { Purpose::Compile(units) }
    }

    fn unit(&self, source: &str, object: Option<&Path>) -> Option<Unit> {
        let file = tidy(&self.directory.join(source));
        let name = file.file_name()?.to_str()?;
        let mut folders = file.iter().filter_map(|part| part.to_str());
        if PROBES.contains(&name) || folders.any(|part| PROBE_FOLDERS.contains(&part)) || !file.is_file() {
            return None;
        }
        // Without -o, the object is named as the file and is where the compiler ran.
        let object = object.map_or_else(|| self.directory.join(name).with_extension("o"), Path::to_owned);
        // A build that passed left its objects; what has none failed to compile, and was a probe.
        object.is_file().then(|| Unit {
            file,
            directory: self.directory.clone(),
            compiler: self.compiler.clone().into(),
            arguments: self.arguments.clone(),
            package: self.package.clone(),
            object: Some(object),
        })
    }
}

fn extension(file: &str) -> Option<&str> {
    Path::new(file).extension().and_then(|e| e.to_str())
}

/// Without `.` and `..` where that is sure to be the same file.
fn tidy(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The arguments that change how a file is read: all but its own name and what is written where.
pub fn flags(arguments: &[String]) -> impl Iterator<Item = &String> {
    let mut keep = vec![true; arguments.len()];
    let mut i = 0;
    while let Some(word) = arguments.get(i) {
        let width = if WITH_VALUE.contains(&word.as_str()) { 2 } else { 1 };
        let dropped = match word.as_str() {
            "-c" | "-o" | "-x" | "-MD" | "-MMD" | "-MP" | "-MG" | "-MF" | "-MT" | "-MQ" | "-shared"
            | "-pipe" | "-L" | "-l" | "-Xlinker" | "-save-temps" | "-H" => true,
            flag if flag.starts_with("-o") || flag.starts_with("-x") => true,
            flag if flag.starts_with("-Wl,") || flag.starts_with("-Wp,-M") || flag.starts_with("-l") => true,
            flag => !flag.starts_with('-'),
        };
        if dropped {
            keep.iter_mut().skip(i).take(width).for_each(|k| *k = false);
        }
        i += width;
    }
    arguments.iter().zip(keep).filter_map(|(word, keep)| keep.then_some(word))
}

/// Leaves out units that are there twice: compiled once for a static and once for a shared library.
pub fn without_twins(units: Vec<Unit>) -> Vec<Unit> {
    const LIBRARY_KIND: &[&str] = &["-fPIC", "-fpic", "-fPIE", "-fpie", "-DPIC", "-prefer-pic"];
    let key = |unit: &Unit| {
        let flags = flags(&unit.arguments).filter(|f| !LIBRARY_KIND.contains(&f.as_str()));
        (unit.package.clone(), unit.file.clone(), flags.cloned().collect::<Vec<_>>())
    };
    let mut seen = std::collections::BTreeSet::new();
    units.into_iter().filter(|unit| seen.insert(key(unit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs in a folder with `a.c`, `b.c`, `a.o`, `flag_check.c`.
    fn purpose(arguments: &str) -> Result<Vec<String>, &'static str> {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.c", "b.c", "a.o", "b.o", "flag_check.c", "x.S"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let call = Call {
            note: PathBuf::new(),
            time: SystemTime::UNIX_EPOCH,
            directory: folder.path().to_owned(),
            out_dir: PathBuf::new(),
            package: "p".into(),
            compiler: "cc".into(),
            arguments: shlex::split(arguments).expect("words"),
            listed: Vec::new(),
        };
        match call.purpose() {
            Purpose::Compile(units) => Ok(units
                .iter()
                .map(|u| u.file.file_name().expect("a name").to_string_lossy().into_owned())
                .collect()),
            Purpose::Other(why) => Err(why),
        }
    }

    #[test]
    fn calls_that_compile_are_reported_from_others() {
        let compiled = |arguments, files: &[&str]| {
            assert_eq!(
                purpose(arguments).as_deref(),
                Ok(files.iter().map(|f| f.to_string()).collect::<Vec<_>>()).as_deref(),
                "{arguments}"
            );
        };
        compiled("-O2 -I inc -o a.o -c a.c", &["a.c"]);
        compiled("-c a.c", &["a.c"]);
        compiled("-c a.c b.c", &["a.c", "b.c"]);
        compiled("-shared a.c -o a.o", &["a.c"]);
        compiled("-D X -x c -c a.c -oa.o", &["a.c"]);
        let other = |arguments, why| assert_eq!(purpose(arguments), Err(why), "{arguments}");
        other("-c gone.c -o a.o", "probe");
        other("-c a.c -o failed.o", "probe");
        other("-c flag_check.c -o a.o", "probe");
        other("-E a.c", "probe");
        other("a.c -o a.o", "probe or tool: compiled and linked at once");
        other("a.o -o a", "link");
        other("-c x.S -o a.o", "assembler");
        other("-c x.cc -o a.o", "C++");
        other("-c - -o a.o", "probe");
        other("-c a.c -o /dev/null", "probe");
        other("", "link");
    }

    #[test]
    fn files_of_arguments_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("a", "-DA=1 @b\n-DC"), ("b", "'-DB=x y'"), ("loop", "@loop -DD")] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let expand = |word: &str| {
            let mut listed = Vec::new();
            let words = expand([word.to_owned()].into_iter(), folder.path(), &mut listed);
            (words, listed.len())
        };
        assert_eq!(expand("@a"), (["-DA=1", "-DB=x y", "-DC"].map(String::from).to_vec(), 2));
        assert_eq!(expand("@none"), (vec!["@none".to_owned()], 0));
        assert_eq!(expand("@loop").1, MAX_LISTED);
    }

    #[test]
    fn the_front_end_gets_the_flags_that_matter() {
        let check = |given: &str, kept: &str| {
            let given = shlex::split(given).expect("words");
            assert_eq!(flags(&given).map(String::as_str).collect::<Vec<_>>().join(" "), kept);
        };
        check("-O2 -I inc -o a.o -c a.c -DX=1 -MD -MF a.d", "-O2 -I inc -DX=1");
        check("-x c -include pre.h -Wl,-s a.c -L lib -lm", "-include pre.h");
        check("-oa.o -D NAME", "-D NAME");
    }
}
