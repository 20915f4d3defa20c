//! Automata from a small text, for tests: what the front end would make of C, but with every edge in view.
//!
//! ```text
//! global g, a[10]
//! fn main(*x, k): 1->2 declare i; 2->3 [x[1] > k]; 2->exit [!(x[1] > k)]
//!                 3->4 i = f(k); 4->5 i = nondet; 5->exit return i
//! fn f(n) h = &main: 1->error
//! ```
//!
//! Everything is an `int`, a pointer to one (`*x`), an array of them (`a[10]`) or a pointer to a function (`h = &f`,
//! with the type of `f`). Names that are not declared are local `int`s. A function starts at its first location;
//! locations called `exit`, `error…` and `end…` are what they say. A function that is only called has no body.

use super::{LocId, LocKind};
use crate::prepared::Prepared;
use crate::program::{
    BinOp, Body, Call, Callee, Check, DataModel, ExprId, ExprKind, FnId, Function, HavocOrigin, IntKind, Op,
    PlaceId, PlaceKind, Program, Rule, Storage, TypeId, UnOp, Unsupported, Var, VarId,
};
use crate::source::{Span, Unit};
use std::collections::BTreeMap;

/// A program made from text, with the names of its locations.
pub struct Sample {
    /// The program.
    pub program: Program,
    names: BTreeMap<String, LocId>,
}

impl Sample {
    /// The location with a name such as `main.3`.
    pub fn loc(&self, name: &str) -> LocId {
        *self.names.get(name).unwrap_or_else(|| panic!("no location {name}"))
    }

    /// The name of a location, without its function's.
    pub fn name(&self, loc: LocId) -> &str {
        let (name, _) = self.names.iter().find(|(_, l)| **l == loc).expect("a location with a name");
        name.split_once('.').map_or(name, |(_, short)| short)
    }

    /// The program, complete.
    pub fn prepared(&self) -> Prepared {
        Prepared::new(self.program.clone())
    }

    /// Names, with spaces between them.
    pub fn names(&self, locs: &[LocId]) -> String {
        locs.iter().map(|&l| self.name(l)).collect::<Vec<_>>().join(" ")
    }
}

/// A function whose `n` locations follow one another, with an edge more from location `i` to `extra(i)`.
pub fn chain(n: usize, extra: impl Fn(usize) -> Option<usize>) -> Program {
    let mut s = sample("fn main(): 0->exit");
    let (span, entry) = (s.program.functions[s.program.entry].span, s.loc("main.0"));
    let cfa = &mut s.program.cfa;
    cfa.edges.clear();
    cfa.locs.iter_mut().for_each(|l| (l.out.clear(), l.into.clear()).0);
    let inner = (0..n - 2).map(|_| cfa.add_loc(FnId::new(0), LocKind::Plain));
    let mut locs = vec![entry];
    locs.extend(inner);
    locs.push(s.names["main.exit"]);
    for i in 0..n {
        if i + 1 < n {
            cfa.add_edge(locs[i], locs[i + 1], Op::Nop, span);
        }
        if let Some(to) = extra(i) {
            cfa.add_edge(locs[i], locs[to], Op::Nop, span);
        }
    }
    s.program
}

/// The program of a text, complete.
pub fn prepared(text: &str) -> Prepared {
    Prepared::new(sample(text).program)
}

/// The program of a text.
pub fn sample(text: &str) -> Sample {
    let mut program = Program::new(DataModel::Lp64);
    let unit = program.sources.add(Unit::plain("test.c", text));
    let span = Span::new(unit, 0, 0);
    let mut b =
        Builder { program, names: BTreeMap::new(), function: FnId::new(0), tokens: vec![], at: 0, span };
    let lines: Vec<&str> = text.lines().collect();
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    // Signatures first: calls may come before the function.
    for line in &lines {
        b.span = Span::new(unit, offset(line), offset(line) + line.len());
        if let Some(names) = line.trim().strip_prefix("global ") {
            names.split(',').for_each(|n| _ = b.variable(n, Storage::Global { defined: true }));
        } else if let Some((header, _)) = line.trim().strip_prefix("fn ").and_then(|l| l.split_once(':')) {
            b.header(header);
        }
    }
    for line in &lines {
        let mut edges = *line;
        if let Some((header, rest)) = line.trim().strip_prefix("fn ").and_then(|l| l.split_once(':')) {
            b.function = b.program.function(header.split('(').next().unwrap_or("").trim()).expect("declared");
            let fields = header.split_once(')').map_or("", |h| h.1);
            for part in fields.split(',').filter(|p| !p.trim().is_empty()) {
                b.variable(part, Storage::Local(b.function));
            }
            edges = rest;
        } else if line.trim().starts_with("global ") {
            continue;
        }
        for edge in edges.split(';').map(str::trim).filter(|e| !e.is_empty()) {
            b.span = Span::new(unit, offset(edge), offset(edge) + edge.len());
            b.edge(edge);
        }
    }
    b.program.entry = b.program.function("main").unwrap_or(FnId::new(0));
    Sample { program: b.program, names: b.names }
}

