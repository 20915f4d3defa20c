//! The functions that a program takes its inputs from, in C: they give the values of a violation, one after the other.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use tour_c::sema::is_own;
use tour_evidence::verdict::{InputOrigin, TakenInput, Violation};
use tour_interp::interp::{self, Inputs, Request, Why};
use tour_ir::program::{
    FloatKind, FnId, HavocOrigin, IntKind, Op, PlaceId, PlaceKind, Program, Type, TypeId,
};
use tour_ir::source::is_library;

/// The file in which the shim says how a run ended.
pub(super) const NOTE: &str = "tour-note";

/// What names of inputs begin with.
const NONDET: &str = "__VERIFIER_nondet_";

/// The longest command line that `argc` may ask for.
const MAX_ARGUMENTS: u128 = 64;

/// The shim of a violation.
#[derive(Clone)]
pub(super) struct Shim {
    /// The functions that give inputs, with their types in C.
    functions: BTreeMap<String, &'static str>,
    /// Which function is asked, and the bits that it gives.
    values: Vec<(String, u128)>,
    /// Functions that return and do nothing else.
    silent: Vec<String>,
    /// `main` for another entry.
    main: String,
    /// Arguments of the program.
    pub arguments: Vec<String>,
}

impl Shim {
    /// The shim, or why the inputs can't be given.
    pub(super) fn new(program: &Program, violation: &Violation, entry: &str) -> Result<Shim, String> {
        if !program.threads.is_empty() {
            return Err("it takes a schedule of threads".to_owned());
        }
        let mut shim = Shim {
            functions: BTreeMap::new(),
            values: Vec::new(),
            silent: Vec::new(),
            main: String::new(),
            arguments: Vec::new(),
        };
        let mut parameters = Vec::new();
        for input in &violation.inputs {
            match input.origin {
                InputOrigin::Nondet | InputOrigin::Undefined => shim.add(program, input)?,
                InputOrigin::Parameter => parameters.push(*input),
                // If it is declared, and written before it is read.
                InputOrigin::Indeterminate => {}
                InputOrigin::Order => {
                    return Err("it takes an order of evaluation that C leaves to the compiler".to_owned());
                }
            }
        }
        if !is_determined(program, violation) {
            return Err("it reads memory that was never written".to_owned());
        }
        shim.enter(program, entry, &parameters)?;
        Ok(shim)
    }

    /// An input that a call gives.
    fn add(&mut self, program: &Program, input: &TakenInput) -> Result<(), String> {
        let edge = input.edge.ok_or("it takes an input from nowhere")?;
        let edge = &program.cfa.edges[edge];
        if is_library(&program.sources.unit(edge.span.unit).path) {
            return Err("it takes what the C library reads: standard input, say".to_owned());
        }
        let name = match edge.op {
            Op::Havoc(_, HavocOrigin::Undefined(f)) if is_own(program, f) => {
                program.functions[f].name.clone()
            }
            Op::Havoc(_, HavocOrigin::Undefined(f)) => {
                let name = &program.functions[f].name;
                return Err(format!("it takes what `{name}` of the C library may do"));
            }
            Op::Havoc(place, _) if edge.span == program.functions[program.entry].span => {
                return self.count_arguments(program, place, input.bits);
            }
            _ => called(program.sources.text(edge.span)).ok_or("it takes an input that no call gives")?,
        };
        let declared = program.functions.iter_enumerated().find(|(_, function)| function.name == name);
        let ty = match declared {
            Some((f, _)) => result(program, f),
            None => input.ty.ok_or("it takes single bytes from outside")?,
        };
        let spelling = spelling(program, ty).ok_or_else(|| format!("`{name}` gives no number"))?;
        if spelling == POINTER && input.bits != 0 {
            return Err(format!("`{name}` gives a pointer to something outside of the program"));
        }
        self.functions.insert(name.clone(), spelling);
        self.values.push((name, input.bits));
        Ok(())
    }

