//! Random C programs for differential tests.
//!
//! A program is a C function with its own types, variables and helpers, which folds what it computes into a checksum
//! and prints some of it. Programs have no undefined behaviour and depend on no order of evaluation that C leaves open:
//! every expression knows the range of its values, indices are reduced, pointers point to what lives longer than
//! they, and a full expression has at most one side effect on a variable that it mentions once.
//!
//! The same seed gives the same text.

mod calls;
mod decl;
mod expr;
mod faults;
mod heap;
mod place;
mod rng;
mod stmt;
mod types;

pub use calls::calls;
pub use faults::{FAULTS_PRELUDE, fault};
pub use heap::heap;
pub use rng::Rng;
pub use types::{Kind, Model};

use expr::Expr;
use types::{Record, Ty, Var};

/// How many statements a program runs, about.
pub(crate) const MAX_COST: u64 = 4000;

/// A function that computes a number from numbers and changes nothing.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    name: String,
    ret: Kind,
    params: Vec<Kind>,
    pure_: bool,
    cost: u64,
}

/// A function that changes variables, or takes more than numbers.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    name: String,
    ret: Option<Ty>,
    params: Vec<Ty>,
    cost: u64,
}

/// A program under construction.
pub(crate) struct Gen {
    rng: Rng,
    model: Model,
    prefix: String,
    out: String,
    indent: usize,
    names: usize,
    records: Vec<Record>,
    enums: Vec<Vec<i64>>,
    enum_constants: Vec<(String, i64)>,
    functions: Vec<Function>,
    procedures: Vec<Procedure>,
    /// Functions of the signature that function pointers have.
    signature: Vec<String>,
    /// Variables in scope, the outermost first.
    scope: Vec<Var>,
    /// Only constant expressions.
    constant: bool,
    /// Inside a function without effects.
    pure_: bool,
    /// A side effect that waits for its place in the current statement.
    effect: Option<Expr>,
    /// The variable that it changes.
    forbidden: Option<String>,
    /// How often the current statement runs.
    weight: u64,
    cost: u64,
    loops: usize,
}