struct Builder {
    program: Program,
    names: BTreeMap<String, LocId>,
    function: FnId,
    tokens: Vec<String>,
    at: usize,
    span: Span,
}

impl Builder {
    fn int(&mut self) -> TypeId {
        self.program.types.int(IntKind::Int)
    }

    fn header(&mut self, header: &str) {
        let (name, rest) = header.split_once('(').expect("fn name(");
        let (params, _) = rest.split_once(')').expect("fn name()");
        let id = self.add_function(name.trim(), 0);
        let params: Vec<VarId> = params
            .split(',')
            .filter(|p| !p.trim().is_empty())
            .map(|p| self.variable(p, Storage::Param(id)))
            .collect();
        let types: Vec<_> = params.iter().map(|&p| self.program.vars[p].ty.ty).collect();
        self.set_type(id, types);
        let ret = self.variable("<return>", Storage::Return(id));
        self.program.functions[id].params = params;
        self.program.functions[id].ret = Some(ret);
    }

    fn add_function(&mut self, name: &str, arity: usize) -> FnId {
        let int = self.int();
        let id = self.program.functions.push(Function::new(name, int, self.span));
        self.set_type(id, vec![int; arity]);
        id
    }

    fn set_type(&mut self, id: FnId, params: Vec<TypeId>) {
        let ret = self.int();
        self.program.functions[id].ty = self.program.types.function(ret, params);
    }

