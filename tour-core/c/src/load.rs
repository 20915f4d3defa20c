//! From files to a program, in one call.

use crate::front::{FrontOptions, Input, accepts, parse_units};
use crate::sema::{LowerOptions, Stub, lower};
use tour_ir::cfa::LocKind;
use tour_ir::program::{DataModel, Function, Op, Program, Unsupported};
use tour_ir::source::{Diagnostic, Severity, SourceMap, Span, UnitId};

/// How a program is read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// How its files are preprocessed and parsed.
    pub front: FrontOptions,
    /// How one program is made of them.
    pub lower: LowerOptions,
}

impl LoadOptions {
    /// The compiler `cc`, the entry `main`, and functions without a body that return any value.
    pub fn new(model: DataModel) -> LoadOptions {
        LoadOptions {
            front: FrontOptions::new(model),
            lower: LowerOptions { model, ..LowerOptions::default() },
        }
    }

    /// Says what a function without a body does.
    pub fn stub(mut self, stub: Stub) -> LoadOptions {
        self.lower.stubs.push(stub);
        self
    }

    /// Lets `malloc`, `calloc` and `realloc` fail.
    pub fn malloc_may_fail(mut self) -> LoadOptions {
        self.lower.malloc_may_fail = true;
        self
    }

    /// Starts at another function.
    pub fn entry(mut self, name: &str) -> LoadOptions {
        self.front.entries = vec![name.to_owned()];
        self.lower.entry = name.to_owned();
        self
    }
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub struct FrontError {
    /// What is wrong; at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they speak of.
    pub sources: SourceMap,
}

impl std::fmt::Display for FrontError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            if let Some(label) = diagnostic.labels.first() {
                write!(f, "{}: ", self.sources.display(label.span))?;
            }
            write!(f, "{}", diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for FrontError {}

/// Reads a program.
pub fn load(inputs: &[Input], options: &LoadOptions) -> Result<Program, FrontError> {
    load_with_notes(inputs, options).map(|(program, _)| program)
}

/// Reads a program; with it come warnings and notes about how it was read.
pub fn load_with_notes(
    inputs: &[Input],
    options: &LoadOptions,
) -> Result<(Program, Vec<Diagnostic>), FrontError> {
    let mut sources = SourceMap::default();
    let units = match parse_units(inputs, &options.front, &mut sources) {
        Ok(units) => units,
        Err(diagnostics) => return unread(inputs, options, FrontError { diagnostics, sources }),
    };
    // The texts are shared, so that this copy costs little.
    lower(&units, sources.clone(), &options.lower)
        .or_else(|diagnostics| unread(inputs, options, FrontError { diagnostics, sources }))
}

/// What we take for wrong and the compiler takes for C is not modelled: a program that does nothing else. With one file,
/// no other one can contradict it.
fn unread(
    inputs: &[Input],
    options: &LoadOptions,
    error: FrontError,
) -> Result<(Program, Vec<Diagnostic>), FrontError> {
    let of_the_text = |diagnostic: &Diagnostic| match diagnostic.code {
        "tour::parse" | "tour::semantics" => true,
        "tour::link" => inputs.len() == 1,
        _ => false,
    };
    let errors = || error.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let (Some(first), true) = (errors().next(), errors().all(of_the_text)) else { return Err(error) };
    if !accepts(inputs, &options.front) {
        return Err(error);
    }
    let span = first.labels.first().map(|label| label.span);
    let message = format!("the compiler takes this for C, and we do not: {}", first.message);
    let what = Unsupported { kind: "syntax", message };
    let span = span.unwrap_or(Span { unit: UnitId::new(0), start: 0, end: 0 });
    let mut program = only_unsupported(&options.lower, what, span);
    program.sources = error.sources;
    Ok((program, Vec::new()))
}

/// A program whose entry does something that is not modelled.
fn only_unsupported(options: &LowerOptions, what: Unsupported, span: Span) -> Program {
    let mut program = Program::new(options.model);
    let ret = program.types.void();
    let ty = program.types.function(ret, Vec::new());
    let entry = program.functions.push(Function::new(options.entry.clone(), ty, span));
    let body = program.add_body(entry);
    let middle = program.cfa.add_loc(entry, LocKind::Plain);
    program.cfa.add_edge(body.entry, middle, Op::Unsupported(Box::new(what)), span);
    program.cfa.add_edge(middle, body.exit, Op::Return(None), span);
    program.entry = entry;
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str) -> Result<Program, FrontError> {
        load(&[Input::text("a.i", text)], &LoadOptions::new(DataModel::Lp64))
    }

    #[test]
    fn a_type_that_nothing_infers_is_not_guessed() {
        let program = load_text("__auto_type x = 5L; int main(void) { return x == 5; }").expect("it is C");
        assert!(program.cfa.edges.iter().any(|edge| matches!(edge.op, Op::Unsupported(_))));
    }

    /// What only the compiler understands is unknown, not wrong.
    #[test]
    fn the_compiler_decides_what_c_is() {
        let check = |text: &str| {
            let program = load_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(program.cfa.edges.iter().any(|edge| matches!(edge.op, Op::Unsupported(_))), "{text}");
        };
        check("int main(void) { static const int d[] = { &&x - &&y }; x: y: return d[0]; }");
        check("int main(void) { int x = 1; x: return __builtin_has_attribute(x, packed); }");
    }

    #[test]
    fn errors_are_reported_at_the_users_line() {
        let check = |text: &str, want: &str| {
            assert_eq!(load_text(text).expect_err("an error").to_string(), want, "{text}");
        };
        check("int main(void) {\n  return y;\n}", "a.i:2:10: `y` is not declared");
        check("int main(void) { goto x; }", "a.i:1:23: there is no label `x` in this function");
        check(
            "struct s { int a; }; int main(void) { struct s t; return t.b; }",
            "a.i:1:58: `struct s` has no member `b`",
        );
        check("int f(void);", "there is no function `main` to start with");
        check(
            "int main(void) { break; x = 1; 5 = 4; }",
            "a.i:1:18: `break` outside of a loop or `switch`\n\
             a.i:1:25: `x` is not declared\n\
             a.i:1:32: this is not an lvalue",
        );
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let check = |text: String| {
            let program = load_text(&text).unwrap_or_else(|error| panic!("{error}"));
            assert!(program.cfa.edges.len() < 200_000);
        };
        let n = 10_000;
        check(format!("int main(void) {{ int x = {}1{}; return x; }}", "(".repeat(n), ")".repeat(n)));
        check(format!("int main(void) {{ int x = 1; return {}x{}; }}", "-(".repeat(n), ")".repeat(n)));
        check(format!("int main(void) {{ int x = 1; {}x++;{} return x; }}", "{".repeat(n), "}".repeat(n)));
        check(format!("int main(void) {{ int x = 1; return x{}; }}", " + x".repeat(n)));
        check(format!("int main(void) {{ int x = 1; return x{}; }}", " && x".repeat(n)));
        check(format!("int main(void) {{ int x = 1; return {}x{}; }}", "x ? (".repeat(n), ") : 0".repeat(n)));
    }
}
