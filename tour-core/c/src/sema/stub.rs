//! Stubs: what the user says that a function does, one without a body or one whose body is not modelled. Each is an
//! assumption of the result.

use serde::{Deserialize, Serialize};
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{
    Assumption, BinOp, Body, ExprId, ExprKind, FnId, Function, HavocOrigin, IntKind, Op, Place, PlaceId,
    PlaceKind, Program, Type, TypeId, VarId,
};
use tour_ir::source::is_library;
use tour_ir::source::{Diagnostic, Span};

/// More elements than this are not written one by one.
const MAX_ELEMENTS: u64 = 4096;

/// What a function does, whatever its body says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// Its name.
    pub function: String,
    /// What it returns.
    pub returns: Returns,
    /// What it may write, any value each: `*arg0` (what the first argument points to), `arg0[16]` (this number of elements, or
    /// bytes of a `void *`), or the name of a global variable. Nothing is written through a null pointer.
    pub writes: Vec<String>,
}

/// What a stub returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Returns {
    /// Any value.
    Nondet,
    /// This number; zero is also the null pointer.
    Value(i128),
}

/// Where a stub writes to.
enum Target {
    /// `*argN` and `argN[count]`
    Argument(usize, Option<u64>),
    Global(VarId),
}

/// Gives the functions their bodies.
pub(super) fn give_bodies(program: &mut Program, stubs: &[Stub]) -> Result<(), Diagnostic> {
    for stub in stubs {
        // A stub may stand for a function that this program does not use, or for one that several files define for
        // themselves.
        let stands_for = |function: &Function| {
            function.name == stub.function && !is_library(&program.sources.unit(function.span.unit).path)
        };
        let with_name: Vec<FnId> =
            program.functions.indices().filter(|f| stands_for(&program.functions[*f])).collect();
        for f in with_name {
            let span = program.functions[f].span;
            let targets = targets(program, f, stub).map_err(|what| {
                Diagnostic::error("tour::stub", format!("the stub of `{}` {what}", stub.function))
                    .label(span, "it is declared here")
                    .help("`writes` takes `*arg0`, `arg0[16]`, or the name of a global variable")
            })?;
            let replaced = program.functions[f].body.is_some();
            if replaced {
                forget_body(program, f);
            }
            Builder { program, f, span }.build(stub.returns, &targets);
            let text = describe(stub, replaced);
            program.assumptions.push(Assumption { text, span });
        }
    }
    Ok(())
}

/// Nothing happens in the body of a function any more.
fn forget_body(program: &mut Program, f: FnId) {
    for edge in &mut program.cfa.edges {
        if program.cfa.locs[edge.from].function == f {
            edge.op = Op::Nop;
        }
    }
}

fn describe(stub: &Stub, replaced: bool) -> String {
    let returns = match stub.returns {
        Returns::Nondet => "any value".to_owned(),
        Returns::Value(value) => value.to_string(),
    };
    let writes = match &stub.writes[..] {
        [] => "nothing".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    let instead = if replaced { ", whatever its body says" } else { "" };
    format!("`{}` has a stub: it returns {returns} and writes {writes}{instead}", stub.function)
}

fn targets(program: &Program, f: FnId, stub: &Stub) -> Result<Vec<Target>, String> {
    stub.writes.iter().map(|text| target(program, f, text.trim())).collect()
}

fn target(program: &Program, f: FnId, text: &str) -> Result<Target, String> {
    let unknown = || format!("writes `{text}`, which is neither an argument nor a global variable");
    let (argument, count) =
        match (text.strip_prefix('*'), text.strip_suffix(']').and_then(|t| t.split_once('['))) {
            (Some(argument), _) => (argument.trim(), None),
            (None, Some((argument, count))) => {
                let count = count.trim().parse().ok().filter(|count| *count <= MAX_ELEMENTS);
                (
                    argument.trim(),
                    Some(count.ok_or_else(|| format!("writes `{text}`, which is no number of elements"))?),
                )
            }
            (None, None) => {
                let globals = program.globals.iter().copied();
                let found = globals.into_iter().find(|var| program.vars[*var].name == text);
                return found.map(Target::Global).ok_or_else(unknown);
            }
        };
    let index: usize = argument.strip_prefix("arg").and_then(|n| n.parse().ok()).ok_or_else(unknown)?;
    let Some(&ty) = program.functions[f].sig(&program.types).params.get(index) else {
        return Err(format!("writes `{text}`, but the function has no such argument"));
    };
    match program.types.pointee(ty).map(|to| &program.types[to.ty]) {
        None | Some(Type::Function(_)) => {
            Err(format!("writes `{text}`, but that argument is no pointer to data"))
        }
        Some(Type::Void) if count.is_none() => Err(format!(
            "writes `{text}`, but how much a `void *` points to is not known: write `{argument}[…]`"
        )),
        Some(_) => Ok(Target::Argument(index, count)),
    }
}

/// A body under construction.
struct Builder<'a> {
    program: &'a mut Program,
    f: FnId,
    span: Span,
}

