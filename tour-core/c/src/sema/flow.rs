//! Emitting edges: where we are in the function, temporaries, and the order of side effects.
//!
//! The invariant that makes sequencing right: an expression that was lowered but not yet used has the value that it
//! would have if it were evaluated *here*. Edges that change memory could break it for an earlier operand, so
//! whoever holds one over the lowering of another takes a [`Mark`] in between and then calls [`Sema::keep`]: if
//! memory was changed since and the operand reads memory, its value is saved into a temporary at the mark.

use super::graph::{ENTRY, EXIT, Graph, Point};
use super::{Fail, Lower, Sema};
use rustc_hash::FxHashMap;
use tour_ir::program::{
    Call, ExprId, ExprKind, FnId, MAX_EXPR_DEPTH, Op, Place, PlaceId, PlaceKind, Program, QualType, Rule,
    Storage, TypeId, Unsupported, Var, VarId,
};
use tour_ir::source::Span;

/// The function whose body is lowered.
#[derive(Debug)]
pub struct Current {
    /// The function.
    pub function: FnId,
    /// What it returns.
    pub ret: TypeId,
    /// Its automaton as far as it is built.
    pub graph: Graph,
    /// Where the next edge starts; `None` after a jump (what follows is unreachable until a label).
    pub(crate) at: Option<Point>,
    /// How many edges changed memory that is not a temporary's.
    effects: u32,
    /// How many temporaries it has.
    temps: u32,
    /// Labels by name: those of the function, then those that blocks declare with `__label__`.
    pub(crate) labels: Vec<FxHashMap<String, Label>>,
    /// Labels whose addresses are taken.
    pub(crate) addressed: Vec<super::labels::Addressed>,
    /// Jumps to where a pointer says: from where, and the pointer.
    pub(crate) jumps: Vec<(Point, ExprId, Span)>,
    /// Where `break` leads, innermost last.
    pub(crate) breaks: Vec<Point>,
    /// Where `continue` leads, innermost last.
    pub(crate) continues: Vec<Point>,
    /// Cases of the `switch` statements that we are in, innermost last.
    pub(crate) switches: Vec<super::switch::Cases>,
    /// Nothing of it will be kept: only a type is wanted.
    scratch: bool,
    /// The value that `__tour_same` stands for, innermost last.
    pub(crate) same: Vec<ExprId>,
    /// Which parts of the current expression were evaluated before it.
    pub(crate) ordering: super::order::Ordering,
}

/// A label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    pub(crate) point: Point,
    /// Where it was first mentioned.
    pub(crate) span: Span,
    /// Its statement was seen.
    pub(crate) placed: bool,
}

impl Current {
    /// At the entry of a function.
    pub fn new(function: FnId, ret: TypeId) -> Current {
        Current {
            function,
            ret,
            graph: Graph::new(),
            at: Some(ENTRY),
            effects: 0,
            temps: 0,
            labels: vec![FxHashMap::default()],
            addressed: Vec::new(),
            jumps: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            scratch: false,
            same: Vec::new(),
            ordering: super::order::Ordering::default(),
        }
    }

    /// A place to lower what is thrown away.
    pub(crate) fn scratch(function: FnId, ret: TypeId) -> Current {
        Current { scratch: true, ..Current::new(function, ret) }
    }
}

/// What an operand may still be wrapped in (a few casts, members and an operator) before its depth is looked at again.
const DEPTH_MARGIN: usize = 20;

/// A moment in the lowering of a function.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    at: Option<Point>,
    edges: usize,
    effects: u32,
}

/// What we must know of each expression, computed when first asked for: operands have smaller ids.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    exprs: Vec<Fact>,
    places: Vec<Fact>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Fact {
    depth: u16,
    /// It reads memory that an edge can change; temporaries are not changed while they are needed.
    reads: bool,
}

