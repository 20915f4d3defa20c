//! What compilers say: all claims of a topic in one program, each claim in a process of its own, so that one that
//! is stopped leaves the others alone.

use super::missing::missing;
use super::topic::{NAMES, TYPES, Topic};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How C programs are made and run here.
pub struct Compiler {
    name: String,
    flags: Vec<&'static str>,
    /// Stops at undefined behaviour.
    sanitizes: bool,
}

/// What a claim's expression is natively.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The values that compilers give.
    Values {
        /// Any of them.
        all: BTreeSet<Value>,
        /// The one whose C we take: `cc`.
        ours: BTreeSet<Value>,
    },
    /// A sanitizer stops there.
    Undefined,
}

/// A value as a condition of C can ask for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Integer(String),
    /// In hexadecimal.
    Float(String),
}

impl Value {
    /// The condition that an expression has this value; it is evaluated once.
    pub fn condition(&self, expression: &str) -> String {
        match self {
            Value::Integer(value) => format!("({expression}) == {value}"),
            Value::Float(value) if value.contains("nan") => format!("__builtin_isnan({expression})"),
            Value::Float(value) if value == "inf" => format!("({expression}) == __builtin_inf()"),
            Value::Float(value) if value == "-inf" => format!("({expression}) == -__builtin_inf()"),
            // Both zeros are equal.
            Value::Float(value) if value.starts_with("0x0p") => format!("1 / ({expression}) > 0"),
            Value::Float(value) if value.starts_with("-0x0p") => format!("1 / ({expression}) < 0"),
            Value::Float(value) => format!("({expression}) == {value}"),
        }
    }
}

const RUNTIME: &str = r#"
extern int printf(const char *, ...), fflush(), fork(), waitpid();
extern void _exit(int);
static void show_integer(int claim, __int128 value) {
  if (value >= -9223372036854775807ll - 1 && value < 0) printf("%d i (%lldll - 1)\n", claim, (long long)value + 1);
  else if (value >= 0 && value <= 18446744073709551615ull) printf("%d i %llu%s\n", claim, (unsigned long long)value, value > 9223372036854775807ll ? "ull" : "ll");
  else printf("%d i (%s)((unsigned __int128)%lluull << 64 | %lluull)\n", claim, value < 0 ? "__int128" : "unsigned __int128", (unsigned long long)((unsigned __int128)value >> 64), (unsigned long long)value);
}
static void show_u128(int claim, unsigned __int128 value) {
  if (value >> 127) printf("%d i ((unsigned __int128)%lluull << 64 | %lluull)\n", claim, (unsigned long long)(value >> 64), (unsigned long long)value);
  else show_integer(claim, value);
}
static void show_float(int claim, long double value) {
  if (value != value) printf("%d f nan\n", claim);
  else if ((double)value == value) printf("%d f %a\n", claim, (double)value);
  else printf("%d f %LaL\n", claim, value);
}
#define SHOW(claim, e) _Generic((e), float: show_float, double: show_float, long double: show_float, \
  unsigned __int128: show_u128, default: show_integer)(claim, e)
"#;

impl Compiler {
    pub fn new(name: &str, level: &'static str) -> Compiler {
        Compiler { name: name.to_owned(), flags: vec![level], sanitizes: false }
    }

    pub fn sanitized() -> Compiler {
        // Sanitizers take what the standard leaves open for granted where gcc defines it: shifts of negative numbers.
        let flags = vec![
            "-O0",
            "-fsanitize=undefined,address,float-cast-overflow,float-divide-by-zero",
            "-fno-sanitize=float-divide-by-zero",
            "-fno-sanitize-recover=all",
        ];
        Compiler { name: "cc".to_owned(), flags, sanitizes: true }
    }

