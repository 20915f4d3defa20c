//! Operands that C does not order: `n + f()`, `g(n, f())`, `a[i] = f()`, `{ .b = f(), .a = f() }`.
//!
//! Before an expression is lowered, its *events* are collected: reads, calls, and updates (assignments and `++`). Of two that
//! can notice which of them comes first (see [`super::effects`]) and that C leaves unordered,
//!
//! - one is a call: both orders are right. An input chooses among the orders, and the values of the events are saved in
//!   temporaries that the expression is then lowered with:
//!
//! ```text
//!     x = n + f();      ●──[$order = any]── ●──[$order == 0]── ●──[$1 = f()]── ●──[$2 = n]───── ●──[x = $2 + $1]──
//!                                           └──[$order != 0]── ●──[$2 = n]──── ●──[$1 = f()]───┘
//! ```
//!
//! - none is: the behaviour is undefined (C11 6.5p2), an edge of the kind `unsequenced`.
//!
//! An operand is evaluated before its operator, so that an event comes after those inside of it. Parts that C orders by itself
//! (`&&`, `?:`, `,`) are one event, and lowered as expressions of their own.

use super::effects::{Cell, Effects, Known, Root, Summaries, Walk, is_compound_assignment, static_root};
use super::expr::{Value, with_stack};
use super::{Entity, Fail, Lower, Sema};
use crate::front::{ParsedUnit, PieceId, Tree};
use crate::program::{
    Assumption, BinOp, ExprId, HavocOrigin, IntKind, Op, Program, Storage, Type, TypeId, Unsupported, VarId,
};
use crate::source::Span;
use lang_c::ast::{
    BinaryOperator, Expression, Initializer, InitializerListItem, MemberOperator, UnaryOperator,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;

/// So many orders of one expression are told apart; more are unsupported.
const MAX_ORDERS: usize = 24;

/// So many events of one expression can depend on their order.
const MAX_HOISTED: usize = 5;

/// So many events are compared with each other.
const MAX_EVENTS: usize = 2000;

/// What is known about the expression that is lowered.
#[derive(Debug, Default)]
pub(crate) struct Ordering {
    /// The order of its parts was seen to.
    covered: bool,
    /// Parts that were evaluated already, by their address.
    done: FxHashMap<usize, Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Update,
    Call,
    /// Parts that C orders.
    Composite,
}

struct Event<'e> {
    expr: &'e Node<Expression>,
    piece: PieceId,
    kind: Kind,
    effects: Effects,
    /// The event that it is an operand of.
    parent: Option<usize>,
    /// The part of an initialiser that it is in: those are not ordered, but each is evaluated as a whole.
    item: usize,
    /// The events inside of a composite one.
    parts: Vec<Effects>,
    /// What a composite one does last, which nothing orders with what is around it.
    trailing: Effects,
}

/// What two events that are not ordered mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conflict {
    /// Either may come first.
    Choice,
    /// Undefined behaviour.
    Undefined,
    /// Undefined behaviour if they access the same memory.
    Perhaps,
    /// More orders than those of whole events, or undefined behaviour on some way only.
    Unsupported,
}

struct Collector<'e, 'c> {
    unit: &'e ParsedUnit,
    piece: PieceId,
    program: &'c Program,
    summaries: &'c Summaries,
    names: &'c dyn Fn(&str) -> Known,
    events: Vec<Event<'e>>,
    item: usize,
    items: usize,
}

