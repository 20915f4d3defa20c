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
//!
//! | file | what |
//! |---|---|
//! | `events` | what of an expression could depend on the order |
//! | `conflicts` | which pairs of events do |
//! | `permutations` | the orders that are possible |
//! | `syntax` | what the form of an expression says |

mod conflicts;
mod events;
mod permutations;
mod syntax;

use super::effects::{Cell, Effects, Known, Root, static_root};
use super::expr::Value;
use super::{Entity, Fail, Lower, Sema};
use crate::front::ParsedUnit;
use conflicts::{Conflict, Pairs, Relation, relation};
use events::{Event, Kind, collect, dimensions};
use lang_c::ast::Expression;
use lang_c::span::Node;
use permutations::orders;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use syntax::{accessed, has_statements, is_worth_it, key};
use tour_ir::program::{
    Assumption, BinOp, ExprId, ExprKind, HavocOrigin, IntKind, Op, PlaceId, PlaceKind, Storage, Type,
    Unordered, Unsupported, VarId,
};
use tour_ir::source::Span;

/// How many orders of one expression are told apart; more are unsupported.
const MAX_ORDERS: usize = 24;

/// How many events of one expression can depend on their order.
const MAX_HOISTED: usize = 5;

/// How many events are compared with each other.
const MAX_EVENTS: usize = 2000;

/// What is known about the expression that is lowered.
#[derive(Debug, Default)]
pub(crate) struct Ordering {
    /// The order of its parts was seen to.
    covered: bool,
    /// Parts that were evaluated already, by their address.
    done: FxHashMap<usize, Value>,
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
            (Kind::Update, Kind::Update) if self.same_memory(x, y) => Some(Conflict::Undefined),
            // `a[i] = a[j]++`
            (Kind::Update, Kind::Update) => {
                let overlap = |a: &Cell, b: &Cell| self.shared.summaries.overlap(a, b);
                let writes = &y.effects.writes;
                let both = x.effects.writes.iter().any(|a| writes.iter().any(|b| overlap(a, b)));
                both.then_some(Conflict::Perhaps)
            }
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
    /// taken for granted elsewhere. Scalars of different sizes are apart by their types, unless one of them is a character
    /// or a member of a union (C11 6.5:7, which `effective-type` checks).
    fn are_apart(&mut self, x: &Event<'_>, y: &Event<'_>) -> Lower<()> {
        let span = self.unit.span(x.piece, x.expr.span);
        let places = (self.scalar_of_event(x)?, self.scalar_of_event(y)?);
        if let (Some(a), Some(b)) = places {
            let size = |place: PlaceId| self.program.types.size(self.program.places[place].ty).unwrap_or(1);
            let by_type = |place: PlaceId| size(place) > 1 && !self.program.is_in_union(place);
            if size(a) != size(b) && by_type(a) && by_type(b) {
                return Ok(());
            }
        }
        let (Some(a), Some(b)) = places else {
            let text = "parts of an expression that C does not order access different memory";
            if !self.program.assumptions.iter().any(|assumption| assumption.text == text) {
                self.program.assumptions.push(Assumption { text: text.into(), span });
            }
            return Ok(());
        };
        let places = [a, b];
        let [a, b] = places.map(|place| self.untyped_address(place, span));
        let (same, other) = (self.point(span)?, self.point(span)?);
        let int = self.program.types.int(IntKind::Int);
        let equal = self.program.add_expr(ExprKind::Binary(BinOp::Eq, a, b), int, span);
        self.program.unordered.push(Unordered { equal, places });
        self.branch_on(equal, same, other, span)?;
        self.go_on(same);
        self.unsequenced(x)?;
        self.jump(other, span)?;
        self.go_on(other);
        Ok(())
    }

    /// The scalar that an event accesses, if nothing happens on the way there.
    fn scalar_of_event(&mut self, event: &Event<'_>) -> Lower<Option<PlaceId>> {
        let expr = accessed(event.expr);
        if is_worth_it(self.unit, &[expr]) || matches!(event.expr.node, Expression::VaArg(_)) {
            return Ok(None);
        }
        let outer = std::mem::replace(&mut self.piece, event.piece);
        let place = self.place(expr);
        self.piece = outer;
        let place = place?;
        let scalar = self.program.types.is_scalar(self.program.places[place].ty);
        Ok((scalar && self.program.bit_field(place).is_none()).then_some(place))
    }

    /// The address of a place, of which nobody but the comparison knows.
    fn untyped_address(&mut self, place: PlaceId, span: Span) -> ExprId {
        let void = self.program.types.void();
        let pointer = self.program.types.pointer(void);
        let address = match self.program.places[place].kind {
            PlaceKind::Deref(pointer) => pointer,
            PlaceKind::Var(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => {
                let to = self.program.types.pointer(self.program.places[place].ty);
                self.program.add_expr(ExprKind::AddrOf(place), to, span)
            }
        };
        self.program.cast(address, pointer, span)
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