    /// `argc`, of the values that `main` is called with.
    fn count_arguments(&mut self, program: &Program, place: PlaceId, count: u128) -> Result<(), String> {
        let parameter = program.functions[program.entry].params.first();
        match program.places[place].kind {
            PlaceKind::Var(var) if Some(&var) == parameter && (1..=MAX_ARGUMENTS).contains(&count) => {
                self.arguments = vec![String::new(); count as usize - 1];
                Ok(())
            }
            _ => Err("it takes a command line".to_owned()),
        }
    }

    /// The way into the program.
    fn enter(&mut self, program: &Program, entry: &str, parameters: &[TakenInput]) -> Result<(), String> {
        if entry == "main" {
            return match parameters {
                [] => Ok(()),
                _ => Err("it takes parameters of `main` that no command line gives".to_owned()),
            };
        }
        let found = program.functions.iter_enumerated().find(|(_, function)| function.name == entry);
        let (f, _) = found.ok_or("the entry is not there")?;
        let sig = program.functions[f].sig(&program.types);
        let mut types = Vec::new();
        for ty in &sig.params {
            types.push(spelling(program, *ty).ok_or("a parameter of the entry is no number")?);
        }
        if types.len() != parameters.len() {
            return Err("parameters of the entry are no numbers".to_owned());
        }
        if types.iter().zip(parameters).any(|(ty, input)| *ty == POINTER && input.bits != 0) {
            return Err("a parameter of the entry points to something outside of the program".to_owned());
        }
        let mut arguments = String::new();
        for (i, (ty, input)) in types.iter().zip(parameters).enumerate() {
            writeln!(self.main, "static {ty} parameter_{i}(void) {{ {} }}", give(ty, input.bits)).ok();
            if i > 0 {
                arguments.push_str(", ");
            }
            write!(arguments, "parameter_{i}()").ok();
        }
        let list = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        writeln!(
            self.main,
            "extern void {entry}({list});\nint main(void) {{ {entry}({arguments}); return 0; }}"
        )
        .ok();
        Ok(())
    }

    /// Functions that have no body, and need none.
    pub(super) fn add_silent(&mut self, names: Vec<String>) {
        self.silent.extend(names.into_iter().filter(|name| !self.functions.contains_key(name)));
    }

    /// In C. The folder is where the note is left.
    pub(super) fn text(&self, folder: &Path) -> String {
        let note = folder.join(NOTE).display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = format!("#define NOTE \"{note}\"\n{RUNTIME}");
        let names: Vec<&String> = self.functions.keys().collect();
        let number = |name: &String| names.binary_search(&name).unwrap_or_default();
        text.push_str("static const struct { int function; u64 low, high; } values[] = {\n");
        for (name, bits) in &self.values {
            writeln!(text, "  {{ {}, {}ull, {}ull }},", number(name), *bits as u64, (*bits >> 64) as u64)
                .ok();
        }
        text.push_str("  { -1, 0, 0 } };\n");
        text.push_str(NEXT);
        for (name, ty) in &self.functions {
            writeln!(
                text,
                "{ty} {name}() {{ u64 low, high; next({}, &low, &high); {} }}",
                number(name),
                convert(ty)
            )
            .ok();
        }
        for name in self.silent.iter().filter(|name| !PROVIDED.contains(&name.as_str())) {
            writeln!(text, "long long {name}() {{ return 0; }}").ok();
        }
        text.push_str(&self.main);
        text
    }
}

/// The inputs that calls and parameters give; whether anything else is read.
struct Determined {
    values: VecDeque<u128>,
    reads_unwritten: bool,
}

impl Inputs for Determined {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(HavocOrigin::Input | HavocOrigin::Undefined(_)) | Why::Parameter(_) => {
                self.values.pop_front()
            }
            Why::Declared(_) => None,
            Why::Havoc(_) | Why::Unwritten => {
                self.reads_unwritten = true;
                Some(0)
            }
        }
    }
}

