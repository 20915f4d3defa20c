//! All that is read for a harness: its Rust, the preprocessed text of the C that it needs, stubs. It is read once; what is
//! verified is what was hashed, whatever becomes of the files meanwhile.

use super::find;
use super::items::{RustFile, same_file};
use super::lower::HarnessSource;
use super::meaning::meaning;
use super::verify::data_model;
use quote::ToTokens;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tour_c::front::{FrontOptions, Input, Origin, Preprocessed, compiler_identity, preprocess};
use tour_c::load::FrontError;
use tour_c::sema::Stub;
use tour_capture::capture::{Capture, FoundBy, Symbols};
use tour_ir::program::DataModel;
use tour_ir::source::{Diagnostic, SourceMap};
use tour_protocol::protocol::{Request, write_json};
use tour_protocol::result::Harness;

/// What was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Snapshot {
    #[serde(with = "shared")]
    rust: Arc<Vec<RustFile>>,
    units: Vec<CText>,
    /// What functions do, whatever their bodies say.
    pub(super) stubs: Vec<Stub>,
    /// The compiler that is asked about the language.
    compiler: Option<PathBuf>,
    /// The build was not watched.
    pub(super) is_guessed: bool,
    key: Key,
}

/// The hash of all that a verdict depends on of what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Key {
    /// Of what the program means: another text of the same meaning has the same verdict.
    pub meaning: String,
    /// Of the files as they stand there: results that show lines of them need the same.
    pub exact: String,
}

/// A C file as its compiler gives it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CText {
    file: PathBuf,
    directory: Option<PathBuf>,
    compiler: Option<PathBuf>,
    flags: Vec<OsString>,
    #[serde(with = "shared_text")]
    text: Arc<str>,
    /// What it was made of.
    made_of: Vec<PathBuf>,
}

impl CText {
    fn of(input: Input) -> Option<CText> {
        let Input { path: file, origin: Origin::Preprocessed(read), compiler, flags, directory } = input
        else {
            return None;
        };
        let made_of = read.files.to_vec();
        Some(CText { file, directory, compiler, flags, text: read.text, made_of })
    }

    fn input(&self) -> Input {
        Input {
            path: self.file.clone(),
            origin: Origin::Preprocessed(Preprocessed {
                text: self.text.clone(),
                files: self.made_of.as_slice().into(),
            }),
            compiler: self.compiler.clone(),
            flags: self.flags.clone(),
            directory: self.directory.clone(),
        }
    }
}

/// Reads for the harnesses of a build. Texts that several of them need are read once.
pub struct Reader<'a> {
    capture: &'a Capture,
    symbols: Symbols,
    units: Once<UnitKey, Option<Preprocessed>>,
    compilers: Once<(PathBuf, bool), blake3::Hash>,
    /// Contents of files, by path.
    files: Once<PathBuf, blake3::Hash>,
    rust: Once<RustKey, Arc<Vec<RustFile>>>,
    /// Meanings of Rust, by the hash of the text.
    meanings: Once<[u8; 32], blake3::Hash>,
}

/// What decides which text a unit has, but for the files.
type UnitKey = (PathBuf, Option<PathBuf>, Option<PathBuf>, Vec<OsString>, bool);

/// What decides which Rust files there are for a harness, but for the folders themselves.
type RustKey = (PathBuf, Option<PathBuf>, PathBuf);

