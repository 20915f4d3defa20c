//! From files to preprocessed texts: by the real compiler, or without it where it would change nothing.

use super::FrontOptions;
use super::call::call;
use super::dependencies::prerequisites;
use super::flags::{self, Abi};
use super::scan::{Scan, scan};
use super::token::Kind;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::{NamedTempFile, TempDir};
use tour_ir::program::DataModel;
use tour_ir::source::{Diagnostic, SourceMap, Span, Unit};

/// Where the text of a unit comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file; one whose name ends in `.i` counts as preprocessed.
    File,
    /// This text.
    Text(String),
    /// What the preprocessor made of the file when it was read.
    Preprocessed(Preprocessed),
}

/// What the compiler makes of a unit.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text.
    pub text: Arc<str>,
    /// The files that it was made of.
    pub files: Arc<[PathBuf]>,
}

impl Preprocessed {
    fn new(text: impl Into<Arc<str>>, files: Vec<PathBuf>) -> Preprocessed {
        Preprocessed { text: text.into(), files: files.into() }
    }
}

/// A unit to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file, as it is shown to the user.
    pub path: PathBuf,
    /// Where the text comes from.
    pub origin: Origin,
    /// The compiler of this unit; without one, that of the options.
    pub compiler: Option<PathBuf>,
    /// Flags of the compiler for this unit alone.
    pub flags: Vec<OsString>,
    /// Where the compiler runs; relative paths are relative to it.
    pub directory: Option<PathBuf>,
}

impl Input {
    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Input {
        Input { path: path.into(), origin: Origin::File, compiler: None, flags: Vec::new(), directory: None }
    }

    /// A text in memory, under the name of a file.
    pub fn text(path: impl Into<PathBuf>, text: impl Into<String>) -> Input {
        Input { origin: Origin::Text(text.into()), ..Input::file(path) }
    }

    fn full_path(&self) -> PathBuf {
        match &self.directory {
            Some(directory) => directory.join(&self.path),
            None => self.path.clone(),
        }
    }
}

/// Reads a unit as its compiler gives it: each of its files once. `sources` gets the files that errors are in.
pub fn preprocess(
    input: &Input,
    options: &FrontOptions,
    sources: &mut SourceMap,
) -> Result<Preprocessed, Vec<Diagnostic>> {
    Preprocessor::new(options).read(input, sources)
}

/// What a compiler says of itself: its version, where it looks for headers, the macros that it defines.
pub fn compiler_identity(options: &FrontOptions) -> Vec<u8> {
    Preprocessor::new(options).identity()
}

/// Runs the preprocessor; remembers what the machine lacks.
pub struct Preprocessor<'a> {
    options: &'a FrontOptions,
    /// Headers in place of those for 32 bits that the machine lacks.
    stand_ins: Option<StandIns>,
}

struct StandIns {
    headers: PathBuf,
    stubs: TempDir,
}