impl<'e> Collector<'e, '_> {
    fn push(
        &mut self,
        expr: &'e Node<Expression>,
        kind: Kind,
        parent: Option<usize>,
        effects: Effects,
    ) -> usize {
        let (piece, item) = (self.piece, self.item);
        self.events.push(Event {
            expr,
            piece,
            kind,
            effects,
            parent,
            item,
            parts: Vec::new(),
            trailing: Effects::default(),
        });
        self.events.len() - 1
    }

    /// The effects that a walk finds.
    fn effects(&self, walk: impl FnOnce(&mut Walk<'_>)) -> Effects {
        let mut effects = Effects::default();
        walk(&mut Walk::inside(self.unit, self.summaries, self.names, &mut effects));
        effects
    }

    /// Accesses of a place, without those that find it.
    fn accesses(&self, place: &Node<Expression>, read: bool, write: bool) -> Effects {
        let mut cells = None;
        self.effects(|walk| cells = Some(walk.lvalue(place)));
        self.effects(|walk| walk.access(cells.unwrap_or_default(), read, write))
    }

    fn in_piece(&mut self, name: &str, step: impl FnOnce(&mut Self, &'e Node<Expression>)) -> bool {
        let Some(piece) = self.unit.piece_named(name) else { return false };
        let unit = self.unit;
        if let Tree::Expression(inner) = &unit.pieces[piece].tree {
            let outer = std::mem::replace(&mut self.piece, piece);
            step(self, inner);
            self.piece = outer;
        }
        true
    }

    /// An expression whose value is used.
    fn value(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        with_stack(|| self.value_of(expr, parent));
    }

    fn value_of(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        match &expr.node {
            Expression::Identifier(name) => {
                if self.in_piece(&name.node.name, |this, inner| this.value(inner, parent)) {
                    return;
                }
                if let Known::Variable { dimensions: 0, .. } = (self.names)(&name.node.name) {
                    self.read(expr, parent);
                }
            }
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {}
            Expression::Member(_) => self.read(expr, parent),
            Expression::Call(call) => {
                let mut evaluated = false;
                let callee = &call.node.callee;
                let mut effects = self.effects(|walk| evaluated = walk.callee(callee));
                // What the callee's expression reads are events of their own.
                effects.reads.clear();
                let index = self.push(expr, Kind::Call, parent, effects);
                self.value(callee, Some(index));
                if evaluated {
                    call.node.arguments.iter().for_each(|arg| self.value(arg, Some(index)));
                }
            }
            Expression::CompoundLiteral(literal) => self.list(&literal.node.initializer_list, parent),
            Expression::UnaryOperator(unary) => {
                let operand = &unary.node.operand;
                match unary.node.operator.node {
                    UnaryOperator::PostIncrement
                    | UnaryOperator::PostDecrement
                    | UnaryOperator::PreIncrement
                    | UnaryOperator::PreDecrement => {
                        let effects = self.accesses(operand, true, true);
                        let index = self.push(expr, Kind::Update, parent, effects);
                        self.place(operand, Some(index));
                    }
                    UnaryOperator::Address => self.place(operand, parent),
                    UnaryOperator::Indirection => self.read(expr, parent),
                    UnaryOperator::Plus
                    | UnaryOperator::Minus
                    | UnaryOperator::Complement
                    | UnaryOperator::Negate => self.value(operand, parent),
                }
            }
            Expression::Cast(cast) => self.value(&cast.node.expression, parent),
            Expression::BinaryOperator(binary) => {
                let (lhs, rhs) = (&*binary.node.lhs, &*binary.node.rhs);
                match &binary.node.operator.node {
                    BinaryOperator::Index => self.read(expr, parent),
                    BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => self.composite(expr, parent),
                    BinaryOperator::Assign => {
                        let effects = self.accesses(lhs, false, true);
                        let index = self.push(expr, Kind::Update, parent, effects);
                        self.place(lhs, Some(index));
                        self.value(rhs, Some(index));
                    }
                    operator if is_compound_assignment(operator) => {
                        let effects = self.accesses(lhs, false, true);
                        let index = self.push(expr, Kind::Update, parent, effects);
                        // What is atomic is read and written in one step.
                        match self.is_atomic(lhs) {
                            true => self.place(lhs, Some(index)),
                            false => self.read(lhs, Some(index)),
                        }
                        self.value(rhs, Some(index));
                    }
                    _ => {
                        self.value(lhs, parent);
                        self.value(rhs, parent);
                    }
                }
            }
            Expression::VaArg(arg) => {
                let mut effects = self.accesses(&arg.node.va_list, true, true);
                effects.writes.insert(Cell::POINTED);
                self.push(expr, Kind::Update, parent, effects);
            }
            Expression::GenericSelection(_)
            | Expression::Conditional(_)
            | Expression::Comma(_)
            | Expression::Statement(_) => self.composite(expr, parent),
        }
    }

    /// A place that is read.
    fn read(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        let mut effects = self.accesses(expr, true, false);
        effects.atomic = self.is_atomic(expr);
        let index = self.push(expr, Kind::Read, parent, effects);
        self.place(expr, Some(index));
    }

    fn is_atomic(&self, expr: &Node<Expression>) -> bool {
        let Expression::Identifier(name) = &expr.node else { return false };
        match (self.names)(&name.node.name) {
            Known::Variable { cell: Cell { root: Root::Local(var, _), .. }, .. } => {
                self.program.vars[var].ty.quals.atomic
            }
            Known::Variable { .. } => self.program.globals.iter().any(|var| {
                self.program.vars[*var].ty.quals.atomic && self.program.vars[*var].name == name.node.name
            }),
            Known::Private { .. } | Known::Other => false,
        }
    }

    /// What finds a place.
    fn place(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        with_stack(|| match &expr.node {
            Expression::Identifier(name) => {
                self.in_piece(&name.node.name, |this, inner| this.place(inner, parent));
            }
            Expression::Member(member) => match member.node.operator.node {
                MemberOperator::Direct => self.place(&member.node.expression, parent),
                MemberOperator::Indirect => self.base(&member.node.expression, parent),
            },
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.base(&binary.node.lhs, parent);
                self.value(&binary.node.rhs, parent);
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.base(&unary.node.operand, parent);
            }
            _ => self.value(expr, parent),
        });
    }

    /// A pointer, or an array, whose elements are accessed.
    fn base(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        if self.is_array(expr) { self.place(expr, parent) } else { self.value(expr, parent) }
    }

    /// The expression is certainly an array.
    fn is_array(&self, expr: &Node<Expression>) -> bool {
        let mut indices = 0u8;
        let mut at = expr;
        loop {
            match &at.node {
                Expression::Identifier(name) => {
                    return match (self.names)(&name.node.name) {
                        Known::Variable { dimensions, .. } | Known::Private { dimensions } => {
                            dimensions > indices
                        }
                        Known::Other => false,
                    };
                }
                Expression::Member(member) => {
                    let name = member.node.identifier.node.name.as_str();
                    let records = self.program.types.records.iter();
                    let mut fields =
                        records.flat_map(|r| &r.fields).filter(|f| f.name.as_deref() == Some(name));
                    return fields.all(|field| dimensions(self.program, field.ty.ty) > indices);
                }
                Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                    indices = indices.saturating_add(1);
                    at = &binary.node.lhs;
                }
                _ => return false,
            }
        }
    }

    fn list(&mut self, items: &'e [Node<InitializerListItem>], parent: Option<usize>) {
        with_stack(|| {
            for item in items {
                match &item.node.initializer.node {
                    Initializer::Expression(expr) => self.item(expr, parent),
                    Initializer::List(inner) => self.list(inner, parent),
                }
            }
        });
    }

    /// A part of an initialiser.
    fn item(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        self.items += 1;
        let outer = std::mem::replace(&mut self.item, self.items);
        self.value(expr, parent);
        self.item = outer;
    }

    fn composite(&mut self, expr: &'e Node<Expression>, parent: Option<usize>) {
        let effects = self.effects(|walk| walk.expression(expr));
        let (first, last): (Vec<&'e Node<Expression>>, Vec<&'e Node<Expression>>) = match &expr.node {
            Expression::BinaryOperator(binary) => (vec![&binary.node.lhs], vec![&binary.node.rhs]),
            Expression::Conditional(c) => {
                (vec![&c.node.condition], vec![&c.node.then_expression, &c.node.else_expression])
            }
            Expression::Comma(parts) => match parts.split_last() {
                Some((last, first)) => (first.iter().collect(), vec![last]),
                None => (Vec::new(), Vec::new()),
            },
            _ => (Vec::new(), Vec::new()),
        };
        let trailing = self.effects(|walk| last.iter().for_each(|part| walk.expression(part)));
        let mut inner = Collector { events: Vec::new(), ..*self };
        first.into_iter().chain(last).for_each(|part| inner.value(part, None));
        let mut parts: Vec<Effects> = inner.events.into_iter().map(|event| event.effects).collect();
        if parts.is_empty() {
            // Several statements: what they do is not told apart.
            parts = vec![effects.clone(), effects.clone()];
        }
        let index = self.push(expr, Kind::Composite, parent, effects);
        self.events[index].parts = parts;
        self.events[index].trailing = trailing;
    }
}

