//! What the macro says about a harness.

use std::path::{Path, PathBuf};
use tour_protocol::result::Harness;

/// A harness, as `#[verify]` describes it.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Description {
    pub module: &'static str,
    pub function: &'static str,
    pub package: &'static str,
    pub manifest_dir: &'static str,
    pub out_dir: Option<&'static str>,
    pub file: &'static str,
    pub line: u32,
    pub tags: &'static [&'static str],
    pub timeout: Option<f64>,
    pub memory: Option<u64>,
    pub unwind: Option<u32>,
    pub properties: &'static [&'static str],
    pub malloc_may_fail: bool,
    pub should_fail: Option<&'static str>,
    pub should_panic: bool,
    pub ignored: bool,
    pub source: &'static str,
}

impl Description {
    /// The name of the test: the path without the crate.
    pub(super) fn name(&self) -> String {
        match self.module.split_once("::") {
            Some((_, module)) => format!("{module}::{}", self.function),
            None => self.function.to_owned(),
        }
    }

    /// The modules inside of the crate.
    pub(super) fn modules(&self) -> Vec<String> {
        self.module.split("::").skip(1).map(str::to_owned).collect()
    }

    /// The file. The compiler names it relative to the workspace, which is the package's directory or above.
    pub(super) fn path(&self) -> PathBuf {
        let file = Path::new(self.file);
        if file.is_absolute() {
            return file.to_owned();
        }
        let above = Path::new(self.manifest_dir).ancestors();
        let mut candidates = above.map(|directory| directory.join(file));
        candidates.find(|path| path.is_file()).unwrap_or_else(|| file.to_owned())
    }

    pub(super) fn harness(&self) -> Harness {
        let strings = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Harness {
            name: self.name(),
            module: self.module.to_owned(),
            function: self.function.to_owned(),
            package: self.package.to_owned(),
            manifest_dir: self.manifest_dir.into(),
            file: self.path(),
            line: self.line,
            tags: strings(self.tags),
            timeout: self.timeout,
            memory: self.memory,
            unwind: self.unwind,
            properties: strings(self.properties),
            malloc_may_fail: self.malloc_may_fail,
            should_fail: self.should_fail.map(str::to_owned),
            should_panic: self.should_panic,
            ignored: self.ignored,
            source: self.source.to_owned(),
        }
    }
}
