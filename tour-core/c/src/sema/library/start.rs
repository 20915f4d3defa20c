//! What `main` is called with: `argc` is not negative, `argv` has that number of texts and a null pointer behind them, and the
//! environment ends with one too.
//!
//! The first few texts are objects of their own, of any length. What the pointers behind them are is not said: a proof
//! holds whatever they are, and no violation is shown with that number of arguments.
//!
//! ```text
//!     [argc >= 0]   argv = object((argc + 1) · 8)   [argc > 0] argv[0] = text   …   argv[argc] = 0
//! ```

use super::builder::Builder;
use crate::sema::outside;
use tour_ir::cfa::LocKind;
use tour_ir::program::{
    BinOp, Body, Call, Callee, ExprId, FnId, HavocOrigin, IntKind, Op, PlaceId, Program, Type, TypeId,
    Unsupported, VarId,
};

/// How many arguments, and variables of the environment, are texts of their own.
const TEXTS: u64 = 3;

/// The most variables of an environment: what is read of it is a choice, not a bound.
const MAX_VARIABLES: i128 = 1 << 20;

/// Lets the parameters of `main` be what a C program is started with; `is_used` says which variables are.
pub(in crate::sema) fn start(program: &mut Program, is_used: impl Fn(VarId) -> bool) {
    let main = program.entry;
    let params = program.functions[main].params.clone();
    let Some(body) = program.functions[main].body else { return };
    if program.functions[main].name != "main" || !are_usual(program, &params) {
        return;
    }
    let used: Vec<bool> = params.iter().map(|var| is_used(*var)).collect();
    if !used.contains(&true) {
        return;
    }
    let span = program.functions[main].span;
    let entry = program.cfa.add_loc(main, LocKind::Entry);
    program.cfa.locs[body.entry].kind = LocKind::Plain;
    program.functions[main].body = Some(Body { entry, ..body });
    let called = program.cfa.edges.iter().any(
        |edge| matches!(&edge.op, Op::Call(Call { callee: Callee::Direct(callee), .. }) if *callee == main),
    );
    let mut builder = Builder::new(program, main, span, HavocOrigin::Input, entry);
    if called {
        let message = "`main` has parameters and is called by the program, which is not modelled".to_owned();
        builder.step(Op::Unsupported(Box::new(Unsupported { kind: "entry", message })));
    }
    builder.main(&params, &used);
    builder.join(body.entry);
}

/// `int`, then pointers to pointers to characters.
fn are_usual(program: &Program, params: &[VarId]) -> bool {
    let ty = |var: &VarId| program.vars[*var].ty.ty;
    let texts = |var: &VarId| {
        let to = |ty: TypeId| program.types.pointee(ty).map(|to| to.ty);
        let character = to(ty(var)).and_then(to).and_then(|ty| program.types.int_type(ty));
        character.is_some_and(|int| int.bits == 8)
    };
    match params {
        [argc, rest @ ..] => {
            program.types[ty(argc)] == Type::Int(IntKind::Int) && rest.len() <= 2 && rest.iter().all(texts)
        }
        [] => false,
    }
}

impl Builder<'_> {
    fn main(&mut self, params: &[VarId], used: &[bool]) {
        let [argc, ..] = params else { return };
        let argc = self.program.load_var(*argc, self.span);
        let zero = self.program.int(0, self.program.exprs[argc].ty, self.span);
        let enough = self.compare(BinOp::Ge, argc, zero);
        self.step(Op::Assume { cond: enough, truth: true });
        if let (Some(argv), Some(true)) = (params.get(1), used.get(1)) {
            let object = outside::object(self.program, self.span);
            self.array_of_texts(*argv, argc, object);
        }
        if let (Some(envp), Some(true)) = (params.get(2), used.get(2)) {
            let int = self.program.types.int(IntKind::Int);
            let count = self.within(int, 0, MAX_VARIABLES);
            // What `getenv` gives may be one of them.
            let object = outside::input_object(self.program, self.span);
            self.array_of_texts(*envp, count, object);
        }
    }

    /// Lets a variable point to a number of texts and a null pointer.
    fn array_of_texts(&mut self, array: VarId, count: ExprId, object: FnId) {
        let span = self.span;
        let (ty, size_type) = (self.program.vars[array].ty.ty, self.program.types.size_t());
        let text_type = self.program.types.pointee(ty).map_or(ty, |to| to.ty);
        let each = self.program.types.object_size(text_type).unwrap_or(1);
        let whole = outside::object(self.program, span);
        let [each, one] = [each, 1].map(|n| self.program.int(n.into(), size_type, span));
        let size = self.program.cast(count, size_type, span);
        let size = self.program.binary(BinOp::Add, size, one, size_type, span);
        let size = self.program.binary(BinOp::Mul, size, each, size_type, span);
        let place = self.program.var_place(array, span);
        self.step(Op::Call(Call { callee: Callee::Direct(whole), args: vec![size], dest: Some(place) }));
        let array = self.program.load(place, span);
        for index in 0..=TEXTS {
            let number = self.program.int(index.into(), self.program.exprs[count].ty, span);
            let more = self.compare(BinOp::Gt, count, number);
            let after = self.branch(more);
            if index < TEXTS {
                let text = self.text(text_type, object);
                let element = self.behind(array, index);
                self.step(Op::Assign(element, text));
            } else {
                let bool_type = self.program.types.int(IntKind::Bool);
                let origin = std::mem::replace(&mut self.origin, HavocOrigin::Uncomputed);
                self.any(bool_type);
                self.origin = origin;
            }
            self.join(after);
        }
        let end = self.element(array, count);
        let null = self.program.int(0, text_type, span);
        self.step(Op::Assign(end, null));
    }

    /// `array[index]`
    fn element(&mut self, array: ExprId, index: ExprId) -> PlaceId {
        let (ty, ptrdiff) = (self.program.exprs[array].ty, self.program.types.ptrdiff_t());
        let index = self.program.cast(index, ptrdiff, self.span);
        let at = self.program.binary(BinOp::PtrAdd, array, index, ty, self.span);
        self.behind(at, 0)
    }
}