/// How many dimensions a type has as an array.
fn dimensions(program: &Program, mut ty: TypeId) -> u8 {
    let mut count = 0u8;
    while let Type::Array(of, _) = program.types[ty] {
        count = count.saturating_add(1);
        ty = of.ty;
    }
    count
}

/// The expression has parts whose order could matter: more than one does something.
fn is_worth_it(unit: &ParsedUnit, exprs: &[&Node<Expression>]) -> bool {
    let mut effects = 0;
    let mut todo: Vec<&Node<Expression>> = exprs.to_vec();
    while let Some(expr) = todo.pop() {
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(piece) = unit.piece_named(&name.node.name)
                    && let Tree::Expression(inner) = &unit.pieces[piece].tree
                {
                    todo.push(inner);
                }
            }
            Expression::Member(member) => todo.push(&member.node.expression),
            Expression::Call(call) => {
                effects += 1;
                todo.push(&call.node.callee);
                todo.extend(&call.node.arguments);
            }
            Expression::UnaryOperator(unary) => {
                effects += usize::from(matches!(
                    unary.node.operator.node,
                    UnaryOperator::PostIncrement
                        | UnaryOperator::PostDecrement
                        | UnaryOperator::PreIncrement
                        | UnaryOperator::PreDecrement
                ));
                todo.push(&unary.node.operand);
            }
            Expression::Cast(cast) => todo.push(&cast.node.expression),
            Expression::BinaryOperator(binary) => {
                let operator = &binary.node.operator.node;
                effects +=
                    usize::from(*operator == BinaryOperator::Assign || is_compound_assignment(operator));
                todo.extend([&*binary.node.lhs, &*binary.node.rhs]);
            }
            Expression::Conditional(c) => {
                todo.extend([&*c.node.condition, &*c.node.then_expression, &*c.node.else_expression]);
            }
            Expression::Comma(parts) => todo.extend(parts.iter()),
            Expression::VaArg(_) | Expression::Statement(_) | Expression::CompoundLiteral(_) => effects += 2,
            Expression::GenericSelection(_) => effects += 2,
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {}
        }
    }
    // One alone comes after its operands, unless it is an operand itself.
    match exprs {
        [expr] => effects > 1 || effects == 1 && !does_something(expr),
        _ => effects > 0,
    }
}