impl Facts {
    fn expr(&mut self, program: &Program, id: ExprId) -> Fact {
        while self.exprs.len() <= id.index() {
            let fact = match program.exprs[ExprId::new(self.exprs.len())].kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {
                    Fact::default()
                }
                ExprKind::Load(place) => {
                    let fact = self.place(program, place);
                    let stable = match program.places[place].kind {
                        PlaceKind::Var(v) => matches!(program.vars[v].storage, Storage::Temp(_)),
                        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
                    };
                    Fact { depth: fact.depth, reads: !stable || fact.reads }
                }
                ExprKind::AddrOf(place) => self.place(program, place),
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.exprs[a.index()],
                // It reads what `free` changes.
                ExprKind::Fact(_, a) => Fact { reads: true, ..self.exprs[a.index()] },
                ExprKind::Binary(_, a, b) => {
                    let (a, b) = (self.exprs[a.index()], self.exprs[b.index()]);
                    Fact { depth: a.depth.max(b.depth), reads: a.reads | b.reads }
                }
            };
            self.exprs.push(Fact { depth: fact.depth.saturating_add(1), ..fact });
        }
        self.exprs[id.index()]
    }

    fn place(&mut self, program: &Program, id: PlaceId) -> Fact {
        while self.places.len() <= id.index() {
            let fact = match program.places[PlaceId::new(self.places.len())].kind {
                PlaceKind::Var(_) => Fact::default(),
                PlaceKind::Deref(e) => self.expr(program, e),
                PlaceKind::Field(base, _) => self.places[base.index()],
                PlaceKind::Index(base, index) => {
                    let (a, b) = (self.places[base.index()], self.expr(program, index));
                    Fact { depth: a.depth.max(b.depth), reads: a.reads | b.reads }
                }
            };
            self.places.push(Fact { depth: fact.depth.saturating_add(1), ..fact });
        }
        self.places[id.index()]
    }

    /// Forgets what was added after the arenas had these lengths.
    pub(crate) fn truncate(&mut self, exprs: usize, places: usize) {
        self.exprs.truncate(exprs);
        self.places.truncate(places);
    }
}

