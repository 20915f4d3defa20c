//! Goes through code and collects what it reads, writes and calls.

use super::super::expr::with_stack;
use super::super::operator::operator_of;
use super::Summaries;
use super::cells::{Cell, ERRNO, ERRNO_AT, Effects, Root, STATIC_OF, static_root};
use super::known::{is_unevaluated, known_effects};
use super::members::{declared_name, has_class};
use crate::front::{PIECE_PREFIX, ParsedUnit, Tree};
use lang_c::ast::{
    ArraySize, AsmStatement, BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration, Declarator,
    DeclaratorKind, DerivedDeclarator, Designator, Expression, ForInitializer, FunctionDefinition,
    GenericAssociation, Initializer, MemberExpression, MemberOperator, Statement, StorageClassSpecifier,
    UnaryOperator,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;
use tour_ir::program::BinOp;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// A variable that nobody outside of the code that is looked at can access.
    Private { dimensions: u8 },
    /// Another variable.
    Variable { cell: Cell, dimensions: u8 },
    /// A function, or nothing that is known.
    Other,
}

/// Names that code uses in ways that concern all of the program.
#[derive(Default)]
pub(super) struct Noted {
    pub addressed: FxHashSet<Rc<str>>,
    pub mentioned: FxHashSet<Rc<str>>,
}

/// Goes through code and collects its effects.
pub(crate) struct Walk<'w> {
    unit: &'w ParsedUnit,
    all: &'w Summaries,
    function: Option<Rc<str>>,
    /// Names that the code itself declares, innermost last.
    scopes: Vec<FxHashMap<Rc<str>, Known>>,
    /// Names that it finds.
    outer: Option<&'w dyn Fn(&str) -> Known>,
    effects: &'w mut Effects,
    pub(super) noted: Noted,
}

pub(crate) type Cells = SmallVec<[Cell; 2]>;

