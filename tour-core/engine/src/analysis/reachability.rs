//! Graph reachability: if no error location is connected with the entry, nothing can be violated.
//!
//! Assumes with a constant condition are decided, everything else is taken to be feasible. A call leads to its
//! callee's entry, and on only if the callee's exit is reachable. A call through a pointer may lead to every function
//! whose address is taken, and always leads on (the callee may be outside the program).

use super::Analysis;
use super::edges::emit_edges;
use crate::context::Context;
use index_vec::IndexVec;
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::cfa::{Edge, EdgeId, LocId, LocKind};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Callee, ExprKind, FnId, Op};

/// The analysis.
pub struct Reachability;

impl Analysis for Reachability {
    fn name(&self) -> &'static str {
        "reachability"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let mut search = Search::new(program);
        search.run();
        let cfa = &program.cfa;
        context.stats.set("reachable-locations", search.reached.iter().filter(|r| **r).count());
        let unsupported = search.unsupported.iter().min().map(|&e| &cfa.edges[e]);
        let reached: Vec<LocId> = search.reached.iter_enumerated().filter(|r| *r.1).map(|r| r.0).collect();
        let errors = reached.iter().filter(|l| cfa.error_at(**l).is_some()).count();
        context.stats.set("reachable-errors", errors);
        match unsupported {
            None if errors == 0 => {
                let edges = reached.iter().flat_map(|loc| cfa.locs[*loc].out.iter().copied());
                emit_edges(program, &context.watch, edges);
                Verdict::Proved(Proof { analysis: self.name(), certificate: Certificate::Locations(reached) })
            }
            Some(Edge { op: Op::Unsupported(what), span, .. }) if errors == 0 => {
                Verdict::Unknown(UnknownReason::Unsupported {
                    kind: what.kind.into(),
                    message: what.message.clone(),
                    span: *span,
                })
            }
            _ => Verdict::Unknown(UnknownReason::Inconclusive),
        }
    }
}

struct Search<'a> {
    program: &'a Prepared,
    reached: IndexVec<LocId, bool>,
    work: Vec<LocId>,
    /// Call edges that wait for the exit of a function.
    waiting: IndexVec<FnId, Vec<LocId>>,
    unsupported: Vec<EdgeId>,
    pointed_to: Vec<FnId>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Prepared) -> Search<'a> {
        Search {
            program,
            reached: IndexVec::from_vec(vec![false; program.cfa.locs.len()]),
            work: Vec::new(),
            waiting: IndexVec::from_vec(vec![Vec::new(); program.functions.len()]),
            unsupported: Vec::new(),
            pointed_to: pointed_to(program),
        }
    }

    fn run(&mut self) {
        let program = self.program;
        if let Some(body) = program.functions.get(program.entry).and_then(|f| f.body) {
            self.reach(body.entry);
        }
        while let Some(loc) = self.work.pop() {
            if program.cfa.locs[loc].kind == LocKind::Exit {
                for after in std::mem::take(&mut self.waiting[program.cfa.locs[loc].function]) {
                    self.reach(after);
                }
            }
            for (id, edge) in program.cfa.successors(loc) {
                self.follow(id, edge);
            }
        }
    }

    fn reach(&mut self, loc: LocId) {
        if !self.reached[loc] {
            self.reached[loc] = true;
            self.work.push(loc);
        }
    }

    fn follow(&mut self, id: EdgeId, edge: &Edge) {
        match &edge.op {
            Op::Assume { cond, truth } => {
                if self.program.const_value(*cond).is_none_or(|value| (value != 0) == *truth) {
                    self.reach(edge.to);
                }
            }
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => self.call(f, edge.to),
                Callee::Indirect(_) => {
                    for i in 0..self.pointed_to.len() {
                        self.call(self.pointed_to[i], edge.to);
                    }
                    self.reach(edge.to);
                }
            },
            Op::Unsupported(_) => {
                self.unsupported.push(id);
                self.reach(edge.to);
            }
            Op::Nop | Op::Assign(..) | Op::Return(_) | Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) => {
                self.reach(edge.to)
            }
        }
    }

    fn call(&mut self, function: FnId, after: LocId) {
        match self.program.functions[function].body {
            None => self.reach(after),
            Some(body) => {
                self.reach(body.entry);
                if self.reached[body.exit] {
                    self.reach(after);
                } else {
                    self.waiting[function].push(after);
                }
            }
        }
    }
}