/// The outermost operator does something.
fn does_something(expr: &Node<Expression>) -> bool {
    match &expr.node {
        Expression::Call(_) => true,
        Expression::UnaryOperator(unary) => matches!(
            unary.node.operator.node,
            UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
        ),
        Expression::BinaryOperator(binary) => {
            let operator = &binary.node.operator.node;
            *operator == BinaryOperator::Assign || is_compound_assignment(operator)
        }
        _ => false,
    }
}

/// The place that an event accesses.
fn accessed(expr: &Node<Expression>) -> &Node<Expression> {
    match &expr.node {
        Expression::UnaryOperator(unary) if does_something(expr) => &unary.node.operand,
        Expression::BinaryOperator(binary) if does_something(expr) => &binary.node.lhs,
        Expression::VaArg(arg) => &arg.node.va_list,
        _ => expr,
    }
}

fn key(expr: &Node<Expression>) -> usize {
    std::ptr::from_ref(expr) as usize
}

impl<'a> Sema<'a> {
    /// The value of a part of the expression that was evaluated before.
    pub(crate) fn already(&self, expr: &Node<Expression>) -> Option<Value> {
        let done = &self.current.as_ref()?.ordering.done;
        if done.is_empty() { None } else { done.get(&key(expr)).copied() }
    }