impl Sema<'_> {
    /// The current function, or why there can be no edges here.
    pub fn current(&mut self, span: Span) -> Lower<&mut Current> {
        match &mut self.current {
            Some(current) => Ok(current),
            None => {
                Fail::error("this is not a constant expression", span, "needs to be computed at run time")
            }
        }
    }

    /// What is lowered is thrown away.
    pub(crate) fn is_scratch(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.scratch)
    }

    /// Emits an edge and goes on behind it.
    pub fn emit(&mut self, op: Op, span: Span) -> Lower<()> {
        let lasting = self.is_lasting(&op);
        let current = self.current(span)?;
        current.effects += u32::from(lasting);
        if let Some(from) = current.at {
            let to = current.graph.point();
            current.graph.stand(to);
            current.graph.edge(from, to, op, span);
            current.at = Some(to);
        }
        Ok(())
    }

    /// The operation changes memory that is not a temporary's, or may do anything.
    fn is_lasting(&self, op: &Op) -> bool {
        let temporary = |place: PlaceId| match self.program.places[place].kind {
            PlaceKind::Var(v) => matches!(self.program.vars[v].storage, Storage::Temp(_)),
            _ => false,
        };
        match op {
            Op::Nop | Op::Assume { .. } | Op::Return(_) => false,
            Op::Assign(place, _) | Op::Havoc(place, _) => !temporary(*place),
            Op::Call(Call { .. }) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => true,
        }
    }

    /// Emits an edge to a location; what follows is unreachable.
    pub(crate) fn emit_to(&mut self, op: Op, to: Point, span: Span) -> Lower<()> {
        let current = self.current(span)?;
        if let Some(from) = current.at.take() {
            current.graph.edge(from, to, op, span);
        }
        Ok(())
    }

    /// Goes to a location without doing anything; what follows is unreachable.
    pub fn jump(&mut self, to: Point, span: Span) -> Lower<()> {
        self.emit_to(Op::Nop, to, span)
    }

    /// A new location of the current function.
    pub fn point(&mut self, span: Span) -> Lower<Point> {
        Ok(self.current(span)?.graph.point())
    }

    /// Goes on at a location.
    pub fn go_on(&mut self, at: Point) {
        if let Some(current) = &mut self.current {
            current.graph.stand(at);
            current.at = Some(at);
        }
    }

    /// A block of statements begins here, or ends.
    pub(crate) fn cross_block(&mut self, enter: bool, span: Span) {
        if let Some(current) = &mut self.current {
            current.effects += u32::from(!enter && current.graph.ends_lives(self.program));
            current.at = match enter {
                true => current.graph.enter_block(current.at, span),
                false => current.graph.leave_block(current.at, span),
            };
        }
    }

    /// Branches on a condition.
    pub fn branch(&mut self, cond: ExprId, yes: Point, no: Point, span: Span) -> Lower<()> {
        let current = self.current(span)?;
        if let Some(from) = current.at.take() {
            current.graph.edge(from, yes, Op::Assume { cond, truth: true }, span);
            current.graph.edge(from, no, Op::Assume { cond, truth: false }, span);
        }
        Ok(())
    }

    /// Something that we do not model stands here.
    pub(crate) fn emit_unsupported(&mut self, what: Unsupported, span: Span) -> Lower<()> {
        self.emit(Op::Unsupported(Box::new(what)), span)
    }

    /// A rule is violated here.
    pub fn violation(&mut self, rule: Rule, message: String, span: Span) -> Lower<()> {
        let error = self.current(span)?.graph.error(rule, message, span);
        self.jump(error, span)
    }

    /// C leaves undefined what happens here: it violates a rule where that is checked, and is unsupported elsewhere.
    pub(crate) fn undefined(&mut self, rule: Rule, message: impl Into<String>, span: Span) -> Lower<()> {
        self.emit_unsupported(Unsupported { kind: rule.id(), message: message.into() }, span)
    }

    /// The same, where a condition holds.
    pub(crate) fn undefined_if(
        &mut self,
        cond: ExprId,
        rule: Rule,
        message: impl Into<String>,
        span: Span,
    ) -> Lower<()> {
        let (yes, no) = (self.point(span)?, self.point(span)?);
        self.branch_on(cond, yes, no, span)?;
        self.go_on(yes);
        self.undefined(rule, message, span)?;
        self.jump(no, span)?;
        self.go_on(no);
        Ok(())
    }

    /// The program ends here.
    pub fn end_program(&mut self, span: Span) -> Lower<()> {
        let end = self.current(span)?.graph.end();
        self.jump(end, span)
    }

    /// Returns from the function.
    pub fn emit_return(&mut self, value: Option<ExprId>, span: Span) -> Lower<()> {
        self.emit_to(Op::Return(value), EXIT, span)
    }

    /// A new temporary of the current function.
    pub fn temp(&mut self, ty: TypeId, span: Span) -> Lower<VarId> {
        let current = self.current(span)?;
        current.temps += 1;
        let (name, function) = (format!("${}", current.temps), current.function);
        Ok(self.add_local(name, ty.into(), Storage::Temp(function), span))
    }

    /// Adds a variable of the current function's frame (or, for a static one, none's).
    pub fn add_local(&mut self, name: String, ty: QualType, storage: Storage, span: Span) -> VarId {
        let var = Var::new(name, ty, storage, span);
        // What is only tried out leaves no frame behind.
        if self.is_scratch() { self.program.vars.push(var) } else { self.program.add_var(var) }
    }

    /// Saves a value into a new temporary.
    pub fn save(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let value = self.whole(value, span);
        let temp = self.temp(self.ty(value), span)?;
        let place = self.program.var_place(temp, span);
        self.emit(Op::Assign(place, value), span)?;
        Ok(self.program.load(place, span))
    }

    /// Now.
    pub fn mark(&self) -> Mark {
        match &self.current {
            Some(c) => Mark { at: c.at, edges: c.graph.edge_count(), effects: c.effects },
            None => Mark { at: None, edges: 0, effects: 0 },
        }
    }

    /// Memory was changed since.
    pub(crate) fn changed_since(&self, mark: Mark) -> bool {
        self.current.as_ref().is_some_and(|c| c.effects != mark.effects)
    }

    /// It reads memory that an edge can change.
    pub(crate) fn reads_memory(&mut self, value: ExprId) -> bool {
        self.shared.facts.expr(self.program, value).reads
    }

    /// The value that `value` had at the mark, now.
    pub fn keep(&mut self, value: ExprId, mark: Mark, span: Span) -> Lower<ExprId> {
        let (Some(at), true) = (mark.at, self.changed_since(mark)) else { return Ok(value) };
        if !self.reads_memory(value) {
            return Ok(value);
        }
        let value = self.whole(value, span);
        let temp = self.temp(self.ty(value), span)?;
        let place = self.program.var_place(temp, span);
        self.current(span)?.graph.insert(at, mark.edges, Op::Assign(place, value), span);
        Ok(self.program.load(place, span))
    }

    /// The place that `place` was at the mark, now: pointers and indices that it reads are kept.
    pub fn keep_place(&mut self, place: PlaceId, mark: Mark, span: Span) -> Lower<PlaceId> {
        if !self.changed_since(mark) || !self.shared.facts.place(self.program, place).reads {
            return Ok(place);
        }
        let Place { kind, ty, span: own } = self.program.places[place].clone();
        let kind = match kind {
            PlaceKind::Var(v) => PlaceKind::Var(v),
            PlaceKind::Deref(p) => PlaceKind::Deref(self.keep(p, mark, span)?),
            PlaceKind::Field(base, i) => PlaceKind::Field(self.keep_place(base, mark, span)?, i),
            PlaceKind::Index(base, i) => {
                PlaceKind::Index(self.keep_place(base, mark, span)?, self.keep(i, mark, span)?)
            }
        };
        Ok(self.program.places.push(Place { kind, ty, span: own }))
    }

    /// The place itself is always the same, whatever memory holds.
    pub(crate) fn is_fixed(&mut self, place: PlaceId) -> bool {
        !self.shared.facts.place(self.program, place).reads
    }

    /// The place with what it reads saved into temporaries, to be used more than once.
    pub fn fix_place(&mut self, place: PlaceId, span: Span) -> Lower<PlaceId> {
        if self.is_fixed(place) {
            return Ok(place);
        }
        let Place { kind, ty, span: own } = self.program.places[place].clone();
        let kind = match kind {
            PlaceKind::Var(v) => PlaceKind::Var(v),
            PlaceKind::Deref(p) => PlaceKind::Deref(self.fix(p, span)?),
            PlaceKind::Field(base, i) => PlaceKind::Field(self.fix_place(base, span)?, i),
            PlaceKind::Index(base, i) => PlaceKind::Index(self.fix_place(base, span)?, self.fix(i, span)?),
        };
        Ok(self.program.places.push(Place { kind, ty, span: own }))
    }

    /// The value, saved into a temporary if it reads memory.
    pub fn fix(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        if self.reads_memory(value) { self.save(value, span) } else { Ok(value) }
    }

    /// An operand on its way into a deeper expression: saved into a temporary when the result would be too deep.
    pub fn shallow(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let depth = self.shared.facts.expr(self.program, value).depth;
        if usize::from(depth) + DEPTH_MARGIN < MAX_EXPR_DEPTH {
            return Ok(value);
        }
        if self.current.is_none() {
            return Fail::unsupported("deep-constant", "this constant expression is nested too deeply", span);
        }
        self.save(value, span)
    }

    /// A place on its way into an expression, with too deep operands saved.
    pub fn shallow_place(&mut self, place: PlaceId, span: Span) -> Lower<PlaceId> {
        let depth = self.shared.facts.place(self.program, place).depth;
        if usize::from(depth) + DEPTH_MARGIN < MAX_EXPR_DEPTH {
            return Ok(place);
        }
        let address = self.address(place, span)?;
        let address = self.save(address, span)?;
        let ty = self.program.places[place].ty;
        Ok(self.program.places.push(Place { kind: PlaceKind::Deref(address), ty, span }))
    }
}