/// Whether calls and parameters alone lead to the violation.
fn is_determined(program: &Program, violation: &Violation) -> bool {
    let given = violation.inputs.iter().filter(|input| input.origin != InputOrigin::Indeterminate);
    let mut inputs = Determined { values: given.map(|input| input.bits).collect(), reads_unwritten: false };
    let run = interp::run(program, &mut inputs, &interp::Options::default(), &mut interp::Unobserved);
    run.outcome == interp::Outcome::Error(violation.check) && !inputs.reads_unwritten
}

const POINTER: &str = "void *";

/// The result of a function, as it is declared.
fn result(program: &Program, f: FnId) -> TypeId {
    program.functions[f].sig(&program.types).ret
}

/// The function of a call, if it gives an input.
fn called(text: &str) -> Option<String> {
    let rest = &text[text.find(NONDET)?..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

/// A type of C that is passed in the same way; `None` if its values are no bit patterns of ours.
fn spelling(program: &Program, ty: TypeId) -> Option<&'static str> {
    if let Some(int) = program.types.int_type(ty) {
        let kind = match program.types[ty] {
            Type::Int(kind) => kind,
            // An enumeration.
            _ if int.bits == 32 => IntKind::UInt,
            _ => return None,
        };
        // No function is given or gives a bit-field.
        return (!matches!(kind, IntKind::Field { .. })).then(|| kind.name());
    }
    match program.types[ty] {
        Type::Float(FloatKind::Float) => Some("float"),
        Type::Float(FloatKind::Double) => Some("double"),
        Type::Pointer(_) => Some(POINTER),
        _ => None,
    }
}

/// Statements that return a value of a type.
fn give(ty: &str, bits: u128) -> String {
    format!("u64 low = {}ull, high = {}ull; {}", bits as u64, (bits >> 64) as u64, convert(ty))
}

fn convert(ty: &str) -> String {
    match ty {
        "float" => "unsigned word = low; float f; memcpy(&f, &word, sizeof f); return f;".to_owned(),
        "double" => "double d; memcpy(&d, &low, sizeof d); return d;".to_owned(),
        "__int128" | "unsigned __int128" => "return (unsigned __int128)high << 64 | low;".to_owned(),
        POINTER => "return (void *)0;".to_owned(),
        _ => format!("return ({ty})low;"),
    }
}

/// What the runtime defines.
const PROVIDED: [&str; 8] = [
    "reach_error",
    "__VERIFIER_error",
    "__VERIFIER_assert",
    "assert",
    "__VERIFIER_assume",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__assert_fail",
];

/// The verifier's functions, for programs that do not define them. A note says how the run ended.
const RUNTIME: &str = r#"
typedef unsigned long long u64;
extern int open(const char *, int, ...), snprintf(char *, unsigned long, const char *, ...);
extern long write(int, const void *, unsigned long);
extern void _exit(int), *memcpy(void *, const void *, unsigned long);
extern unsigned long strlen(const char *);
static void end(const char *note) {
  int file = open(NOTE, 01101, 0600);
  if (file >= 0 && write(file, note, strlen(note)) < 0) _exit(1);
  _exit(0);
}
#define WEAK __attribute__((weak))
WEAK void reach_error(void) { end("error reach_error"); }
WEAK void __VERIFIER_error(void) { end("error __VERIFIER_error"); }
WEAK void __VERIFIER_assert(int holds) { if (!holds) end("error __VERIFIER_assert"); }
WEAK void assert(int holds) { if (!holds) end("error assert"); }
WEAK void __VERIFIER_assume(int holds) { if (!holds) end("assumption"); }
WEAK void __VERIFIER_atomic_begin(void) { }
WEAK void __VERIFIER_atomic_end(void) { }
WEAK void __assert_fail(const char *claim, const char *file, unsigned line, const char *function) {
  char note[4200];
  snprintf(note, sizeof note, "assertion %u %.4000s", line, claim);
  end(note);
}
"#;

const NEXT: &str = "\
static unsigned asked;
static void next(int function, u64 *low, u64 *high) {
  if (asked + 1 >= sizeof values / sizeof *values) end(\"more inputs\");
  if (values[asked].function != function) end(\"other inputs\");
  *low = values[asked].low, *high = values[asked].high;
  asked++;
}
";