/// What all programs of a file share: the checksum, and conversions that are guarded.
const PRELUDE: &str = "\
int printf(const char *, ...);
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
typedef unsigned char byte_t;
typedef short half_t;
typedef unsigned word_t;
typedef long long wide_t;
static unsigned long long sum;
static int verbose = VERBOSE;
static void mix(unsigned long long v) {
    sum = (sum ^ v) * 1099511628211ULL;
    sum ^= sum >> 29;
    if (verbose) printf(\"mix %llx\\n\", v);
}
static void mixd(double d) {
    unsigned long long bits = 0;
    if (d == d) memcpy(&bits, &d, sizeof d);
    mix(bits);
}
static void mix_list(const char *kinds, __builtin_va_list list) {
    for (; *kinds && *kinds != '/'; kinds++)
        switch (*kinds) {
        case 'i': mix(__builtin_va_arg(list, int)); break;
        case 'u': mix(__builtin_va_arg(list, unsigned)); break;
        case 'l': mix(__builtin_va_arg(list, long)); break;
        case 'm': mix(__builtin_va_arg(list, unsigned long)); break;
        case 'I': mix(__builtin_va_arg(list, long long)); break;
        case 'U': mix(__builtin_va_arg(list, unsigned long long)); break;
        default: mixd(__builtin_va_arg(list, double));
        }
}
static void mixv(const char *kinds, ...) {
    __builtin_va_list list, copy;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(copy, list);
    mix_list(kinds, list);
    mix_list(kinds, copy);
    __builtin_va_end(copy);
    __builtin_va_end(list);
}
static double no_nan(double d) { return d == d ? d : 0.0; }
static int to_int(double d) { return d > -2e9 && d < 2e9 ? (int)d : 0; }
static unsigned long long to_u64(double d) { return d >= 0.0 && d < 1.8e19 ? (unsigned long long)d : 1; }
";

/// What a 32-bit program needs at run time where there is no 32-bit C library: compile it with `-m32 -ffreestanding
/// -nostdlib -static`.
pub const RUNTIME_32: &str = include_str!("runtime32.c");

/// The seed of a file's program.
pub fn program_seed(file: u64, program: usize) -> u64 {
    Rng::new(file.wrapping_mul(0x1_0000_0001) ^ (program as u64) << 40).word()
}

/// A C file with the programs of these seeds; each prints its number and checksum. `verbose` ones print all that goes
/// into the checksum.
pub fn file(seeds: &[u64], model: Model, verbose: bool) -> String {
    let mut text = PRELUDE.replace("VERBOSE", if verbose { "1" } else { "0" });
    if model == Model::Ilp32 {
        text = text.replace("unsigned long)", "unsigned)");
    }
    let mut main = String::from("int main(void) {\n");
    for (i, &seed) in seeds.iter().enumerate() {
        text += &program(i, seed, model);
        main += &format!("    sum = 14695981039346656037ULL;\n    p{i}_program();\n");
        main += &format!("    printf(\"{i} %llx\\n\", sum);\n");
    }
    text + &main + "    return 0;\n}\n"
}

fn program(number: usize, seed: u64, model: Model) -> String {
    let mut g = Gen {
        rng: Rng::new(seed),
        model,
        prefix: format!("p{number}_"),
        out: String::new(),
        indent: 0,
        names: 0,
        records: Vec::new(),
        enums: Vec::new(),
        enum_constants: Vec::new(),
        functions: Vec::new(),
        procedures: Vec::new(),
        signature: Vec::new(),
        scope: Vec::new(),
        constant: false,
        pure_: false,
        effect: None,
        forbidden: None,
        weight: 1,
        cost: 0,
        loops: 0,
    };
    for _ in 0..1 + g.rng.below(2) {
        g.add_enum();
    }
    for _ in 0..1 + g.rng.below(3) {
        g.add_record();
    }
    g.add_globals();
    for _ in 0..2 {
        g.add_function(Some((Kind::Int, vec![Kind::Int, Kind::UInt])));
    }
    for _ in 0..g.rng.below(3) {
        g.add_function(None);
    }
    if g.rng.chance(60) {
        g.add_recursive();
    }
    for _ in 0..1 + g.rng.below(2) {
        g.add_procedure();
    }
    g.add_program();
    g.out
}

impl Gen {
    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A name that was not used before.
    pub(crate) fn fresh(&mut self, base: &str) -> String {
        self.names += 1;
        format!("{base}{}", self.names)
    }

    /// The name of a function that a function pointer can point to.
    pub(crate) fn signature_function(&mut self) -> String {
        self.rng.pick(&self.signature).clone()
    }

    /// Adds a function without effects, of the given or any signature.
    fn add_function(&mut self, signature: Option<(Kind, Vec<Kind>)>) {
        let name = format!("{}f{}", self.prefix, self.functions.len());
        let is_signature = signature.is_some();
        let (ret, params) = signature.unwrap_or_else(|| {
            let n = 1 + self.rng.below(3);
            (self.kind(), (0..n).map(|_| self.kind()).collect())
        });
        let globals = self.begin_function(
            &name,
            &format!("static {}", ret.name()),
            &params.iter().map(|k| Ty::Int(*k)).collect::<Vec<_>>(),
        );
        self.pure_ = true;
        self.body(1);
        self.pure_ = false;
        let e = self.expr(3);
        self.line(&format!("return {};", e.text));
        let cost = self.end_function(globals);
        if is_signature {
            self.signature.push(name.clone());
        }
        self.functions.push(Function { name, ret, params, pure_: true, cost });
    }

    /// Adds a recursive function; its first parameter bounds the depth.
    fn add_recursive(&mut self) {
        let name = format!("{}r", self.prefix);
        let kind = self.kind();
        let params = [Ty::Int(Kind::UInt), Ty::Int(kind)];
        let globals = self.begin_function(&name, &format!("static {}", kind.name()), &params);
        let (n, acc) = (self.scope[globals].name.clone(), self.scope[globals + 1].name.clone());
        self.scope[globals].writable = false;
        self.pure_ = true;
        self.line(&format!("{n} %= 7u;"));
        self.line(&format!("if ({n} == 0) return {acc};"));
        self.body(1);
        self.pure_ = false;
        let (e, f) = (self.expr(2), self.expr(2));
        let second = if self.rng.chance(30) {
            format!(" ^ {name}({n} / 2, {})", self.wrap(&f, expr::OPERAND))
        } else {
            String::new()
        };
        let first = self.wrap(&e, expr::OPERAND);
        self.line(&format!("return {name}({n} - 1, {first}){second};"));
        let cost = 20 * self.end_function(globals);
        self.functions.push(Function { name, ret: kind, params: vec![Kind::UInt, kind], pure_: true, cost });
    }

    /// Adds a function with effects.
    fn add_procedure(&mut self) {
        let name = format!("{}proc{}", self.prefix, self.procedures.len());
        let ret = match self.rng.below(4) {
            0 => None,
            1 => Some(Ty::Record(self.rng.below(self.records.len()))),
            _ => Some(Ty::Int(self.kind())),
        };
        let params: Vec<_> = (0..self.rng.below(4))
            .map(|_| match self.rng.below(6) {
                0 => Ty::Pointer(std::rc::Rc::new(Ty::Int(Kind::Int))),
                1 => Ty::Record(self.rng.below(self.records.len())),
                2 => self.rng.pick(&[Ty::Float, Ty::Double]).clone(),
                3 => Ty::Function,
                _ => Ty::Int(self.kind()),
            })
            .collect();
        let ret_text = match &ret {
            Some(ty) => self.declare(ty, ""),
            None => "void".into(),
        };
        let globals = self.begin_function(&name, &format!("static {}", ret_text.trim()), &params);
        self.body(2);
        match &ret {
            None => {}
            Some(Ty::Record(n)) => {
                let same: Vec<_> =
                    self.scope.iter().filter(|v| v.ty == Ty::Record(*n)).map(|v| v.name.clone()).collect();
                if same.is_empty() {
                    let text = self.declare(&Ty::Record(*n), "");
                    let value = self.initialiser(&Ty::Record(*n), false);
                    self.line(&format!("return ({}){value};", text.trim()));
                } else {
                    let name = self.rng.pick(&same).clone();
                    self.line(&format!("return {name};"));
                }
            }
            Some(_) => {
                let e = self.expr(3);
                self.line(&format!("return {};", e.text));
            }
        }
        let cost = self.end_function(globals);
        self.procedures.push(Procedure { name, ret, params, cost });
    }

    fn add_program(&mut self) {
        let name = format!("{}program", self.prefix);
        let globals = self.begin_function(&name, "static void", &[]);
        self.body(3);
        self.body(2);
        for var in self.scope.clone() {
            let mut left = 4;
            self.mix_all(&var.name, &var.ty, &mut left);
        }
        self.end_function(globals);
    }

    /// Folds all scalars of a variable into the checksum, up to a number of them.
    fn mix_all(&mut self, text: &str, ty: &Ty, left: &mut usize) {
        if *left == 0 {
            return;
        }
        match ty {
            Ty::Int(_) | Ty::Enum(_) => {
                *left -= 1;
                self.line(&format!("mix({text});"));
            }
            Ty::Float | Ty::Double => {
                *left -= 1;
                self.line(&format!("mixd({text});"));
            }
            Ty::Pointer(to) => self.mix_all(&format!("(*{text})"), to, left),
            Ty::Function => self.line(&format!("mix({text}(1, 2));")),
            Ty::Array(of, n) => {
                for i in 0..*n {
                    self.mix_all(&format!("{text}[{i}]"), of, left);
                }
            }
            Ty::Record(n) => {
                for field in self.records[*n].fields.clone() {
                    self.mix_all(&format!("{text}.{}", field.name), &field.ty, left);
                }
            }
        }
    }

    /// Opens a function; its parameters are in scope. Gives the number of variables in scope before them.
    fn begin_function(&mut self, name: &str, ret: &str, params: &[Ty]) -> usize {
        let globals = self.scope.len();
        let mut texts = Vec::new();
        for ty in params {
            let param = self.fresh("a");
            texts.push(self.declare(ty, &param));
            let simple = ty.is_scalar() && self.rng.chance(60);
            self.scope.push(Var { name: param, ty: ty.clone(), global: false, writable: true, simple });
        }
        let params = if texts.is_empty() { "void".into() } else { texts.join(", ") };
        self.line(&format!("{ret} {name}({params}) {{"));
        self.indent += 1;
        self.cost = 1;
        self.weight = 1;
        globals
    }

    fn end_function(&mut self, globals: usize) -> u64 {
        self.scope.truncate(globals);
        self.indent -= 1;
        self.line("}");
        self.cost
    }

    /// Variables and statements.
    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(2) {
            self.add_local();
        }
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let seeds = [program_seed(1, 0), program_seed(1, 1)];
        assert_eq!(file(&seeds, Model::Lp64, false), file(&seeds, Model::Lp64, false));
        assert_ne!(file(&seeds[..1], Model::Lp64, false), file(&seeds[1..], Model::Lp64, false));
    }
}
