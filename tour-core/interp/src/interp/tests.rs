//! Hand-made programs: what each kind of edge does, and how runs end. Whole C programs are compared with the compiler
//! in `tests/differential.rs`.

use super::*;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::*;
use tour_ir::source::{Span, UnitId};

/// Builds one function after another, edge by edge.
struct Builder {
    p: Program,
    f: FnId,
    at: LocId,
    span: Span,
    int: TypeId,
}

impl Builder {
    fn new() -> Builder {
        let mut p = Program::new(DataModel::Lp64);
        let int = p.types.int(IntKind::Int);
        let span = Span::new(UnitId::new(0), 0, 0);
        let mut b = Builder { p, f: FnId::new(0), at: LocId::new(0), span, int };
        b.function("main", Some(int), 0);
        b
    }

    /// Begins a function with a body.
    fn function(&mut self, name: &str, ret: Option<TypeId>, params: usize) -> Vec<VarId> {
        let void = self.p.types.void();
        let ty = self.p.types.function(ret.unwrap_or(void), vec![self.int; params]);
        self.f = self
            .p
            .functions
            .push(Function { builtin: Builtin::from_name(name), ..Function::new(name, ty, self.span) });
        let entry = self.p.cfa.add_loc(self.f, LocKind::Entry);
        let exit = self.p.cfa.add_loc(self.f, LocKind::Exit);
        if self.p.functions[self.f].builtin.is_none() {
            self.p.functions[self.f].body = Some(Body { entry, exit });
        }
        self.at = entry;
        let vars: Vec<_> =
            (0..params).map(|i| self.var(&format!("p{i}"), self.int, Storage::Param(self.f))).collect();
        let ret = ret.map(|ty| self.var("return", ty, Storage::Return(self.f)));
        self.p.functions[self.f].params = vars.clone();
        self.p.functions[self.f].ret = ret;
        vars
    }

    fn var(&mut self, name: &str, ty: TypeId, storage: Storage) -> VarId {
        let var = self.p.vars.push(Var::new(name, ty, storage, self.span));
        if self.p.vars[var].is_static() {
            self.p.globals.push(var);
        }
        var
    }

    fn local(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.var(name, ty, Storage::Local(self.f));
        self.edge(Op::Declare(var));
        var
    }

    fn loc(&mut self) -> LocId {
        self.p.cfa.add_loc(self.f, LocKind::Plain)
    }

    fn edge_to(&mut self, op: Op, to: LocId) {
        self.p.cfa.add_edge(self.at, to, op, self.span);
        self.at = to;
    }

    fn edge(&mut self, op: Op) {
        let to = self.loc();
        self.edge_to(op, to);
    }

    fn num(&mut self, value: i128) -> ExprId {
        self.p.int(value, self.int, self.span)
    }

    fn get(&mut self, var: VarId) -> ExprId {
        self.p.load_var(var, self.span)
    }

    fn place(&mut self, var: VarId) -> PlaceId {
        self.p.var_place(var, self.span)
    }