    /// Lowers a part that C orders by itself.
    pub(crate) fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.set_covered(false);
        let result = lower(self);
        self.set_covered(outer);
        result
    }

    fn set_covered(&mut self, covered: bool) -> bool {
        match &mut self.current {
            Some(current) => std::mem::replace(&mut current.ordering.covered, covered),
            None => true,
        }
    }

    /// Lowers expressions that C does not order, after what of them depends on the order.
    pub(crate) fn ordered<'e, T>(
        &mut self,
        exprs: &[&'e Node<Expression>],
        lower: impl FnOnce(&mut Self) -> Lower<T>,
    ) -> Lower<T>
    where
        'a: 'e,
    {
        let open = self.current.as_ref().is_some_and(|current| !current.ordering.covered);
        if !open || self.is_scratch() {
            return lower(self);
        }
        self.set_covered(true);
        let result = match is_worth_it(self.unit, exprs) {
            true => self.choose_order(exprs),
            false => Ok(Vec::new()),
        };
        let result = result.and_then(|done| {
            let result = lower(self);
            self.forget(&done);
            result
        });
        self.set_covered(false);
        result
    }

    fn forget(&mut self, done: &[usize]) {
        if let Some(current) = &mut self.current {
            done.iter().for_each(|key| _ = current.ordering.done.remove(key));
        }
    }

    /// What a name stands for where we are.
    fn known(&self, name: &str) -> Known {
        let Some(Entity::Var(id)) = self.scopes.lookup(name) else { return Known::Other };
        let var = &self.program.vars[id];
        let types = &self.program.types;
        let root = match var.storage {
            Storage::Global { .. } | Storage::Static | Storage::Literal => static_root(&var.name, None),
            Storage::StaticLocal(f) => static_root(&var.name, Some(&self.program.functions[f].name)),
            Storage::Param(f) | Storage::Local(f) | Storage::Temp(f) | Storage::Return(f) => {
                let function = &self.program.functions[f].name;
                Root::Local(id, self.shared.summaries.is_addressed(&var.name, function))
            }
        };
        let mut element = var.ty.ty;
        while let Type::Array(of, _) = types[element] {
            element = of.ty;
        }
        let (aggregate, record) = (!types.is_scalar(var.ty.ty), !types.is_scalar(element));
        let cell = Cell { root, aggregate, record, member: None };
        Known::Variable { cell, dimensions: dimensions(self.program, var.ty.ty) }
    }

    /// Evaluates the parts whose order matters, in all orders. Gives their keys.
    fn choose_order<'e>(&mut self, exprs: &[&'e Node<Expression>]) -> Lower<Vec<usize>>
    where
        'a: 'e,
    {
        let Some(first) = exprs.first() else { return Ok(Vec::new()) };
        let span = self.span(first.span);
        let found = self.find_conflicts(exprs);
        let too_many = || {
            let message =
                "the order of evaluation matters here, and more orders are possible than are modelled";
            Fail::unsupported("evaluation-order", message, span)
        };
        let (events, conflicts) = match found {
            Some(found) => found,
            None => return too_many(),
        };
        if conflicts.is_empty() {
            return Ok(Vec::new());
        }
        let has = |kind| conflicts.iter().find(|(_, _, found)| *found == kind);
        if has(Conflict::Unsupported).is_some() {
            return too_many();
        }
        if let Some((a, _, _)) = has(Conflict::Undefined) {
            self.unsequenced(&events[*a])?;
            return Ok(Vec::new());
        }
        for &(a, b, _) in conflicts.iter().filter(|conflict| conflict.2 == Conflict::Perhaps) {
            self.are_apart(&events[a], &events[b])?;
        }
        let choices: Vec<(usize, usize)> =
            conflicts.iter().filter(|c| c.2 == Conflict::Choice).map(|c| (c.0, c.1)).collect();
        if choices.is_empty() {
            return Ok(Vec::new());
        }
        let mut hoisted: Vec<usize> = choices.iter().flat_map(|&(a, b)| [a, b]).collect();
        hoisted.sort_unstable();
        hoisted.dedup();
        let repeated = hoisted.iter().any(|&event| has_statements(self.unit, events[event].expr));
        if hoisted.len() > MAX_HOISTED || repeated {
            return too_many();
        }
        let orders = orders(&events, &hoisted, &choices);
        if orders.len() > MAX_ORDERS {
            return too_many();
        }
        self.lower_orders(&events, &hoisted, &orders, span)
    }

    /// The events, and the pairs of them that depend on their order; `None` if there are too many.
    #[expect(clippy::type_complexity)]
    fn find_conflicts<'e>(
        &self,
        exprs: &[&'e Node<Expression>],
    ) -> Option<(Vec<Event<'e>>, Vec<(usize, usize, Conflict)>)>
    where
        'a: 'e,
    {
        let summaries = &self.shared.summaries;
        let names = |name: &str| self.known(name);
        let unit: &'e ParsedUnit = self.unit;
        // The events outlive the borrows of the collector.
        let events = collect(unit, self.piece, self.program, summaries, &names, exprs);
        if events.len() > MAX_EVENTS {
            return None;
        }
        let pairs =
            Pairs { sema: self, events: &events, all: events.iter().map(|_| OnceCell::new()).collect() };
        let mut conflicts = Vec::new();
        for b in 0..events.len() {
            for a in 0..b {
                let found = match relation(&events, a, b) {
                    Relation::Unordered => pairs.conflict(a, b),
                    Relation::Inside => self.conflict_inside(&events, a, b),
                    Relation::Ordered => None,
                };
                conflicts.extend(found.map(|found| (a, b, found)));
            }
        }
        Some((events, conflicts))
    }

    /// An update inside of another one: `i = i++`.
    fn conflict_inside(&self, events: &[Event<'_>], a: usize, b: usize) -> Option<Conflict> {
        let (x, y) = (&events[a], &events[b]);
        let both_write =
            |of: &Effects| x.effects.writes.iter().any(|cell| cell.is_scalar() && of.writes.contains(cell));
        match (x.kind, y.kind) {
            (Kind::Update, Kind::Update) => self.same_memory(x, y).then_some(Conflict::Undefined),
            (Kind::Update, Kind::Composite) => both_write(&y.trailing).then_some(Conflict::Unsupported),
            _ => None,
        }
    }

    /// Both access the same scalar, or what is written in the same way.
    fn same_memory(&self, x: &Event<'_>, y: &Event<'_>) -> bool {
        let cells = |of: &Event<'_>| -> Vec<Cell> {
            of.effects.writes.iter().chain(&of.effects.reads).cloned().collect()
        };
        let (xs, ys) = (cells(x), cells(y));
        if xs.iter().any(|cell| cell.is_scalar() && ys.contains(cell)) {
            return true;
        }
        let text = |of: &Event<'_>| {
            let place = accessed(of.expr);
            let span = self.unit.span(of.piece, place.span);
            (!is_worth_it(self.unit, &[place])).then(|| self.program.sources.text(span).trim())
        };
        xs.iter().any(|cell| ys.contains(cell)) && text(x).is_some_and(|place| text(y) == Some(place))
    }

    /// Two events that C does not order access different memory: that is checked where their places can be compared, and
    /// taken for granted elsewhere.
    fn are_apart(&mut self, x: &Event<'_>, y: &Event<'_>) -> Lower<()> {
        let span = self.unit.span(x.piece, x.expr.span);
        let (Some(a), Some(b)) = (self.address_of_event(x)?, self.address_of_event(y)?) else {
            let text = "parts of an expression that C does not order access different memory";
            if !self.program.assumptions.iter().any(|assumption| assumption.text == text) {
                self.program.assumptions.push(Assumption { text: text.into(), span });
            }
            return Ok(());
        };
        let (same, other) = (self.point(span)?, self.point(span)?);
        let equal = self.binary(BinOp::Eq, a, b, span)?;
        self.branch_on(equal, same, other, span)?;
        self.go_on(same);
        self.unsequenced(x)?;
        self.jump(other, span)?;
        self.go_on(other);
        Ok(())
    }

    /// Where a scalar is that an event accesses, if nothing happens on the way there.
    fn address_of_event(&mut self, event: &Event<'_>) -> Lower<Option<ExprId>> {
        let expr = accessed(event.expr);
        if is_worth_it(self.unit, &[expr]) || matches!(event.expr.node, Expression::VaArg(_)) {
            return Ok(None);
        }
        let outer = std::mem::replace(&mut self.piece, event.piece);
        let place = self.place(expr);
        self.piece = outer;
        let place = place?;
        let scalar = self.program.types.is_scalar(self.program.places[place].ty);
        if !scalar || self.program.bit_field(place).is_some() {
            return Ok(None);
        }
        let span = self.unit.span(event.piece, expr.span);
        let void = self.program.types.void();
        let pointer = self.program.types.pointer(void);
        let address = self.address(place, span)?;
        self.convert(address, pointer, span).map(Some)
    }

    /// C leaves undefined what happens here.
    fn unsequenced(&mut self, event: &Event<'_>) -> Lower<()> {
        let span = self.unit.span(event.piece, event.expr.span);
        let what = self.program.sources.text(span).trim().to_owned();
        let message = format!("`{what}` is not ordered with another use of what it accesses");
        self.emit_unsupported(Unsupported { kind: "unsequenced", message }, span)
    }

    fn lower_orders(
        &mut self,
        events: &[Event<'_>],
        hoisted: &[usize],
        orders: &[Vec<usize>],
        span: Span,
    ) -> Lower<Vec<usize>> {
        let int = self.program.types.int(IntKind::Int);
        let order = self.temp(int, span)?;
        let place = self.program.var_place(order, span);
        if orders.len() > 1 {
            self.emit(Op::Havoc(place, HavocOrigin::Order), span)?;
        }
        let join = self.point(span)?;
        let mut temps: FxHashMap<usize, VarId> = FxHashMap::default();
        for (number, order) in orders.iter().enumerate() {
            let next = self.point(span)?;
            if number + 1 < orders.len() {
                let (this, chosen) = (self.point(span)?, self.program.load(place, span));
                let number = self.int(number as i128, span);
                let same = self.binary(BinOp::Eq, chosen, number, span)?;
                self.branch(same, this, next, span)?;
                self.go_on(this);
            }
            let keys: Vec<usize> = hoisted.iter().map(|&event| key(events[event].expr)).collect();
            self.forget(&keys);
            for &event in order {
                self.evaluate_event(&events[event], event, &mut temps)?;
            }
            self.jump(join, span)?;
            self.go_on(next);
        }
        self.go_on(join);
        Ok(hoisted.iter().map(|&event| key(events[event].expr)).collect())
    }

    /// Evaluates an event into its temporary.
    fn evaluate_event(
        &mut self,
        event: &Event<'_>,
        number: usize,
        temps: &mut FxHashMap<usize, VarId>,
    ) -> Lower<()> {
        let outer = std::mem::replace(&mut self.piece, event.piece);
        let value = self.saved_event(event.expr, number, temps);
        self.piece = outer;
        let value = value?;
        if let Some(current) = &mut self.current {
            current.ordering.done.insert(key(event.expr), value);
        }
        Ok(())
    }

    fn saved_event(
        &mut self,
        expr: &Node<Expression>,
        number: usize,
        temps: &mut FxHashMap<usize, VarId>,
    ) -> Lower<Value> {
        let span = self.span(expr.span);
        // Composite events are expressions of their own.
        let value = match self.value(expr, true)? {
            Value::Void => return Ok(Value::Void),
            value => self.use_value(value, span)?,
        };
        let temp = match temps.get(&number) {
            Some(temp) => *temp,
            None => {
                let temp = self.temp(self.ty(value), span)?;
                temps.insert(number, temp);
                temp
            }
        };
        let place = self.program.var_place(temp, span);
        let value = self.whole(value, span);
        self.emit(Op::Assign(place, value), span)?;
        Ok(Value::Rvalue(self.program.load(place, span)))
    }
}

