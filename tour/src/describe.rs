//! What the macro says about a harness.

use crate::json::Object;
use crate::protocol::PROTOCOL;
use std::path::{Path, PathBuf};

/// A harness, as `#[verify]` describes it.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Description {
    pub module: &'static str,
    pub function: &'static str,
    pub package: &'static str,
    pub manifest_dir: &'static str,
    pub out_dir: Option<&'static str>,
    /// The name of the binary, if the harness is in one.
    pub binary: Option<&'static str>,
    /// Cargo sets a folder for temporary files, as it does for integration tests.
    pub is_integration_test: bool,
    pub file: &'static str,
    pub line: u32,
    pub tags: &'static [&'static str],
    pub timeout: Option<f64>,
    pub memory: Option<u64>,
    pub unwind: Option<u32>,
    pub properties: &'static [&'static str],
    pub malloc_may_fail: bool,
    /// Names and values of what else `#[verify(…)]` says to the engine.
    pub engine: &'static [(&'static str, &'static str)],
    pub should_fail: Option<&'static str>,
    pub should_panic: bool,
    pub ignored: bool,
    pub source: &'static str,
}

impl Description {
    /// The name of the test: the path without the crate.
    pub(crate) fn name(&self) -> String {
        match self.module.split_once("::") {
            Some((_, module)) => format!("{module}::{}", self.function),
            None => self.function.to_owned(),
        }
    }

    /// The file. The compiler names it relative to the workspace, which is the package's directory or above.
    fn path(&self) -> PathBuf {
        let file = Path::new(self.file);
        if file.is_absolute() {
            return file.to_owned();
        }
        let above = Path::new(self.manifest_dir).ancestors();
        let mut candidates = above.map(|directory| directory.join(file));
        candidates.find(|path| path.is_file()).unwrap_or_else(|| file.to_owned())
    }

    /// The target of the package that the harness is in: `lib demo`, `bin demo`, `test ring`.
    fn target(&self) -> String {
        let crate_name = self.module.split("::").next().unwrap_or_default();
        match self.binary {
            Some(binary) => format!("bin {binary}"),
            None if self.is_integration_test => format!("test {crate_name}"),
            None => format!("lib {crate_name}"),
        }
    }

    /// For the command.
    pub(crate) fn to_json(self) -> Object {
        let mut engine = Object::new();
        for (name, value) in self.engine {
            engine = engine.text(name, value);
        }
        Object::new()
            .number("protocol", PROTOCOL)
            .text("version", env!("CARGO_PKG_VERSION"))
            .text("name", &self.name())
            .text("module", self.module)
            .text("function", self.function)
            .text("package", self.package)
            .text("target", &self.target())
            .text("manifest-dir", self.manifest_dir)
            .optional("out-dir", self.out_dir, Object::text)
            .text("file", &self.path().to_string_lossy())
            .number("line", self.line)
            .texts("tags", self.tags)
            .optional("timeout", self.timeout, Object::number)
            .optional("memory", self.memory, Object::number)
            .optional("unwind", self.unwind, Object::number)
            .texts("properties", self.properties)
            .bool("malloc-may-fail", self.malloc_may_fail)
            .object("engine", engine)
            .optional("should-fail", self.should_fail, Object::text)
            .bool("should-panic", self.should_panic)
            .bool("ignored", self.ignored)
            .number("pointer-width", usize::BITS)
            .text("source", self.source)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const EXAMPLE: Description = Description {
        module: "demo::proofs",
        function: "push",
        package: "demo",
        manifest_dir: "/demo",
        out_dir: None,
        binary: None,
        is_integration_test: false,
        file: "src/lib.rs",
        line: 7,
        tags: &["slow"],
        timeout: Some(1.5),
        memory: None,
        unwind: Some(8),
        properties: &[],
        malloc_may_fail: false,
        engine: &[("analysis", "bmc")],
        should_fail: None,
        should_panic: false,
        ignored: false,
        source: "fn push() { assert!(\"\\\" != \"\n\"); }",
    };

    #[test]
    fn names_and_targets() {
        assert_eq!(EXAMPLE.name(), "proofs::push");
        assert_eq!(Description { module: "demo", ..EXAMPLE }.name(), "push");
        assert_eq!(EXAMPLE.target(), "lib demo");
        assert_eq!(Description { binary: Some("demo"), ..EXAMPLE }.target(), "bin demo");
        assert_eq!(Description { is_integration_test: true, ..EXAMPLE }.target(), "test demo");
    }

    #[test]
    fn it_goes_out_as_json() {
        let text = EXAMPLE.to_json().to_string();
        let parts = [
            r#""name":"proofs::push""#,
            r#""timeout":1.5,"memory":null,"unwind":8"#,
            r#""tags":["slow"]"#,
            r#""engine":{"analysis":"bmc"}"#,
            r#""source":"fn push() { assert!(\"\\\" != \"\n\"); }""#,
        ];
        for part in parts {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