impl<'a> Preprocessor<'a> {
    /// A preprocessor with the options of a run.
    pub fn new(options: &'a FrontOptions) -> Preprocessor<'a> {
        Preprocessor { options, stand_ins: None }
    }

    /// The preprocessed text of a unit, scanned. `sources` gets the files that errors are in.
    pub fn load(
        &mut self,
        input: &Input,
        sources: &mut SourceMap,
    ) -> Result<(Arc<str>, Scan), Vec<Diagnostic>> {
        let source = match &input.origin {
            Origin::Text(text) => Cow::Borrowed(text.as_str()),
            Origin::File => Cow::Owned(read(input).map_err(|d| vec![d])?),
            Origin::Preprocessed(read) => return Ok(loaded(read, input, sources)),
        };
        check_size(&source, &input.path).map_err(|d| vec![d])?;
        let scanned = scan(&source, &input.path);
        if is_preprocessed(&input.path)
            || !(scanned.needs_preprocessor || self.flags(input).any(|f| changes_text(&f.to_string_lossy())))
        {
            return Ok((source.into(), scanned));
        }
        let read = self.preprocess(input, &source, sources)?;
        Ok(loaded(&read, input, sources))
    }

    fn flags<'b>(&'b self, input: &'b Input) -> impl Iterator<Item = &'b OsString> {
        self.options.flags.iter().chain(&input.flags)
    }

    /// What the flags of a unit change of the language and the ABI.
    pub fn abi(&self, input: &Input) -> Abi {
        let flags: Vec<_> = self.flags(input).map(|flag| flag.to_string_lossy()).collect();
        flags::read(flags.iter().map(|flag| &**flag), self.options.data_model)
    }

    /// What a text becomes when it is preprocessed without flags: a question to the compiler about itself.
    pub fn ask(&self, text: &str) -> Option<String> {
        let input = Input::text("question.c", text);
        let mut options = self.options.clone();
        options.flags.clear();
        let output = Preprocessor::new(&options).compile(&input).ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn run(
        &mut self,
        input: &Input,
        source: &str,
        sources: &mut SourceMap,
    ) -> Result<String, Vec<Diagnostic>> {
        let mut output = self.compile(input)?;
        if !output.status.success()
            && self.options.data_model == DataModel::Ilp32
            && self.stand_ins.is_none()
            && lacks_headers(&String::from_utf8_lossy(&output.stderr))
        {
            self.stand_ins = self.find_stand_ins();
            if self.stand_ins.is_some() {
                output = self.compile(input)?;
            }
        }
        if output.status.success() {
            return Ok(lossless(output.stdout));
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(diagnostics(&errors, input, source, self.compiler(input), sources))
    }

    fn compiler<'b>(&'b self, input: &'b Input) -> &'b Path {
        input.compiler.as_deref().unwrap_or(&self.options.compiler)
    }

    fn compile(&self, input: &Input) -> Result<Output, Vec<Diagnostic>> {
        self.compile_for(&["-E"], input)
    }

    /// A unit as its compiler gives it, whatever it consists of.
    pub fn read(&mut self, input: &Input, sources: &mut SourceMap) -> Result<Preprocessed, Vec<Diagnostic>> {
        let source = match &input.origin {
            Origin::Text(text) => Cow::Borrowed(text.as_str()),
            Origin::File => Cow::Owned(read(input).map_err(|d| vec![d])?),
            Origin::Preprocessed(read) => return Ok(read.clone()),
        };
        check_size(&source, &input.path).map_err(|d| vec![d])?;
        if is_preprocessed(&input.path) {
            return Ok(Preprocessed::new(source, vec![input.full_path()]));
        }
        self.preprocess(input, &source, sources)
    }

    fn preprocess(
        &mut self,
        input: &Input,
        source: &str,
        sources: &mut SourceMap,
    ) -> Result<Preprocessed, Vec<Diagnostic>> {
        let rule = NamedTempFile::new().ok();
        let listed = rule.as_ref().and_then(|rule| self.read_with_list(input, rule.path()));
        let (text, files) = match listed {
            Some(read) => read,
            // An error, or a compiler that makes no lists.
            None => (self.run(input, source, sources)?, Vec::new()),
        };
        check_size(&text, &input.path).map_err(|d| vec![d])?;
        Ok(Preprocessed::new(text, files))
    }

    /// The text of a unit, and the files that it was made of.
    fn read_with_list(&self, input: &Input, rule: &Path) -> Option<(String, Vec<PathBuf>)> {
        let words = ["-E", "-MD", "-MT", "x", "-MF"].map(OsStr::new);
        let what: Vec<&OsStr> = words.into_iter().chain([rule.as_os_str()]).collect();
        let output = self.compile_for(&what, input).ok().filter(|output| output.status.success())?;
        let rule = lossless(std::fs::read(rule).ok()?);
        let base = input.directory.clone().unwrap_or_default();
        let files = prerequisites(&rule).into_iter().map(|file| base.join(file)).collect();
        Some((lossless(output.stdout), files))
    }

    /// What the compiler says of itself and of what it takes for granted: another compiler says something else.
    pub fn identity(&self) -> Vec<u8> {
        let mut options = self.options.clone();
        options.flags.clear();
        let preprocessor = Preprocessor::new(&options);
        let words = ["-v", "-dM", "-E"];
        match preprocessor.compile_for(&words, &Input::text("question.c", "")) {
            Ok(output) => [output.stderr, output.stdout].concat(),
            Err(_) => Vec::new(),
        }
    }

    /// The compiler takes the unit for C.
    pub fn accepts(&self, input: &Input) -> bool {
        self.compile_for(&["-fsyntax-only"], input).is_ok_and(|output| output.status.success())
    }

    /// Runs the compiler on a unit with its flags, for preprocessing or to have it checked.
    fn compile_for<S: AsRef<OsStr>>(&self, what: &[S], input: &Input) -> Result<Output, Vec<Diagnostic>> {
        let compiler = self.compiler(input);
        let mut command = Command::new(compiler);
        command.args(what);
        if self.options.data_model == DataModel::Ilp32 {
            command.arg("-m32");
        }
        let mut flags = self.flags(input);
        while let Some(flag) = flags.next() {
            match flag.to_str() {
                Some("-c" | "-S" | "-E" | "-MD" | "-MMD" | "-MP" | "-MG") => {}
                Some("-o" | "-MF" | "-MT" | "-MQ") => {
                    flags.next();
                }
                _ => {
                    command.arg(flag);
                }
            }
        }
        if let Some(stand_ins) = &self.stand_ins {
            command.arg("-idirafter").arg(&stand_ins.headers).arg("-idirafter").arg(stand_ins.stubs.path());
        }
        if let Some(directory) = &input.directory {
            command.current_dir(directory);
        }
        command.env("LC_ALL", "C");
        let text = match &input.origin {
            Origin::File => None,
            Origin::Text(text) => Some(text.as_str()),
            Origin::Preprocessed(read) => Some(&*read.text),
        };
        let is_done = is_preprocessed(&input.path) || matches!(input.origin, Origin::Preprocessed(_));
        let done = is_done && what.iter().all(|word| word.as_ref() != "-E");
        command.args(["-x", if done { "cpp-output" } else { "c" }]);
        let text = match text {
            None => {
                command.arg(&input.path);
                None
            }
            Some(text) => {
                command.arg("-");
                let name = input.path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
                Some(format!("# 1 \"{name}\"\n{text}").into_bytes())
            }
        };
        call(command, text).map_err(|error| {
            vec![
                Diagnostic::error(
                    "tour::preprocess",
                    format!("cannot run the C compiler `{}`: {error}", compiler.display()),
                )
                .help("install gcc or clang, or name another compiler with --cc"),
            ]
        })
    }

    /// The headers of the machine's own data model. They serve for 32 bits as well: only the list of what the C
    /// library does not implement is missing, and that is empty.
    fn find_stand_ins(&self) -> Option<StandIns> {
        let output = Command::new(&self.options.compiler).arg("-print-multiarch").output().ok()?;
        let multiarch = String::from_utf8(output.stdout).ok()?;
        let headers = Path::new("/usr/include").join(multiarch.trim());
        if multiarch.trim().is_empty() || !headers.is_dir() {
            return None;
        }
        let stubs = TempDir::new().ok()?;
        std::fs::create_dir(stubs.path().join("gnu")).ok()?;
        std::fs::write(stubs.path().join("gnu/stubs-32.h"), "").ok()?;
        Some(StandIns { headers, stubs })
    }
}

/// A text with its tokens. The files that it was made of may be shown.
fn loaded(read: &Preprocessed, input: &Input, sources: &mut SourceMap) -> (Arc<str>, Scan) {
    let scanned = scan(&read.text, &input.path);
    let base = input.directory.clone().unwrap_or_default();
    for name in &scanned.files {
        let file = base.join(name);
        if read.files.contains(&file) {
            sources.made_of(name, file);
        }
    }
    (read.text.clone(), scanned)
}

/// The file has been preprocessed already.
fn is_preprocessed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "i")
}

fn read(input: &Input) -> Result<String, Diagnostic> {
    let path = input.full_path();
    match std::fs::read(&path) {
        Ok(bytes) => Ok(lossless(bytes)),
        Err(error) => Err(Diagnostic::error(
            "tour::preprocess",
            format!("cannot read `{}`: {error}", input.path.display()),
        )
        .help("check the path; file names are relative to the current directory")),
    }
}

fn check_size(text: &str, path: &Path) -> Result<(), Diagnostic> {
    if u32::try_from(text.len()).is_ok_and(|n| n < u32::MAX) {
        return Ok(());
    }
    Err(Diagnostic::error("tour::preprocess", format!("`{}` is larger than 4 GB", path.display())))
}

/// Bytes as text. In literals, bytes that are no UTF-8 become octal escapes of the same value; elsewhere (in
/// comments) they become question marks.
fn lossless(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    // A copy of the same length shows where the literals are.
    let ascii: String = bytes.iter().map(|&b| if b.is_ascii() { b as char } else { '?' }).collect();
    let mut out = String::with_capacity(bytes.len() + 64);
    let mut literals = scan(&ascii, Path::new(""))
        .tokens
        .into_iter()
        .filter(|t| matches!(t.kind, Kind::String | Kind::Character))
        .peekable();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        at += chunk.valid().len();
        for byte in chunk.invalid() {
            while literals.next_if(|t| t.end as usize <= at).is_some() {}
            if literals.peek().is_some_and(|t| (t.start as usize) < at) {
                out.push_str(&format!("\\{byte:03o}"));
            } else {
                out.push('?');
            }
            at += 1;
        }
    }
    out
}