impl<'a> Reader<'a> {
    /// For the C of this build.
    pub fn new(capture: &'a Capture) -> Reader<'a> {
        Reader {
            capture,
            symbols: Symbols::read(capture),
            units: Once::default(),
            compilers: Once::default(),
            files: Once::default(),
            rust: Once::default(),
            meanings: Once::default(),
        }
    }

    /// Which units define and need which symbols.
    pub(super) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// A unit of the build.
    pub(super) fn unit(&self, unit: usize) -> Input {
        self.capture.units[unit].input()
    }

    /// The hash of Rust files and C texts as they stand there.
    pub(super) fn key_of(
        &self,
        rust: &[RustFile],
        inputs: &[Input],
        front: &FrontOptions,
        others: &[String],
    ) -> String {
        let mut hash = Hash::new("what a comparison of declarations is made from");
        hash.number(rust.len() as u64);
        for file in rust {
            hash.path(&file.path).text(&file.text);
        }
        hash.number(inputs.len() as u64);
        for input in inputs {
            self.hash_input(&mut hash, input, front);
        }
        for name in others {
            hash.text(name);
        }
        hash.finish().to_string()
    }

    fn hash_input(&self, hash: &mut Hash, input: &Input, front: &FrontOptions) {
        let own = input.compiler.as_deref().unwrap_or(&front.compiler);
        hash.path(&input.path).path(own).hash(self.identity(own, front));
        hash.path(input.directory.as_deref().unwrap_or(Path::new("")));
        hash.number(input.flags.len() as u64);
        for flag in &input.flags {
            hash.bytes(flag.as_encoded_bytes());
        }
        if let Origin::Preprocessed(read) = &input.origin {
            hash.bytes(read.text.as_bytes());
        }
    }

    /// The preprocessed text of a unit.
    pub(super) fn text(
        &self,
        input: &Input,
        front: &FrontOptions,
        sources: &mut SourceMap,
    ) -> Result<Preprocessed, Vec<Diagnostic>> {
        let is_32_bit = front.data_model == DataModel::Ilp32;
        let key = (
            input.path.clone(),
            input.directory.clone(),
            input.compiler.clone(),
            input.flags.clone(),
            is_32_bit,
        );
        let known = self.units.get(key, || preprocess(input, front, &mut SourceMap::default()).ok());
        match known {
            Some(read) => Ok(read),
            // Once more, for the places of its errors.
            None => preprocess(input, front, sources),
        }
    }

    fn rust(&self, harness: &Harness) -> Arc<Vec<RustFile>> {
        let key = (harness.manifest_dir.clone(), harness.out_dir.clone(), harness.file.clone());
        self.rust.get(key, || Arc::new(find::files(harness)))
    }

    fn identity(&self, compiler: &Path, front: &FrontOptions) -> blake3::Hash {
        let key = (compiler.to_owned(), front.data_model == DataModel::Ilp32);
        self.compilers.get(key, || {
            let front = FrontOptions { compiler: compiler.to_owned(), ..front.clone() };
            blake3::hash(&compiler_identity(&front))
        })
    }

    fn file(&self, path: &Path) -> blake3::Hash {
        self.files.get(path.to_owned(), || blake3::hash(&std::fs::read(path).unwrap_or_default()))
    }

    fn meaning(&self, text: &str) -> blake3::Hash {
        let key = *blake3::hash(text.as_bytes()).as_bytes();
        self.meanings.get(key, || match meaning(text) {
            Some(meaning) => blake3::hash(meaning.as_bytes()),
            None => blake3::hash(text.as_bytes()),
        })
    }
}

impl Snapshot {
    /// Reads all that a harness needs.
    pub fn take(harness: &Harness, reader: &Reader) -> Result<Snapshot, FrontError> {
        let rust = reader.rust(harness);
        let source = find::find(harness, &rust)?;
        let error = |diagnostic: Box<Diagnostic>| FrontError {
            diagnostics: vec![*diagnostic],
            sources: SourceMap::default(),
        };
        let units = &reader.capture.units;
        let needed = reader.symbols.needed(source.symbols());
        let mut inputs: Vec<Input> = needed.iter().map(|&unit| units[unit].input()).collect();
        let compiler = inputs.iter().find_map(|input| input.compiler.clone());
        let compiler = compiler.or_else(|| units.first().map(|unit| unit.compiler.clone()));
        let defines = |name: &str| reader.symbols.defines(name);
        let (more, stubs) = tour_capture::config::stubs(&harness.manifest_dir, defines).map_err(error)?;
        inputs.extend(more);
        let front = front(harness, compiler.as_deref());
        let (mut files, mut sources, mut diagnostics) = (Vec::new(), SourceMap::default(), Vec::new());
        for input in &mut inputs {
            match reader.text(input, &front, &mut sources) {
                Ok(read) => {
                    files.extend(read.files.iter().cloned());
                    input.origin = Origin::Preprocessed(read);
                }
                Err(found) => diagnostics.extend(found),
            }
        }
        if !diagnostics.is_empty() {
            return Err(FrontError { diagnostics, sources });
        }
        let is_guessed = reader.capture.found_by == FoundBy::BuildScriptText;
        let mut hash = Hash::new("what a harness is verified from");
        hash.harness(harness, &source);
        let mut exact = hash_rust(&mut hash, reader, &source, &rust);
        exact.number(harness.line.into());
        hash.number(inputs.len() as u64);
        for input in &inputs {
            reader.hash_input(&mut hash, input, &front);
        }
        for file in &files {
            exact.path(file).hash(reader.file(file));
        }
        // Without C, no compiler is asked about anything.
        if !inputs.is_empty() {
            hash.path(&front.compiler).hash(reader.identity(&front.compiler, &front));
        }
        hash.text(&format!("{stubs:?} {is_guessed}"));
        let meaning = hash.finish();
        exact.hash(meaning);
        let key = Key { meaning: meaning.to_string(), exact: exact.finish().to_string() };
        let units = inputs.into_iter().filter_map(CText::of).collect();
        Ok(Snapshot { rust, units, stubs, compiler, is_guessed, key })
    }