/// Compares events; what calls do is looked up when it is asked for.
struct Pairs<'p, 'a, 'e> {
    sema: &'p Sema<'a>,
    events: &'p [Event<'e>],
    all: Vec<OnceCell<Vec<Rc<Effects>>>>,
}

impl Pairs<'_, '_, '_> {
    /// All effects of an event.
    fn all(&self, event: usize) -> &[Rc<Effects>] {
        let summaries = &self.sema.shared.summaries;
        self.all[event].get_or_init(|| summaries.with_calls(&self.events[event].effects))
    }

    fn conflict(&self, a: usize, b: usize) -> Option<Conflict> {
        let summaries = &self.sema.shared.summaries;
        let (x, y) = (&self.events[a], &self.events[b]);
        let direct = collide(summaries, &x.effects, &y.effects);
        if !x.effects.has_calls() && !y.effects.has_calls() {
            if !direct {
                // Another thread may come between two atomic reads.
                let both = summaries.threads && x.effects.atomic && y.effects.atomic;
                return both.then_some(Conflict::Choice);
            }
            if x.item != y.item {
                return Some(Conflict::Choice);
            }
            if x.kind == Kind::Composite || y.kind == Kind::Composite {
                return Some(Conflict::Unsupported);
            }
            let same = self.sema.same_memory(x, y);
            return Some(if same { Conflict::Undefined } else { Conflict::Perhaps });
        }
        // A call does not know the variables of its caller.
        let hidden = |event: &Event<'_>| {
            let effects = &event.effects;
            let mut cells = effects.reads.iter().chain(&effects.writes);
            !effects.has_calls() && !effects.fails && cells.all(|cell| summaries.is_private(cell))
        };
        if !direct && (hidden(x) || hidden(y)) || !self.any(self.all(a), self.all(b)) {
            return None;
        }
        // Something else could come between the parts of a composite event.
        let many = |of: &Event<'_>, other: &[Rc<Effects>]| {
            of.parts.iter().filter(|part| self.any(&summaries.with_calls(part), other)).count() > 1
        };
        let composite = x.kind == Kind::Composite || y.kind == Kind::Composite;
        if composite && (direct || many(x, self.all(b)) || many(y, self.all(a))) {
            return Some(Conflict::Unsupported);
        }
        Some(Conflict::Choice)
    }

    /// Some of the first effects depend on whether some of the others come before.
    fn any(&self, xs: &[Rc<Effects>], ys: &[Rc<Effects>]) -> bool {
        let summaries = &self.sema.shared.summaries;
        let atomic = |x: &Effects, y: &Effects| summaries.threads && x.atomic && y.atomic;
        xs.iter().any(|x| ys.iter().any(|y| collide(summaries, x, y) || ends(x, y) || atomic(x, y)))
    }
}