    /// `cc`, and the other one of gcc and clang if it is there; not optimised and optimised.
    pub fn all() -> Vec<Compiler> {
        let version = |name: &str| {
            let run = Command::new(name).arg("--version").output().ok()?;
            run.status.success().then(|| String::from_utf8_lossy(&run.stdout).into_owned())
        };
        let other = if version("cc").is_some_and(|text| text.contains("clang")) { "gcc" } else { "clang" };
        let mut names = vec!["cc"];
        match version(other) {
            Some(_) => names.push(other),
            None => missing(&format!("{other} is not there")),
        }
        names.iter().flat_map(|name| ["-O0", "-O2"].map(|level| Compiler::new(name, level))).collect()
    }

    /// Claims and what they print.
    fn run(&self, topic: &Topic, text: &str) -> Result<Vec<Option<Value>>, String> {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let source = folder.path().join(format!("{}-{number}.c", topic.name));
        let program = folder.path().join("program");
        std::fs::write(&source, text).map_err(|e| e.to_string())?;
        let built = Command::new(&self.name)
            .args(["-w", "-std=gnu11"])
            .args(&self.flags)
            .arg("-o")
            .arg(&program)
            .arg(&source)
            .arg("-lm")
            .output()
            .map_err(|e| format!("{}: {e}", self.name))?;
        if !built.status.success() {
            return Err(format!(
                "{} {:?}: {}",
                self.name,
                self.flags,
                String::from_utf8_lossy(&built.stderr)
            ));
        }
        let ran = Command::new(&program)
            .current_dir(folder.path())
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let mut values = vec![None; topic.claims.len()];
        for line in String::from_utf8_lossy(&ran.stdout).lines() {
            let parts: Vec<&str> = line.splitn(3, ' ').collect();
            let [claim, kind, value] = parts[..] else { continue };
            let value = match kind {
                "i" => Value::Integer(value.to_owned()),
                _ => Value::Float(value.to_owned()),
            };
            if let Some(place) = claim.parse().ok().and_then(|claim: usize| values.get_mut(claim)) {
                *place = Some(value);
            }
        }
        Ok(values)
    }
}

fn program(topic: &Topic) -> String {
    let mut text = TYPES.to_owned();
    for (name, _) in NAMES {
        writeln!(text, "__attribute__((noinline)) static {name} in_{name}({name} v) {{ return v; }}")
            .unwrap();
    }
    text += "#define IN(t, v) in_##t(v)\n#define NATIVE 1\n";
    text += RUNTIME;
    text += &topic.prelude;
    for (i, claim) in topic.claims.iter().enumerate() {
        let (statements, expression) = (&claim.statements, &claim.expression);
        writeln!(text, "static void claim_{i}(void) {{ {statements} SHOW({i}, ({expression})); }}").unwrap();
    }
    let names: Vec<String> = (0..topic.claims.len()).map(|i| format!("claim_{i}")).collect();
    writeln!(text, "static void (*claims[])(void) = {{ {} }};", names.join(", ")).unwrap();
    text += "int main(void) {\n  for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {\n    int child = fork();\n    \
             if (child == 0) { claims[i](); fflush(0); _exit(0); }\n    waitpid(child, 0, 0);\n  }\n  return 0;\n}\n";
    text
}

/// What each claim's expression is.
pub fn meanings(topic: &Topic, compilers: &[Compiler]) -> Result<Vec<Meaning>, String> {
    let text = program(topic);
    let nothing = Meaning::Values { all: BTreeSet::new(), ours: BTreeSet::new() };
    let mut meanings = vec![nothing; topic.claims.len()];
    for compiler in compilers {
        let values = compiler.run(topic, &text).map_err(|error| format!("{}: {error}", topic.name))?;
        for ((meaning, value), claim) in meanings.iter_mut().zip(values).zip(&topic.claims) {
            match (&mut *meaning, value) {
                (Meaning::Undefined, _) => {}
                (Meaning::Values { all, ours }, Some(value)) => {
                    if compiler.name == "cc" {
                        ours.insert(value.clone());
                    }
                    all.insert(value);
                }
                (Meaning::Values { .. }, None) if compiler.sanitizes => *meaning = Meaning::Undefined,
                (Meaning::Values { .. }, None) => {
                    return Err(format!("{}: {claim}: nothing printed by {}", topic.name, compiler.name));
                }
            }
        }
    }
    Ok(meanings)
}