    fn variable(&mut self, text: &str, storage: Storage) -> VarId {
        let int = self.int();
        let text = text.trim();
        let (name, ty) = if let Some(name) = text.strip_prefix('*') {
            (name, self.program.types.pointer(int))
        } else if let Some((name, len)) = text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            (name, self.program.types.array(int, len.parse().expect("a length")))
        } else if let Some((name, f)) = text.split_once("= &") {
            let f = self.program.function(f.trim()).expect("a function");
            (name.trim(), self.program.types.pointer(self.program.functions[f].ty))
        } else {
            (text, int)
        };
        self.program.vars.push(Var::new(name, ty, storage, self.span))
    }

    fn location(&mut self, name: &str) -> LocId {
        let f = self.function;
        if self.program.functions[f].body.is_none() {
            let entry = self.program.cfa.add_loc(f, LocKind::Entry);
            let exit = self.program.cfa.add_loc(f, LocKind::Exit);
            self.program.functions[f].body = Some(Body { entry, exit });
            let function = &self.program.functions[f].name;
            self.names.insert(format!("{function}.{name}"), entry);
            self.names.insert(format!("{function}.exit"), exit);
        }
        let full = format!("{}.{name}", self.program.functions[f].name);
        if let Some(&loc) = self.names.get(&full) {
            return loc;
        }
        let loc = self.program.cfa.add_loc(f, LocKind::Plain);
        if name.starts_with("error") {
            let message = format!("{name} is reached");
            let check = Check { rule: Rule::UnreachCall, loc, message, span: self.span };
            self.program.cfa.locs[loc].kind = LocKind::Error(self.program.checks.push(check));
        } else if name.starts_with("end") {
            self.program.cfa.locs[loc].kind = LocKind::End;
        }
        self.names.insert(full, loc);
        loc
    }

    fn edge(&mut self, text: &str) {
        let (from, rest) = text.split_once("->").unwrap_or_else(|| panic!("from->to: {text}"));
        let (to, op) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let (from, to) = (self.location(from.trim()), self.location(to));
        let op = self.op(op.trim());
        self.program.cfa.add_edge(from, to, op, self.span);
    }

    fn op(&mut self, text: &str) -> Op {
        self.tokens = tokens(text);
        self.at = 0;
        let op = if text.is_empty() {
            return Op::Nop;
        } else if self.eat("[") {
            let truth = !self.eat("!");
            let cond = self.expr(0);
            self.expect("]");
            Op::Assume { cond, truth }
        } else if self.eat("return") {
            Op::Return((self.at < self.tokens.len()).then(|| self.expr(0)))
        } else if self.eat("declare") {
            let name = self.next();
            Op::Declare(self.lookup(&name))
        } else if self.eat("expire") {
            let name = self.next();
            Op::Expire(self.lookup(&name))
        } else if self.eat("unsupported") {
            Op::Unsupported(Box::new(Unsupported { kind: "inline-asm", message: "inline assembly".into() }))
        } else if self.is_call() {
            self.call(None)
        } else {
            let place = self.place();
            self.expect("=");
            if self.eat("nondet") {
                Op::Havoc(place, HavocOrigin::Input)
            } else if self.is_call() {
                self.call(Some(place))
            } else {
                Op::Assign(place, self.expr(0))
            }
        };
        assert_eq!(self.at, self.tokens.len(), "rest of {text}");
        op
    }

    /// `f(` or `(*h)(`
    fn is_call(&self) -> bool {
        let at = |i: usize| self.tokens.get(self.at + i).map_or("", String::as_str);
        (at(0) == "(" && at(1) == "*" && at(4) == "(") || (at(1) == "(" && is_name(at(0)))
    }

    fn call(&mut self, dest: Option<PlaceId>) -> Op {
        let callee = if self.eat("(") {
            self.expect("*");
            let pointer = self.expr(0);
            self.expect(")");
            Callee::Indirect(pointer)
        } else {
            let name = self.next();
            let arity = self.tokens[self.at..].iter().filter(|t| *t == ",").count() + 1;
            Callee::Direct(match self.program.function(&name) {
                Some(f) => f,
                None => self.add_function(&name, arity),
            })
        };
        self.expect("(");
        let mut args = Vec::new();
        while !self.eat(")") {
            args.push(self.expr(0));
            self.eat(",");
        }
        Op::Call(Call { callee, args, dest })
    }

    fn lookup(&mut self, name: &str) -> VarId {
        let visible =
            |v: &Var| v.name == name && (v.function().is_none() || v.function() == Some(self.function));
        match self.program.vars.iter_enumerated().rev().find(|(_, v)| visible(v)) {
            Some((id, _)) => id,
            None => {
                let id = self.variable(name, Storage::Local(self.function));
                self.program.functions[self.function].locals.push(id);
                id
            }
        }
    }

    fn expr(&mut self, least: u8) -> ExprId {
        let mut left = self.unary();
        while let Some(op) = self.tokens.get(self.at).and_then(|token| BinOp::from_symbol(token)) {
            if op.strength() < least {
                break;
            }
            self.at += 1;
            let right = self.expr(op.strength() + 1);
            let ty = self.program.exprs[left].ty;
            let pointer = self.program.types.pointee(ty).is_some() && op == BinOp::Add;
            let (op, ty) = match (pointer, op.is_comparison()) {
                (true, _) => (BinOp::PtrAdd, ty),
                (_, true) => (op, self.int()),
                _ => (op, ty),
            };
            left = self.program.binary(op, left, right, ty, self.span);
        }
        left
    }

    fn unary(&mut self) -> ExprId {
        let span = self.span;
        if self.eat("-") {
            let of = self.unary();
            let ty = self.program.exprs[of].ty;
            return self.program.add_expr(ExprKind::Unary(UnOp::Neg, of), ty, span);
        }
        if self.eat("&") {
            if let Some(f) = self.program.function(&self.tokens[self.at]) {
                self.at += 1;
                let ty = self.program.types.pointer(self.program.functions[f].ty);
                return self.program.add_expr(ExprKind::FnAddr(f), ty, span);
            }
            let place = self.place();
            if let PlaceKind::Var(v) = self.program.places[place].kind {
                self.program.vars[v].address_taken = true;
            }
            let ty = self.program.types.pointer(self.program.places[place].ty);
            return self.program.add_expr(ExprKind::AddrOf(place), ty, span);
        }
        if self.eat("(") {
            let inner = self.expr(0);
            self.expect(")");
            return inner;
        }
        if let Ok(number) = self.tokens.get(self.at).map_or("", String::as_str).parse() {
            self.at += 1;
            let int = self.int();
            return self.program.int(number, int, span);
        }
        let place = self.place();
        self.program.load(place, span)
    }

    fn place(&mut self) -> PlaceId {
        let span = self.span;
        if self.eat("*") {
            let pointer = self.unary();
            return self.deref(pointer);
        }
        let name = self.next();
        let var = self.lookup(&name);
        let mut place = self.program.var_place(var, span);
        while self.eat("[") {
            let index = self.expr(0);
            self.expect("]");
            let ty = self.program.places[place].ty;
            if let Some((of, _)) = self.program.types.element(ty) {
                place = self.program.places.push(crate::program::Place {
                    kind: PlaceKind::Index(place, index),
                    ty: of.ty,
                    span,
                });
            } else {
                let base = self.program.load(place, span);
                let pointer = self.program.binary(BinOp::PtrAdd, base, index, ty, span);
                place = self.deref(pointer);
            }
        }
        place
    }

    fn deref(&mut self, pointer: ExprId) -> PlaceId {
        let ty = self.program.types.pointee(self.program.exprs[pointer].ty).expect("a pointer").ty;
        let kind = PlaceKind::Deref(pointer);
        self.program.places.push(crate::program::Place { kind, ty, span: self.span })
    }

    fn next(&mut self) -> String {
        let token = self.tokens.get(self.at).cloned().unwrap_or_else(|| panic!("more of {:?}", self.tokens));
        self.at += 1;
        token
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t == token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "{token} expected at {} of {:?}", self.at, self.tokens);
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let len = match word {
            0 if ["==", "!=", "<=", ">="].iter().any(|op| rest.starts_with(op)) => 2,
            0 => 1,
            _ => word,
        };
        tokens.push(rest[..len].into());
        rest = rest[len..].trim_start();
    }
    tokens
}