impl<'w> Walk<'w> {
    pub(super) fn new(
        unit: &'w ParsedUnit,
        all: &'w Summaries,
        function: Option<Rc<str>>,
        effects: &'w mut Effects,
    ) -> Walk<'w> {
        Walk { unit, all, function, scopes: Vec::new(), outer: None, effects, noted: Noted::default() }
    }

    /// Through a part of a function that is lowered, where names are known.
    pub(crate) fn inside(
        unit: &'w ParsedUnit,
        all: &'w Summaries,
        outer: &'w dyn Fn(&str) -> Known,
        effects: &'w mut Effects,
    ) -> Walk<'w> {
        Walk {
            unit,
            all,
            function: None,
            scopes: Vec::new(),
            outer: Some(outer),
            effects,
            noted: Noted::default(),
        }
    }

    pub(super) fn function(&mut self, definition: &FunctionDefinition) {
        self.scopes.push(FxHashMap::default());
        let declarator = &definition.declarator.node;
        let mut at = declarator;
        loop {
            for derived in &at.derived {
                match &derived.node {
                    DerivedDeclarator::Function(f) => {
                        for parameter in &f.node.parameters {
                            let name = parameter.node.declarator.as_ref().and_then(declared_name);
                            self.declare(name, Known::Private { dimensions: 0 });
                        }
                    }
                    DerivedDeclarator::KRFunction(names) => {
                        for name in names {
                            self.declare(Some(&name.node.name), Known::Private { dimensions: 0 });
                        }
                    }
                    _ => {}
                }
            }
            match &at.kind.node {
                DeclaratorKind::Declarator(inner) => at = &inner.node,
                _ => break,
            }
        }
        self.statement(&definition.statement);
        self.scopes.pop();
    }

    fn declare(&mut self, name: Option<&str>, known: Known) {
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.insert(name.into(), known);
        }
    }

    fn lookup(&self, name: &str) -> Known {
        if let Some(known) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return known.clone();
        }
        match self.outer {
            Some(outer) => outer(name),
            None => self.all.lookup_global(name),
        }
    }

    fn piece(&self, name: &str) -> Option<&'w Tree> {
        if !name.starts_with(PIECE_PREFIX) {
            return None;
        }
        let unit = self.unit;
        unit.piece_named(name).map(|piece| &unit.pieces[piece].tree)
    }

    fn statements<'t>(&mut self, items: impl Iterator<Item = &'t Node<BlockItem>>) {
        for item in items {
            match &item.node {
                BlockItem::Declaration(declaration) => self.declaration(&declaration.node),
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(statement) => self.statement(statement),
            }
        }
    }

    fn in_scope(&mut self, step: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashMap::default());
        step(self);
        self.scopes.pop();
    }

    pub(crate) fn statement(&mut self, statement: &Node<Statement>) {
        with_stack(|| match &statement.node {
            Statement::Labeled(labeled) => self.statement(&labeled.node.statement),
            Statement::Compound(items) => self.in_scope(|walk| walk.statements(items.iter())),
            Statement::Expression(Some(expr)) => self.expression(expr),
            Statement::Expression(None) | Statement::Goto(_) | Statement::Continue | Statement::Break => {}
            Statement::If(branch) => {
                self.expression(&branch.node.condition);
                self.statement(&branch.node.then_statement);
                if let Some(other) = &branch.node.else_statement {
                    self.statement(other);
                }
            }
            Statement::Switch(switch) => {
                self.expression(&switch.node.expression);
                self.statement(&switch.node.statement);
            }
            Statement::While(repeat) => {
                self.expression(&repeat.node.expression);
                self.statement(&repeat.node.statement);
            }
            Statement::DoWhile(repeat) => {
                self.statement(&repeat.node.statement);
                self.expression(&repeat.node.expression);
            }
            Statement::For(repeat) => self.in_scope(|walk| {
                match &repeat.node.initializer.node {
                    ForInitializer::Expression(expr) => walk.expression(expr),
                    ForInitializer::Declaration(declaration) => walk.declaration(&declaration.node),
                    ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
                }
                for expr in repeat.node.condition.iter().chain(&repeat.node.step) {
                    walk.expression(expr);
                }
                walk.statement(&repeat.node.statement);
            }),
            Statement::Return(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            Statement::Asm(asm) => {
                let AsmStatement::GnuExtended(asm) = &asm.node else { return };
                asm.inputs.iter().for_each(|input| self.expression(&input.node.variable_name));
                for output in &asm.outputs {
                    let cells = self.lvalue(&output.node.variable_name);
                    self.access(cells, true, true);
                }
                let memory = |part: &String| part.contains("memory");
                if asm.clobbers.iter().any(|clobber| clobber.node.iter().any(memory)) {
                    self.access(smallvec![Cell::POINTED], true, true);
                }
            }
        });
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let class = |class| has_class(&declaration.specifiers, &class);
        if class(StorageClassSpecifier::Typedef) {
            return;
        }
        for item in &declaration.declarators {
            let name = declared_name(&item.node.declarator);
            let Some(shape) = self.all.shape(&declaration.specifiers, &item.node.declarator.node) else {
                continue;
            };
            let known = match name {
                Some(name) if class(StorageClassSpecifier::Static) => {
                    let root = static_root(name, self.function.as_deref());
                    let cell = shape.cell(root);
                    Known::Variable { cell, dimensions: shape.dimensions }
                }
                Some(name) if class(StorageClassSpecifier::Extern) => {
                    let cell = shape.cell(static_root(name, None));
                    Known::Variable { cell, dimensions: shape.dimensions }
                }
                _ => Known::Private { dimensions: shape.dimensions },
            };
            self.sizes(&item.node.declarator.node);
            self.declare(name, known);
        }
        self.initialisers(declaration);
    }

    /// The lengths of arrays are evaluated.
    fn sizes(&mut self, declarator: &Declarator) {
        for derived in &declarator.derived {
            if let DerivedDeclarator::Array(array) = &derived.node
                && let ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) =
                    &array.node.size
            {
                self.expression(size);
            }
        }
    }

    pub(super) fn initialisers(&mut self, declaration: &Declaration) {
        for init in declaration.declarators.iter().filter_map(|item| item.node.initializer.as_ref()) {
            self.initialiser(&init.node);
        }
    }

    fn initialiser(&mut self, init: &Initializer) {
        match init {
            Initializer::Expression(expr) => self.expression(expr),
            Initializer::List(items) => with_stack(|| {
                for item in items {
                    for designator in &item.node.designation {
                        if let Designator::Index(index) = &designator.node {
                            self.expression(index);
                        }
                    }
                    self.initialiser(&item.node.initializer.node);
                }
            }),
        }
    }

    /// An expression whose value is used.
    pub(crate) fn expression(&mut self, expr: &Node<Expression>) {
        with_stack(|| self.value(expr));
    }

    fn value(&mut self, expr: &Node<Expression>) {
        match &expr.node {
            Expression::Identifier(name) => {
                let name = name.node.name.as_str();
                match self.piece(name) {
                    Some(Tree::Expression(inner)) => return self.expression(inner),
                    Some(Tree::Statement(inner)) => return self.statement(inner),
                    Some(Tree::External(_)) | None => {}
                }
                match self.lookup(name) {
                    Known::Variable { cell, dimensions: 0 } => self.access(smallvec![cell], true, false),
                    Known::Variable { .. } | Known::Private { .. } => {}
                    Known::Other => _ = self.noted.mentioned.insert(name.into()),
                }
            }
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {}
            Expression::GenericSelection(generic) => {
                for association in &generic.node.associations {
                    match &association.node {
                        GenericAssociation::Type(case) => self.expression(&case.node.expression),
                        GenericAssociation::Default(expr) => self.expression(expr),
                    }
                }
            }
            Expression::Member(_) => self.read(expr),
            Expression::Call(call) => self.call(&call.node.callee, &call.node.arguments),
            Expression::CompoundLiteral(literal) => {
                for item in &literal.node.initializer_list {
                    self.initialiser(&item.node.initializer.node);
                }
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement => {
                    let cells = self.lvalue(&unary.node.operand);
                    self.access(cells, true, true);
                }
                UnaryOperator::Address => {
                    if let Some(name) = self.root_name(&unary.node.operand)
                        && let Known::Private { .. } = self.lookup(name)
                    {
                        let function = self.function.as_deref().unwrap_or("");
                        self.noted.addressed.insert(format!("{function}{STATIC_OF}{name}").into());
                    }
                    let cells = self.lvalue(&unary.node.operand);
                    // That of `errno` is only given to those who access it at once.
                    if self.function.as_deref() != Some(ERRNO_AT) {
                        self.noted
                            .addressed
                            .extend(cells.iter().filter_map(|cell| cell.root.name().cloned()));
                    }
                }
                UnaryOperator::Indirection => self.read(expr),
                UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::Complement
                | UnaryOperator::Negate => self.expression(&unary.node.operand),
            },
            Expression::Cast(cast) => self.expression(&cast.node.expression),
            Expression::BinaryOperator(binary) => self.binary(expr, &binary.node),
            Expression::Conditional(c) => {
                self.expression(&c.node.condition);
                self.expression(&c.node.then_expression);
                self.expression(&c.node.else_expression);
            }
            Expression::Comma(parts) => parts.iter().for_each(|part| self.expression(part)),
            Expression::VaArg(arg) => {
                let mut cells = self.lvalue(&arg.node.va_list);
                cells.push(Cell::POINTED);
                self.access(cells, true, true);
            }
            Expression::Statement(statement) => self.statement(statement),
        }
    }

    fn binary(&mut self, expr: &Node<Expression>, binary: &BinaryOperatorExpression) {
        match binary.operator.node {
            BinaryOperator::Index => self.read(expr),
            BinaryOperator::Assign => {
                let cells = self.lvalue(&binary.lhs);
                self.expression(&binary.rhs);
                self.access(cells, false, true);
            }
            ref operator => {
                let computed = operator_of(operator);
                if let Some((BinOp::Div | BinOp::Rem, _)) = computed {
                    self.effects.fails = true;
                }
                if let Some((_, true)) = computed {
                    let cells = self.lvalue(&binary.lhs);
                    self.access(cells, true, true);
                } else {
                    self.expression(&binary.lhs);
                }
                self.expression(&binary.rhs);
            }
        }
    }

    pub(crate) fn call(&mut self, callee: &Node<Expression>, args: &[Node<Expression>]) {
        if self.callee(callee) {
            args.iter().for_each(|arg| self.expression(arg));
        }
    }

    /// What is called; whether the arguments are evaluated.
    pub(crate) fn callee(&mut self, callee: &Node<Expression>) -> bool {
        if let Expression::Identifier(name) = &callee.node
            && let Known::Other = self.lookup(&name.node.name)
            && self.piece(&name.node.name).is_none()
        {
            let name = name.node.name.as_str();
            if name == ERRNO_AT {
                self.noted.addressed.insert(ERRNO.into());
            }
            if !is_unevaluated(name) {
                self.effects.calls.insert(name.into());
                return true;
            }
            self.effects.add(&known_effects(name));
            return false;
        }
        self.effects.indirect = true;
        self.expression(callee);
        true
    }

    fn read(&mut self, expr: &Node<Expression>) {
        let cells = self.lvalue(expr);
        self.access(cells, true, false);
    }

    pub(crate) fn access(&mut self, cells: Cells, read: bool, write: bool) {
        for cell in cells {
            self.effects.fails |= matches!(cell.root, Root::Pointed);
            if read {
                self.effects.reads.insert(cell.clone());
            }
            if write {
                self.effects.writes.insert(cell);
            }
        }
    }

    /// The variable that a place is part of, if it is not reached through a pointer.
    fn root_name<'t>(&self, mut expr: &'t Node<Expression>) -> Option<&'t str>
    where
        'w: 't,
    {
        loop {
            expr = match &expr.node {
                Expression::Identifier(name) => match self.piece(&name.node.name) {
                    Some(Tree::Expression(inner)) => inner,
                    Some(_) => return None,
                    None => return Some(&name.node.name),
                },
                Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                    &member.node.expression
                }
                Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                    &binary.node.lhs
                }
                _ => return None,
            }
        }
    }

    /// A place: what it is a part of. Pointers and indices in it are read.
    pub(crate) fn lvalue(&mut self, expr: &Node<Expression>) -> Cells {
        with_stack(|| self.place(expr))
    }

    fn place(&mut self, expr: &Node<Expression>) -> Cells {
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(Tree::Expression(inner)) = self.piece(&name.node.name) {
                    return self.lvalue(inner);
                }
                match self.lookup(&name.node.name) {
                    Known::Variable { cell, .. } => smallvec![cell],
                    Known::Private { .. } | Known::Other => Cells::new(),
                }
            }
            Expression::Member(member) => self.member(&member.node),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.expression(&binary.node.rhs);
                self.behind(&binary.node.lhs)
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.behind(&unary.node.operand)
            }
            _ => {
                self.expression(expr);
                Cells::new()
            }
        }
    }

    fn member(&mut self, member: &MemberExpression) -> Cells {
        let name = self.all.member(&member.identifier.node.name);
        let base = match member.operator.node {
            MemberOperator::Direct => self.lvalue(&member.expression),
            MemberOperator::Indirect => self.behind(&member.expression),
        };
        // The inner member of a member says it as well.
        base.into_iter().map(|cell| Cell { member: name.clone(), ..cell }).collect()
    }

    /// What a pointer, or an array, points to.
    fn behind(&mut self, pointer: &Node<Expression>) -> Cells {
        match &pointer.node {
            Expression::Call(call) if is_named(&call.node.callee, ERRNO_AT) => {
                let root = static_root(ERRNO, None);
                return smallvec![Cell { root, aggregate: false, record: false, member: None }];
            }
            Expression::StringLiteral(_) => return Cells::new(),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                return self.lvalue(&unary.node.operand);
            }
            _ => {}
        }
        if let Some((name, indices)) = indexed(pointer) {
            match self.lookup(name) {
                Known::Private { dimensions } if dimensions > indices => {
                    self.indices(pointer);
                    return Cells::new();
                }
                Known::Variable { cell, dimensions } if dimensions > indices => {
                    self.indices(pointer);
                    return smallvec![cell];
                }
                _ => {}
            }
        }
        // A member may be an array, or a pointer.
        let own = match &pointer.node {
            Expression::Member(_) => self.lvalue(pointer),
            _ => Cells::new(),
        };
        self.expression(pointer);
        let mut cells: Cells = own.into_iter().map(|cell| Cell { member: None, ..cell }).collect();
        if !cells.contains(&Cell::POINTED) {
            cells.push(Cell::POINTED);
        }
        cells
    }

    /// Reads the indices of `a[i][j]`.
    fn indices(&mut self, mut expr: &Node<Expression>) {
        while let Expression::BinaryOperator(binary) = &expr.node {
            self.expression(&binary.node.rhs);
            expr = &binary.node.lhs;
        }
    }
}

fn is_named(expr: &Node<Expression>, name: &str) -> bool {
    matches!(&expr.node, Expression::Identifier(found) if found.node.name == name)
}

/// `a[i][j]`: the variable, and how many indices there are.
fn indexed(mut expr: &Node<Expression>) -> Option<(&str, u8)> {
    let mut indices = 0u8;
    loop {
        match &expr.node {
            Expression::Identifier(name) => return Some((&name.node.name, indices)),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                indices = indices.checked_add(1)?;
                expr = &binary.node.lhs;
            }
            _ => return None,
        }
    }
}