fn collect<'e>(
    unit: &'e ParsedUnit,
    piece: PieceId,
    program: &Program,
    summaries: &Summaries,
    names: &dyn Fn(&str) -> Known,
    exprs: &[&'e Node<Expression>],
) -> Vec<Event<'e>> {
    let mut collector =
        Collector { unit, piece, program, summaries, names, events: Vec::new(), item: 0, items: 0 };
    match exprs {
        [expr] => collector.value(expr, None),
        _ => {
            let mut seen = FxHashSet::default();
            for expr in exprs {
                // A range gives several elements one expression.
                if seen.insert(key(expr)) {
                    collector.item(expr, None);
                }
            }
        }
    }
    collector.events
}

enum Relation {
    /// Neither is an operand of the other.
    Unordered,
    /// The second is inside of the first, and no call is between them.
    Inside,
    /// The second is an argument of a call in the first.
    Ordered,
}

/// How two events are related; the first has the smaller number.
fn relation(events: &[Event<'_>], a: usize, b: usize) -> Relation {
    let mut at = events[b].parent;
    let mut call = false;
    while let Some(event) = at {
        if event == a {
            return if call || events[a].kind == Kind::Call { Relation::Ordered } else { Relation::Inside };
        }
        call |= events[event].kind == Kind::Call;
        at = events[event].parent;
    }
    Relation::Unordered
}

/// One writes what the other accesses.
fn collide(summaries: &Summaries, x: &Effects, y: &Effects) -> bool {
    let overlap = |a: &Cell, b: &Cell| summaries.overlap(a, b);
    x.writes.iter().any(|w| y.writes.iter().chain(&y.reads).any(|c| overlap(w, c)))
        || y.writes.iter().any(|w| x.reads.iter().any(|c| overlap(w, c)))
}

/// One may end the run before the other violates something.
fn ends(x: &Effects, y: &Effects) -> bool {
    x.ends && y.fails || y.ends && x.fails
}

/// The expression has statements in it, which cannot be lowered twice.
fn has_statements(unit: &ParsedUnit, expr: &Node<Expression>) -> bool {
    let text = |expr: &Expression| matches!(expr, Expression::Statement(_));
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        if text(&expr.node) {
            return true;
        }
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(piece) = unit.piece_named(&name.node.name) {
                    match &unit.pieces[piece].tree {
                        Tree::Expression(inner) => todo.push(inner),
                        Tree::Statement(_) | Tree::External(_) => return true,
                    }
                }
            }
            Expression::Member(member) => todo.push(&member.node.expression),
            Expression::Call(call) => {
                todo.push(&call.node.callee);
                todo.extend(&call.node.arguments);
            }
            Expression::UnaryOperator(unary) => todo.push(&unary.node.operand),
            Expression::Cast(cast) => todo.push(&cast.node.expression),
            Expression::BinaryOperator(binary) => todo.extend([&*binary.node.lhs, &*binary.node.rhs]),
            Expression::Conditional(c) => {
                todo.extend([&*c.node.condition, &*c.node.then_expression, &*c.node.else_expression]);
            }
            Expression::Comma(parts) => todo.extend(parts.iter()),
            // Their objects would be others each time.
            Expression::CompoundLiteral(_) | Expression::GenericSelection(_) => return true,
            _ => {}
        }
    }
    false
}