impl Builder<'_> {
    fn build(mut self, returns: Returns, targets: &[Target]) {
        let Body { entry, exit } = self.program.add_body(self.f);
        let Function { params, ret, .. } = self.program.functions[self.f].clone();
        for (i, param) in params.iter().enumerate() {
            self.program.vars[*param].name = format!("arg{i}");
        }
        let mut at = entry;
        for target in targets {
            at = match *target {
                Target::Global(var) => {
                    let place = self.program.var_place(var, self.span);
                    self.havoc(at, place)
                }
                Target::Argument(index, count) => self.write_through(at, params[index], count),
            };
        }
        let value = ret.map(|ret| {
            let ty = self.program.vars[ret].ty.ty;
            match returns {
                Returns::Value(value) if self.program.types.is_scalar(ty) => self.constant(value, ty),
                Returns::Value(_) | Returns::Nondet => {
                    let any = self.program.add_temp(self.f, "$1", ty, self.span);
                    let place = self.program.var_place(any, self.span);
                    at = self.havoc(at, place);
                    self.program.load(place, self.span)
                }
            }
        });
        self.program.cfa.add_edge(at, exit, Op::Return(value), self.span);
    }

    fn constant(&mut self, value: i128, ty: TypeId) -> ExprId {
        match self.program.types[ty] {
            Type::Float(_) => self.program.add_expr(ExprKind::Float(value as f64), ty, self.span),
            _ => self.program.int(value, ty, self.span),
        }
    }

    fn havoc(&mut self, from: LocId, place: PlaceId) -> LocId {
        let to = self.program.cfa.add_loc(self.f, LocKind::Plain);
        self.program.cfa.add_edge(from, to, Op::Havoc(place, HavocOrigin::Undefined(self.f)), self.span);
        to
    }

    /// Any values go to what a parameter points to, unless it is null.
    fn write_through(&mut self, from: LocId, param: VarId, count: Option<u64>) -> LocId {
        let span = self.span;
        let pointer = self.program.load_var(param, span);
        let ty = self.program.exprs[pointer].ty;
        let (null, int) = (self.program.int(0, ty, span), self.program.types.int(IntKind::Int));
        let cond = self.program.binary(BinOp::Ne, pointer, null, int, span);
        let [some, after] = [(); 2].map(|()| self.program.cfa.add_loc(self.f, LocKind::Plain));
        self.program.cfa.add_edge(from, some, Op::Assume { cond, truth: true }, span);
        self.program.cfa.add_edge(from, after, Op::Assume { cond, truth: false }, span);
        let to = self.program.types.pointee(ty).map_or(ty, |to| to.ty);
        let (element, base) = match self.program.types[to] {
            Type::Void => {
                let byte = self.program.types.int(IntKind::UChar);
                let bytes = self.program.types.pointer(byte);
                (byte, self.program.cast(pointer, bytes, span))
            }
            _ => (to, pointer),
        };
        let mut at = some;
        for index in 0..count.unwrap_or(1) {
            let ptrdiff = self.program.types.ptrdiff_t();
            let index = self.program.int(index.into(), ptrdiff, span);
            let base_ty = self.program.exprs[base].ty;
            let target = match count {
                Some(_) => self.program.binary(BinOp::PtrAdd, base, index, base_ty, span),
                None => base,
            };
            let place = self.program.places.push(Place { kind: PlaceKind::Deref(target), ty: element, span });
            at = self.havoc(at, place);
        }
        self.program.cfa.add_edge(at, after, Op::Nop, span);
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;
    use crate::front::Input;
    use tour_interp::interp::{Fixed, Options, Outcome, Unobserved, run};
    use tour_ir::program::DataModel;

    fn load(returns: Returns, writes: &[&str], body: &str) -> Result<Program, String> {
        let text = format!(
            "int state; int foo(int *out, void *bytes, int n); int main(void) {{ int x = 1; char b[4] = {{0}}; {body} }}"
        );
        let writes = writes.iter().map(|w| w.to_string()).collect();
        let stub = Stub { function: "foo".into(), returns, writes };
        let options = LoadOptions::new(DataModel::Lp64).stub(stub);
        crate::load(&[Input::text("a.c", text)], &options).map_err(|error| error.to_string())
    }

    #[test]
    fn a_stub_writes_and_returns_what_it_says() {
        let check = |returns, writes: &[&str], body: &str, inputs: &[u128], want: i128| {
            let program = load(returns, writes, body).expect("a program");
            let mut inputs = Fixed::new(inputs.iter().copied());
            let outcome = run(&program, &mut inputs, &Options::default(), &mut Unobserved).outcome;
            assert_eq!(outcome, Outcome::Exited(want), "{body}");
            assert!(program.assumptions.iter().any(|a| a.text.starts_with("`foo` has a stub")));
        };
        check(Returns::Value(-5), &[], "return foo(&x, b, 0) + x;", &[], -4);
        check(Returns::Nondet, &["*arg0"], "int r = foo(&x, b, 0); return r * 100 + x;", &[7, 2], 207);
        check(
            Returns::Value(0),
            &["arg1[2]", "state"],
            "foo(0, b, 0); return b[1] * 10 + state + b[2];",
            &[1, 2, 3],
            23,
        );
        check(Returns::Value(0), &["*arg0"], "int r = foo(0, b, 0); return r + x;", &[], 1);
    }

    #[test]
    fn a_stub_stands_for_a_body_that_is_not_modelled() {
        let text = "static int foo(int *out) { int x; __asm__(\"rdtsc\" : \"=a\"(x)); *out = x; return x; }
                    int main(void) { int y, x = foo(&y); return x * 10 + y; }";
        let stub = Stub { function: "foo".into(), returns: Returns::Value(4), writes: vec!["*arg0".into()] };
        let options = LoadOptions::new(DataModel::Lp64).stub(stub);
        let program = crate::load(&[Input::text("a.c", text)], &options).expect("a program");
        let outcome = run(&program, &mut Fixed::new([2]), &Options::default(), &mut Unobserved).outcome;
        assert_eq!(outcome, Outcome::Exited(42));
        let assumed = program.assumptions.iter().find(|a| a.text.starts_with("`foo` has a stub"));
        assert!(assumed.is_some_and(|a| a.text.ends_with("whatever its body says")));
        assert!(!program.cfa.edges.iter().any(|edge| matches!(edge.op, Op::Unsupported(_))));
    }

    #[test]
    fn what_a_stub_can_not_mean_is_reported() {
        let check = |writes: &str, want: &str| {
            let error = load(Returns::Nondet, &[writes], "return foo(&x, b, 0);").expect_err("an error");
            assert!(error.contains(want), "{error}");
        };
        check("*arg1", "write `arg1[…]`");
        check("*arg2", "no pointer to data");
        check("*arg9", "no such argument");
        check("nothing", "neither an argument nor a global variable");
        check("arg0[x]", "no number of elements");
    }
}