/// Whether a flag of the compiler may change the text of a file without directives and macros.
fn changes_text(flag: &str) -> bool {
    const HARMLESS: &[&str] =
        &["-I", "-isystem", "-iquote", "-O", "-W", "-g", "-f", "-m", "-std=gnu", "-pipe", "-c"];
    flag.starts_with('-') && !HARMLESS.iter().any(|h| flag.starts_with(h))
}

/// The compiler misses headers of the C library: typical for `-m32` on a machine for 64 bits.
fn lacks_headers(errors: &str) -> bool {
    errors.contains("fatal error:")
        && (errors.contains("bits/") || errors.contains("gnu/") || errors.contains("sys/"))
}

/// The compiler's errors as diagnostics in the files that they are about.
fn diagnostics(
    errors: &str,
    input: &Input,
    source: &str,
    compiler: &Path,
    sources: &mut SourceMap,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in errors.lines() {
        let Some(error) = CompilerError::parse(line) else { continue };
        let diagnostic = Diagnostic::error("tour::preprocess", error.message).help(format!(
            "`{}` says so; it needs the flags that the file is built with",
            compiler.display()
        ));
        found.push(if Path::new(error.file) == input.path {
            let start = offset_of(source, error.line, error.column);
            let rest = source[start..].split_whitespace().next().map_or(0, str::len);
            let unit = sources.add(Unit::plain(error.file, source));
            diagnostic.label(Span::new(unit, start, start + rest), "here")
        } else {
            // A header, or what `#line` says: without a text, the compiler lists no files, and no other is opened.
            let place = format!("{}:{}:{}", error.file, error.line, error.column);
            Diagnostic { message: format!("{place}: {}", diagnostic.message), ..diagnostic }
        });
    }
    if found.is_empty() {
        let first = errors.lines().next().unwrap_or("it gave no reason");
        found.push(
            Diagnostic::error(
                "tour::preprocess",
                format!("`{}` could not preprocess `{}`: {first}", compiler.display(), input.path.display()),
            )
            .help("run it by hand with -E to see all it says"),
        );
    }
    found
}