/// All orders of events in which operands come before their operators, one for each way to order the pairs that depend
/// on it. The last operand comes first in the first one: that is what compilers often do.
fn orders(events: &[Event<'_>], hoisted: &[usize], choices: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut found: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    let mut order = Vec::new();
    extend(events, hoisted, choices, &mut order, &mut found);
    found.into_iter().map(|(_, order)| order).collect()
}

fn extend(
    events: &[Event<'_>],
    hoisted: &[usize],
    choices: &[(usize, usize)],
    order: &mut Vec<usize>,
    found: &mut Vec<(Vec<bool>, Vec<usize>)>,
) {
    if order.len() == hoisted.len() {
        let position = |event: usize| order.iter().position(|e| *e == event);
        let ways: Vec<bool> = choices.iter().map(|&(a, b)| position(a) < position(b)).collect();
        if !found.iter().any(|(known, _)| *known == ways) {
            found.push((ways, order.clone()));
        }
        return;
    }
    for &event in hoisted.iter().rev() {
        let waits = |other: &usize| !order.contains(other) && is_inside(events, *other, event);
        if !order.contains(&event) && !hoisted.iter().any(waits) {
            order.push(event);
            extend(events, hoisted, choices, order, found);
            order.pop();
        }
    }
}

/// The first event is inside of the second.
fn is_inside(events: &[Event<'_>], inner: usize, outer: usize) -> bool {
    let mut at = events[inner].parent;
    while let Some(event) = at {
        if event == outer {
            return true;
        }
        at = events[event].parent;
    }
    false
}