    /// What a verdict of it depends on.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Reads one that was written.
    pub fn read(path: &Path) -> Result<Snapshot, Box<Diagnostic>> {
        let read = std::fs::read(path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        read.map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            Box::new(Diagnostic::error("tour::capture", message))
        })
    }

    /// Writes it for a worker.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        write_json(path, self)
    }

    /// The harness and the Rust that it names.
    pub(super) fn harness(&self, harness: &Harness) -> Result<HarnessSource, FrontError> {
        find::find(harness, &self.rust)
    }

    /// The C.
    pub(super) fn inputs(&self) -> Vec<Input> {
        self.units.iter().map(CText::input).collect()
    }

    /// How the C is read.
    pub(super) fn front(&self, harness: &Harness) -> FrontOptions {
        front(harness, self.compiler.as_deref())
    }
}

impl Key {
    /// The same with what is asked, and by which build of tour.
    pub fn asked(&self, request: &Request, harness: &Harness, tool: &str) -> Key {
        let with = |read: &str| {
            let mut hash = Hash::new("what a result is made of");
            hash.text(read).text(tool).text(tour_ir::VERSION);
            hash.text(&format!("{:?}", request.engine)).text(&request.properties.join(" "));
            let malloc_may_fail = request.malloc_may_fail || harness.malloc_may_fail;
            hash.text(&format!("{malloc_may_fail} {}", request.no_replay));
            hash.finish().to_string()
        };
        Key { meaning: with(&self.meaning), exact: with(&self.exact) }
    }
}

fn front(harness: &Harness, compiler: Option<&Path>) -> FrontOptions {
    let front = FrontOptions::new(data_model(harness));
    FrontOptions { compiler: compiler.map_or(front.compiler, Path::to_owned), ..front }
}

/// The Rust that was parsed, by its meaning, and what was seen of the rest. What is returned has the texts.
fn hash_rust(hash: &mut Hash, reader: &Reader, source: &HarnessSource, files: &[RustFile]) -> Hash {
    let mut exact = Hash::new("the files as they stand there");
    let parsed = &source.items.files;
    let is_parsed = |file: &&RustFile| {
        parsed.contains(&file.path) || parsed.iter().any(|path| same_file(path, &file.path))
    };
    for file in files.iter().filter(is_parsed) {
        hash.path(&file.path).hash(reader.meaning(&file.text));
        exact.path(&file.path).text(&file.text);
        for name in &file.module {
            hash.text(name);
        }
    }
    for name in source.items.seen() {
        hash.text(name);
    }
    exact
}

/// A hash of parts: each counts with its length, so that no two lists of parts are the same bytes.
struct Hash(blake3::Hasher);

impl Hash {
    fn new(purpose: &'static str) -> Hash {
        Hash(blake3::Hasher::new_derive_key(purpose))
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Hash {
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Hash {
        self.bytes(text.as_bytes())
    }

    fn path(&mut self, path: &Path) -> &mut Hash {
        self.bytes(path.as_os_str().as_encoded_bytes())
    }

    fn number(&mut self, number: u64) -> &mut Hash {
        self.bytes(&number.to_le_bytes())
    }

    fn hash(&mut self, hash: blake3::Hash) -> &mut Hash {
        self.bytes(hash.as_bytes())
    }

    fn harness(&mut self, harness: &Harness, source: &HarnessSource) {
        self.text(&harness.package).text(&harness.target).text(&harness.module).text(&harness.function);
        self.text(&harness.name).path(&harness.manifest_dir).path(&harness.file).text(&harness.source);
        self.text(&source.function.to_token_stream().to_string());
        self.text(&format!("{:?}", (harness.unwind, harness.pointer_width, &harness.engine)));
        self.text(&format!("{:?}", (&harness.should_fail, harness.should_panic, harness.malloc_may_fail)));
        self.number(harness.properties.len() as u64);
        for property in &harness.properties {
            self.text(property);
        }
    }

    fn finish(&self) -> blake3::Hash {
        self.0.finalize()
    }
}

/// Answers that are found once, by several threads.
struct Once<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Once<K, V> {
        Once(Mutex::new(BTreeMap::new()))
    }
}

impl<K: Ord, V: Clone> Once<K, V> {
    fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        let cell = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        cell.get_or_init(find).clone()
    }
}

/// Shared values as plain ones.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(value, to)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

/// Shared texts as plain ones.
mod shared_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}