/// The byte of a line and column (both from 1).
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let length = text[start..].split('\n').next().map_or(0, str::len);
    let mut offset = start + (column.saturating_sub(1)).min(length);
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// `file:line:column: error: message`.
#[derive(Debug, PartialEq)]
struct CompilerError<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

impl<'a> CompilerError<'a> {
    fn parse(text: &'a str) -> Option<CompilerError<'a>> {
        let (place, message) = text.split_once(": fatal error: ").or_else(|| text.split_once(": error: "))?;
        let (rest, last) = place.rsplit_once(':')?;
        let last: usize = last.parse().ok()?;
        // The column may be missing.
        match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
            Some((file, line)) => Some(CompilerError { file, line, column: last, message }),
            None => Some(CompilerError { file: rest, line: last, column: 1, message }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_errors_are_read() {
        let error = |file, line, column, message| Some(CompilerError { file, line, column, message });
        let check = |text, expect| assert_eq!(CompilerError::parse(text), expect);
        check("a.c:3:10: fatal error: no.h: No such file", error("a.c", 3, 10, "no.h: No such file"));
        check("d/a.c:3: error: x", error("d/a.c", 3, 1, "x"));
        check("compilation terminated.", None);
    }

    fn load(text: &str, data_model: DataModel) -> Result<String, (Vec<Diagnostic>, SourceMap)> {
        let options = FrontOptions::new(data_model);
        let mut sources = SourceMap::default();
        let loaded = Preprocessor::new(&options).load(&Input::text("dir/t.c", text), &mut sources);
        loaded.map(|(text, _)| text.to_string()).map_err(|errors| (errors, sources))
    }

    #[test]
    fn the_compiler_runs_where_it_matters() {
        let text = load("#define X 42\nint x = X;\n", DataModel::Lp64).unwrap_or_default();
        assert!(text.contains("int x = 42;") && text.contains("# 1 \"dir/t.c\""), "{text}");
        assert_eq!(load("int x; // plain\n", DataModel::Lp64).ok().as_deref(), Some("int x; // plain\n"));
    }

    #[test]
    fn a_unit_is_read_with_the_files_that_it_is_made_of() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write("a.c", "#include \"b.h\"\nint x = X;\n");
        write("b.h", "#define X 7\n");
        write("plain.c", "int y;\n");
        let options = FrontOptions::new(DataModel::Lp64);
        let read = |name: &str, flags: &[&str]| {
            let flags = flags.iter().map(OsString::from).collect();
            let input = Input { directory: Some(folder.path().into()), flags, ..Input::file(name) };
            preprocess(&input, &options, &mut SourceMap::default()).expect("it is read")
        };
        let a = read("a.c", &[]);
        assert!(a.text.contains("int x = 7;"), "{}", a.text);
        for name in ["a.c", "b.h"] {
            assert!(a.files.contains(&folder.path().join(name)), "{:?}", a.files);
        }
        assert!(
            read("plain.c", &["-Dint=long"]).text.contains("long y;"),
            "the compiler decides what a text is"
        );
        let again = Input { origin: Origin::Preprocessed(a.clone()), ..Input::file("a.c") };
        std::fs::remove_file(folder.path().join("b.h")).expect("it was there");
        let loaded = Preprocessor::new(&options).load(&again, &mut SourceMap::default()).expect("it is read");
        assert_eq!(loaded.0, a.text);
        assert!(Preprocessor::new(&options).accepts(&again));
    }

    #[test]
    fn a_compiler_is_known_by_what_it_says() {
        let options = FrontOptions::new(DataModel::Lp64);
        let text = String::from_utf8_lossy(&compiler_identity(&options)).into_owned();
        assert!(text.contains("version") && text.contains("#define __STDC__ 1"), "{text}");
    }

    #[test]
    fn headers_for_32_bits_are_found_or_stood_in_for() {
        let text = load("#include <stdio.h>\n#include <limits.h>\nlong m = LONG_MAX;", DataModel::Ilp32);
        assert!(text.is_ok_and(|t| t.contains("printf") && t.contains("long m = 0x7fffffffL")));
    }

    #[test]
    fn errors_are_in_the_users_file() {
        let Err((errors, sources)) = load("int x;\n  #include \"missing.h\"\n", DataModel::Lp64) else {
            panic!("the header is not missing")
        };
        let place = sources.display(errors[0].labels[0].span);
        assert!(place.starts_with("dir/t.c:2:"), "{place}");
        assert!(errors[0].message.contains("missing.h"), "{}", errors[0].message);
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_value_in_literals() {
        assert_eq!(lossless(b"char *s = \"caf\xe9\"; // \xe9".to_vec()), "char *s = \"caf\\351\"; // ?");
    }

    #[test]
    fn only_flags_about_macros_change_a_plain_text() {
        for flag in ["-O2", "-Wall", "-Iinclude", "-std=gnu99", "-fno-builtin", "x"] {
            assert!(!changes_text(flag), "{flag}");
        }
        for flag in ["-DX=1", "-UX", "-include", "-imacros", "-ansi", "-trigraphs"] {
            assert!(changes_text(flag), "{flag}");
        }
    }
}