    fn add_place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        self.p.places.push(Place { kind, ty, span: self.span })
    }

    fn address(&mut self, place: PlaceId) -> ExprId {
        let ty = self.p.places[place].ty;
        let pointer = self.p.types.pointer(ty);
        self.p.add_expr(ExprKind::AddrOf(place), pointer, self.span)
    }

    fn deref(&mut self, pointer: VarId) -> PlaceId {
        let value = self.get(pointer);
        let to = self.p.types.pointee(self.p.vars[pointer].ty.ty).unwrap().ty;
        self.add_place(PlaceKind::Deref(value), to)
    }

    fn op(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = if op.is_comparison() { self.int } else { self.p.exprs[a].ty };
        self.p.binary(op, a, b, ty, self.span)
    }

    fn set(&mut self, var: VarId, value: ExprId) {
        let place = self.place(var);
        self.edge(Op::Assign(place, value));
    }

    fn call(&mut self, callee: FnId, args: Vec<ExprId>, dest: Option<VarId>) {
        let dest = dest.map(|var| self.place(var));
        self.edge(Op::Call(Call { callee: Callee::Direct(callee), args, dest }));
    }

    fn ret(&mut self, value: ExprId) {
        let exit = self.p.functions[self.f].body.unwrap().exit;
        self.edge_to(Op::Return(Some(value)), exit);
    }

    fn ret_void(&mut self) {
        let exit = self.p.functions[self.f].body.unwrap().exit;
        self.edge_to(Op::Return(None), exit);
    }

    fn report(&self) -> Options {
        Options {
            overflow: Overflow::Report,
            uninitialised: Uninitialised::Report,
            max_steps: 1000,
            max_depth: 50,
            ..Options::default()
        }
    }

    fn run(&self) -> Outcome {
        run(&self.p, &mut Zeros, &self.report(), &mut Unobserved).outcome
    }

    fn undefined(&self) -> Undefined {
        match self.run() {
            Outcome::Undefined { kind, .. } => kind,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_loop_runs_until_its_condition_fails() {
    let mut b = Builder::new();
    let (i, sum) = (b.local("i", b.int), b.local("sum", b.int));
    let zero = b.num(0);
    b.set(i, zero);
    b.set(sum, zero);
    let head = b.at;
    let (value, ten) = (b.get(i), b.num(10));
    let cond = b.op(BinOp::Lt, value, ten);
    b.edge(Op::Assume { cond, truth: true });
    let (s, one) = (b.get(sum), b.num(1));
    let s = b.op(BinOp::Add, s, value);
    b.set(sum, s);
    let place = b.place(i);
    let next = b.op(BinOp::Add, value, one);
    b.edge_to(Op::Assign(place, next), head);
    b.edge(Op::Assume { cond, truth: false });
    let s = b.get(sum);
    b.ret(s);
    assert_eq!(b.run(), Outcome::Exited(45));
}

#[test]
fn inputs_decide_whether_the_error_is_reached() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    let place = b.place(x);
    b.edge(Op::Havoc(place, HavocOrigin::Input));
    let (value, seven) = (b.get(x), b.num(7));
    let cond = b.op(BinOp::Eq, value, seven);
    let branch = b.at;
    let error = b.loc();
    let check =
        b.p.checks.push(Check { rule: Rule::UnreachCall, loc: error, message: "error".into(), span: b.span });
    b.p.cfa.locs[error].kind = LocKind::Error(check);
    b.edge_to(Op::Assume { cond, truth: true }, error);
    b.at = branch;
    let small = b.op(BinOp::Lt, value, seven);
    b.edge(Op::Assume { cond: small, truth: true });
    b.ret(value);
    let go = |input: i128| {
        let mut trace = Trace::default();
        let run = run(&b.p, &mut Fixed::new([input as u128]), &Options::default(), &mut trace);
        (run.outcome, trace.steps.len())
    };
    assert_eq!(go(7), (Outcome::Error(check), 3));
    assert_eq!(go(-3), (Outcome::Exited(-3), 4));
    assert!(matches!(go(8).0, Outcome::AssumeFailed(_)));
    let run = run(&b.p, &mut Fixed::default(), &Options::default(), &mut Unobserved);
    assert!(matches!(run.outcome, Outcome::OutOfInputs { edge: Some(_) }));
}

#[test]
fn recursion_has_its_own_stack_and_bound() {
    let factorial_of = |n: i128| {
        let mut b = Builder::new();
        let r = b.local("r", b.int);
        let arg = b.num(n);
        let (main, main_at) = (b.f, b.at);
        let int = b.int;
        let params = b.function("factorial", Some(int), 1);
        let factorial = b.f;
        let rest = b.local("rest", int);
        let (value, one) = (b.get(params[0]), b.num(1));
        let cond = b.op(BinOp::Le, value, one);
        let branch = b.at;
        b.edge(Op::Assume { cond, truth: true });
        b.ret(one);
        b.at = branch;
        b.edge(Op::Assume { cond, truth: false });
        let less = b.op(BinOp::Sub, value, one);
        b.call(factorial, vec![less], Some(rest));
        let rest = b.get(rest);
        let product = b.op(BinOp::Mul, value, rest);
        b.ret(product);
        (b.f, b.at) = (main, main_at);
        b.call(factorial, vec![arg], Some(r));
        let r = b.get(r);
        b.ret(r);
        b.run()
    };
    assert_eq!(factorial_of(5), Outcome::Exited(120));
    assert!(matches!(factorial_of(13), Outcome::Undefined { kind: Undefined::SignedOverflow, .. }));
    assert_eq!(factorial_of(100), Outcome::Limit(Limit::Depth));
}

#[test]
fn pointers_reach_locals_while_they_live() {
    // int g() sets *p through a global pointer to a local of main, then makes it point to its own local.
    let mut b = Builder::new();
    let pointer = b.p.types.pointer(b.int);
    let global = b.var("global", pointer, Storage::Static);
    let x = b.local("x", b.int);
    let place = b.place(x);
    let address = b.address(place);
    b.set(global, address);
    let (main, main_at) = (b.f, b.at);
    b.function("g", None, 0);
    let g = b.f;
    let (target, value) = (b.deref(global), b.num(42));
    b.edge(Op::Assign(target, value));
    let own = b.local("own", b.int);
    let place = b.place(own);
    let address = b.address(place);
    b.set(global, address);
    b.ret_void();
    (b.f, b.at) = (main, main_at);
    b.call(g, vec![], None);
    let at = b.at;
    let value = b.get(x);
    b.ret(value);
    assert_eq!(b.run(), Outcome::Exited(42));
    // The same, but main reads through the pointer that g left behind.
    b.p.cfa.locs[at].out.clear();
    b.at = at;
    let target = b.deref(global);
    let value = b.p.load(target, b.span);
    b.ret(value);
    assert_eq!(b.undefined(), Undefined::DanglingPointer);
}

#[test]
fn a_variable_declared_again_is_another() {
    let mut b = Builder::new();
    let pointer = b.p.types.pointer(b.int);
    let p = b.local("p", pointer);
    let x = b.local("x", b.int);
    let place = b.place(x);
    let address = b.address(place);
    b.set(p, address);
    b.edge(Op::Declare(x));
    let target = b.deref(p);
    let value = b.num(1);
    b.edge(Op::Assign(target, value));
    assert_eq!(b.undefined(), Undefined::DanglingPointer);
}

#[test]
fn undefined_behaviour_ends_the_run() {
    let check = |want: Undefined, make: &dyn Fn(&mut Builder) -> ExprId| {
        let mut b = Builder::new();
        let value = make(&mut b);
        b.ret(value);
        assert_eq!(b.undefined(), want);
    };
    let binary = |op, x: i128, y: i128| {
        move |b: &mut Builder| {
            let (x, y) = (b.num(x), b.num(y));
            b.op(op, x, y)
        }
    };
    let (min, max) = (i32::MIN.into(), i32::MAX.into());
    check(Undefined::DivisionByZero, &binary(BinOp::Div, 1, 0));
    check(Undefined::DivisionByZero, &binary(BinOp::Rem, 1, 0));
    check(Undefined::SignedOverflow, &binary(BinOp::Div, min, -1));
    check(Undefined::SignedOverflow, &binary(BinOp::Add, max, 1));
    check(Undefined::SignedOverflow, &binary(BinOp::Mul, max, 2));
    check(Undefined::Shift, &binary(BinOp::Shl, 1, 32));
    check(Undefined::Shift, &binary(BinOp::Shr, 1, -1));
    check(Undefined::UninitialisedRead, &|b| {
        let x = b.local("x", b.int);
        b.get(x)
    });
    check(Undefined::NullPointer, &|b| {
        let pointer = b.p.types.pointer(b.int);
        let null = b.p.int(0, pointer, b.span);
        let place = b.add_place(PlaceKind::Deref(null), b.int);
        b.p.load(place, b.span)
    });
    check(Undefined::OutOfBounds, &|b| {
        let array = b.p.types.array(b.int, 4);
        let a = b.local("a", array);
        let base = b.place(a);
        let four = b.num(4);
        let place = b.add_place(PlaceKind::Index(base, four), b.int);
        b.p.load(place, b.span)
    });
}

#[test]
fn records_are_copied_with_their_bit_fields() {
    let mut b = Builder::new();
    let fields = ["a", "b"].map(|name| Member {
        name: Some(name.into()),
        ty: b.int.into(),
        bit_width: Some(5),
        align: None,
        packed: false,
        span: b.span,
    });
    let (fields, size, align) =
        lay_out(&b.p.types, RecordKind::Struct, fields.to_vec(), RecordAttrs::default());
    let record = b.p.types.records.push(Record {
        kind: RecordKind::Struct,
        tag: None,
        fields,
        size,
        align,
        complete: true,
        transparent: false,
        span: b.span,
    });
    let ty = b.p.types.intern(Type::Record(record));
    let (s, t) = (b.local("s", ty), b.local("t", ty));
    let (from, to) = (b.place(s), b.place(t));
    let field = b.add_place(PlaceKind::Field(from, 1), b.int);
    let value = b.num(0b10011);
    b.edge(Op::Assign(field, value));
    let whole = b.p.load(from, b.span);
    b.edge(Op::Assign(to, whole));
    let field = b.add_place(PlaceKind::Field(to, 1), b.int);
    let value = b.p.load(field, b.span);
    let (exit, at) = (b.p.functions[b.f].body.unwrap().exit, b.at);
    b.edge_to(Op::Return(Some(value)), exit);
    // Sign-extended from five bits.
    assert_eq!(b.run(), Outcome::Exited(0b10011 - 32));
    // The other field was never written, though it shares the byte.
    b.p.cfa.locs[at].out.clear();
    b.at = at;
    let field = b.add_place(PlaceKind::Field(to, 0), b.int);
    let value = b.p.load(field, b.span);
    b.ret(value);
    assert_eq!(b.undefined(), Undefined::UninitialisedRead);
}

#[test]
fn blocks_are_freed_once() {
    let mut b = Builder::new();
    let pointer = b.p.types.pointer(b.int);
    let p = b.local("p", pointer);
    let (main, at) = (b.f, b.at);
    b.function("malloc", None, 0);
    let malloc = b.f;
    b.function("free", None, 0);
    let free = b.f;
    (b.f, b.at) = (main, at);
    let four = b.num(4);
    b.call(malloc, vec![four], Some(p));
    let value = b.get(p);
    b.call(free, vec![value], None);
    b.call(free, vec![value], None);
    assert_eq!(b.undefined(), Undefined::InvalidFree);
}

#[test]
fn static_variables_have_their_initial_values() {
    // static int a[3] = { [1] = 5 }; static int *p = &a[1]; printf("%d %5s|\n", *p + a[2], "hi")
    let mut b = Builder::new();
    let (char_ty, long) = (b.p.types.int(IntKind::Char), b.p.types.ptrdiff_t());
    let array = b.p.types.array(b.int, 3);
    let pointer = b.p.types.pointer(b.int);
    let a = b.var("a", array, Storage::Static);
    let p = b.var("p", pointer, Storage::Static);
    let base = b.place(a);
    let element = |b: &mut Builder, i| {
        let index = b.p.int(i, long, b.span);
        b.add_place(PlaceKind::Index(base, index), b.int)
    };
    let (one, two) = (element(&mut b, 1), element(&mut b, 2));
    let value = b.num(5);
    b.p.vars[a].init = Some(Init { items: vec![InitItem::Value { place: one, value }] });
    let (place, value) = (b.place(p), b.address(one));
    b.p.vars[p].init = Some(Init { items: vec![InitItem::Value { place, value }] });
    let text = |b: &mut Builder, text: &str| {
        let ty = b.p.types.array(char_ty, text.len() as u64 + 1);
        let literal = b.var("literal", ty, Storage::Literal);
        let place = b.place(literal);
        let bytes = text.as_bytes().into();
        b.p.vars[literal].init = Some(Init { items: vec![InitItem::Bytes { place, bytes }] });
        let zero = b.p.int(0, long, b.span);
        let first = b.add_place(PlaceKind::Index(place, zero), char_ty);
        b.address(first)
    };
    let (format, hi) = (text(&mut b, "%d %5s|\n"), text(&mut b, "hi"));
    let target = b.deref(p);
    let (x, y) = (b.p.load(target, b.span), b.p.load(two, b.span));
    let sum = b.op(BinOp::Add, x, y);
    let (main, at) = (b.f, b.at);
    b.function("printf", None, 0);
    let printf = b.f;
    (b.f, b.at) = (main, at);
    b.call(printf, vec![format, sum, hi], None);
    let zero = b.num(0);
    b.ret(zero);
    let run = run(&b.p, &mut Zeros, &b.report(), &mut Unobserved);
    assert_eq!(run.outcome, Outcome::Exited(0));
    assert_eq!(String::from_utf8_lossy(&run.output), "5    hi|\n");
}

#[test]
fn an_indeterminate_value_is_asked_for_once() {
    // char a[2]; a[0] = 1; short s read twice from a: the unwritten byte is an input and then stays.
    let mut b = Builder::new();
    let (char_ty, short, long) =
        (b.p.types.int(IntKind::UChar), b.p.types.int(IntKind::Short), b.p.types.ptrdiff_t());
    let array = b.p.types.array(char_ty, 2);
    let a = b.local("a", array);
    let base = b.place(a);
    let zero = b.p.int(0, long, b.span);
    let first = b.add_place(PlaceKind::Index(base, zero), char_ty);
    let one = b.p.int(1, char_ty, b.span);
    b.edge(Op::Assign(first, one));
    let address = b.address(first);
    let pointer = b.p.types.pointer(short);
    let cast = b.p.cast(address, pointer, b.span);
    let whole = b.add_place(PlaceKind::Deref(cast), short);
    let value = b.p.load(whole, b.span);
    let (x, y) = (b.p.cast(value, b.int, b.span), b.p.cast(value, b.int, b.span));
    let both = b.op(BinOp::Sub, x, y);
    let sum = b.op(BinOp::Add, both, x);
    b.ret(sum);
    struct Once(u32);
    impl Inputs for Once {
        fn next(&mut self, _: &Request) -> Option<u128> {
            self.0 += 1;
            Some(0x7fff)
        }
    }
    let mut inputs = Once(0);
    let run = run(&b.p, &mut inputs, &Options::default(), &mut Unobserved);
    assert_eq!((run.outcome, inputs.0), (Outcome::Exited(0x7f01), 1));
}

#[test]
fn a_trace_tells_edges_depths_and_values() {
    let mut b = Builder::new();
    let r = b.local("r", b.int);
    let (main, at) = (b.f, b.at);
    let int = b.int;
    let params = b.function("f", Some(int), 1);
    let f = b.f;
    let value = b.get(params[0]);
    b.ret(value);
    (b.f, b.at) = (main, at);
    let three = b.num(3);
    b.call(f, vec![three], Some(r));
    let value = b.get(r);
    b.ret(value);
    let mut trace = Trace::default();
    run(&b.p, &mut Zeros, &Options::default(), &mut trace);
    let depths: Vec<_> = trace.steps.iter().map(|s| s.depth).collect();
    assert_eq!(depths, [0, 0, 1, 0]);
    assert!(matches!(trace.writes(1), [Write { dest: Dest::Var(v), bits: 3, .. }] if *v == params[0]));
    assert!(matches!(trace.writes(2), [Write { dest: Dest::Place(_), bits: 3, .. }]));
}