/// Functions whose address is taken anywhere (initialisers included), ascending.
fn pointed_to(program: &Prepared) -> Vec<FnId> {
    let mut taken: Vec<FnId> = program
        .exprs
        .iter()
        .filter_map(|e| match e.kind {
            ExprKind::FnAddr(f) => Some(f),
            _ => None,
        })
        .collect();
    taken.sort_unstable();
    taken.dedup();
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_ir::program::Program;
    use tour_ir::program::{Body, Call, DataModel, Function, Linkage, Rule, Type, Unsupported};
    use tour_ir::program::{Check, CheckId, FnSig, IntKind};
    use tour_ir::source::{Span, Unit};

    /// `main` and functions `f0`, `f1`, … with one edge each from entry to exit, and an error location.
    struct Builder {
        program: Program,
        span: Span,
    }

    impl Builder {
        fn new(functions: usize) -> Builder {
            let mut program = Program::new(DataModel::Lp64);
            let unit = program.sources.add(Unit::plain("a.c", ""));
            let span = Span::new(unit, 0, 0);
            let ret = program.types.void();
            let sig = FnSig { ret, params: vec![], variadic: false, prototyped: true };
            let ty = program.types.intern(Type::Function(sig));
            for i in 0..functions {
                let f = FnId::new(i);
                let entry = program.cfa.add_loc(f, LocKind::Entry);
                let exit = program.cfa.add_loc(f, LocKind::Exit);
                program.functions.push(Function {
                    name: format!("f{i}"),
                    ty,
                    linkage: Linkage::External,
                    params: vec![],
                    ret: None,
                    locals: vec![],
                    body: Some(Body { entry, exit }),
                    builtin: None,
                    noreturn: false,
                    span,
                });
            }
            Builder { program, span }
        }

        fn body(&self, f: usize) -> Body {
            self.program.functions[FnId::new(f)].body.unwrap()
        }

        fn edge(&mut self, from: LocId, to: LocId, op: Op) {
            self.program.cfa.add_edge(from, to, op, self.span);
        }

        fn error(&mut self, f: usize) -> LocId {
            let check = CheckId::new(self.program.checks.len());
            let loc = self.program.cfa.add_loc(FnId::new(f), LocKind::Error(check));
            let (rule, message, span) = (Rule::Assert, String::new(), self.span);
            self.program.checks.push(Check { rule, loc, message, span });
            loc
        }

        fn int(&mut self, value: i128) -> tour_ir::program::ExprId {
            let int = self.program.types.int(IntKind::Int);
            self.program.int(value, int, self.span)
        }

        fn call(f: usize) -> Op {
            let callee = Callee::Direct(FnId::new(f));
            Op::Call(Call { callee, args: vec![], dest: None })
        }

        fn verdict(&self) -> String {
            Reachability
                .run(&tour_ir::prepared::Prepared::new(self.program.clone()), &Context::default())
                .to_string()
        }
    }

    #[test]
    fn an_error_behind_a_constant_false_is_not_reached() {
        for (value, expected) in [(0, "SAFE"), (1, "UNKNOWN (no analysis could decide)")] {
            let mut b = Builder::new(1);
            let error = b.error(0);
            let cond = b.int(value);
            b.edge(b.body(0).entry, error, Op::Assume { cond, truth: true });
            b.edge(b.body(0).entry, b.body(0).exit, Op::Assume { cond, truth: false });
            assert_eq!(b.verdict(), expected, "if ({value}) error();");
        }
    }

    #[test]
    fn an_error_after_a_call_that_never_returns_is_not_reached() {
        for (returns, expected) in [(false, "SAFE"), (true, "UNKNOWN (no analysis could decide)")] {
            let mut b = Builder::new(2);
            let error = b.error(0);
            b.edge(b.body(0).entry, error, Builder::call(1));
            let to = if returns { b.body(1).exit } else { b.body(1).entry };
            b.edge(b.body(1).entry, to, Op::Nop);
            assert_eq!(b.verdict(), expected);
        }
    }

    #[test]
    fn an_indirect_call_reaches_every_function_whose_address_is_taken() {
        for (taken, expected) in [(1, "SAFE"), (2, "UNKNOWN (no analysis could decide)")] {
            let mut b = Builder::new(3);
            let error = b.error(2);
            let pointer = b.int(0);
            let ty = b.program.exprs[pointer].ty;
            let callee = b.program.add_expr(ExprKind::FnAddr(FnId::new(taken)), ty, b.span);
            let call = Call { callee: Callee::Indirect(callee), args: vec![], dest: None };
            b.edge(b.body(0).entry, b.body(0).exit, Op::Call(call));
            b.edge(b.body(1).entry, b.body(1).exit, Op::Nop);
            b.edge(b.body(2).entry, error, Op::Nop);
            assert_eq!(b.verdict(), expected);
        }
    }

    #[test]
    fn what_is_not_modelled_makes_no_proof() {
        let mut b = Builder::new(2);
        let what = || Op::Unsupported(Box::new(Unsupported { kind: "inline-asm", message: "asm".into() }));
        b.edge(b.body(1).entry, b.body(1).exit, what());
        b.edge(b.body(0).entry, b.body(0).exit, Op::Nop);
        assert_eq!(b.verdict(), "SAFE", "it is not reached");
        b.edge(b.body(0).entry, b.body(0).exit, Builder::call(1));
        assert_eq!(b.verdict(), "UNKNOWN (unsupported: inline-asm)");
    }
}
