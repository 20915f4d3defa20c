//! The events of an expression: what it reads, writes and calls, and which of them are operands of which.

use super::super::effects::{Cell, Effects, Known, Root, Summaries, Walk};
use super::super::expr::with_stack;
use super::super::operator::is_compound_assignment;
use super::syntax::key;
use crate::front::{ParsedUnit, PieceId, Tree};
use lang_c::ast::{
    BinaryOperator, Expression, Initializer, InitializerListItem, MemberOperator, UnaryOperator,
};
use lang_c::span::Node;
use rustc_hash::FxHashSet;
use tour_ir::program::{Program, Type, TypeId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Read,
    Update,
    Call,
    /// Parts that C orders.
    Composite,
}

pub(super) struct Event<'e> {
    pub expr: &'e Node<Expression>,
    pub piece: PieceId,
    pub kind: Kind,
    pub effects: Effects,
    /// The event that it is an operand of.
    pub parent: Option<usize>,
    /// The part of an initialiser that it is in: those are not ordered, but each is evaluated as a whole.
    pub item: usize,
    /// The events inside of a composite one.
    pub parts: Vec<Effects>,
    /// What a composite one does last, which nothing orders with what is around it.
    pub trailing: Effects,
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
pub(super) fn dimensions(program: &Program, mut ty: TypeId) -> u8 {
    let mut count = 0u8;
    while let Type::Array(of, _) = program.types[ty] {
        count = count.saturating_add(1);
        ty = of.ty;
    }
    count
}

pub(super) fn collect<'e>(
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
