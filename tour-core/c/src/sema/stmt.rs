//! Statements, and the bodies of functions.
//!
//! A statement never fails: what cannot be lowered is an unsupported edge (edges already made stay before it), an
//! error of the program is kept for the user, and lowering goes on behind it.

use super::expr::{Value, with_stack};
use super::flow::Label;
use super::graph::Point;
use super::{Current, Entity, Fail, Lower, Sema};
use crate::front::{PIECE_PREFIX, Tree};
use lang_c::ast::{
    BlockItem, Expression, ForInitializer, ForStatement, Label as LabelSyntax, LabeledStatement, Statement,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use tour_ir::program::{BinOp, FnId, HavocOrigin, Op, Rule, Storage, Type, VarId};
use tour_ir::source::{Diagnostic, Severity, Span};

/// How many errors are kept; more would not help anyone.
const MAX_ERRORS: usize = 50;

impl Sema<'_> {
    /// Lowers the body of a function into its automaton. Its parameters' variables are in `functions[f].params` already;
    /// `declare` brings them into scope and emits what their declarations evaluate.
    pub fn lower_body(
        &mut self,
        function: FnId,
        body: &Node<Statement>,
        declare: impl FnOnce(&mut Self) -> Lower<()>,
    ) {
        let span = self.span(body.span);
        let ret = self.program.functions[function].sig(&self.program.types).ret;
        let void = matches!(self.program.types[ret], Type::Void);
        self.program.functions[function].ret = (!void).then(|| {
            let name = format!("{}$return", self.program.functions[function].name);
            self.add_local(name, ret.into(), Storage::Return(function), span)
        });
        let outer = self.current.replace(Current::new(function, ret));
        self.scopes.enter();
        if let Err(fail) = declare(self) {
            self.recover(*fail);
        }
        self.statement(body);
        let end = Span { start: span.end.saturating_sub(1), ..span };
        if let Err(fail) = self.fall_off(function, end) {
            self.recover(*fail);
        }
        self.scopes.leave();
        if let Err(fail) = self.finish_jumps() {
            self.recover(*fail);
        }
        self.report_missing_labels();
        let current = std::mem::replace(&mut self.current, outer);
        if let Some(current) = current {
            let body = current.graph.finish(function, self.program);
            self.program.functions[function].body = Some(body);
        }
    }

    /// The end of the body without a `return`.
    fn fall_off(&mut self, function: FnId, span: Span) -> Lower<()> {
        if self.program.functions[function].name == "main" && self.program.functions[function].ret.is_some() {
            let zero = self.int(0, span);
            let ret = self.current(span)?.ret;
            let zero = self.coerce(zero, ret, span)?;
            return self.emit_return(Some(zero), span);
        }
        self.return_nothing(span)
    }

    /// `return;`: of a function that returns something, the value is indeterminate.
    fn return_nothing(&mut self, span: Span) -> Lower<()> {
        let ret = self.current(span)?.ret;
        if let Type::Void = self.program.types[ret] {
            return self.emit_return(None, span);
        }
        let temp = self.temp(ret, span)?;
        let place = self.program.var_place(temp, span);
        self.emit(Op::Havoc(place, HavocOrigin::Indeterminate), span)?;
        let value = self.program.load(place, span);
        self.emit_return(Some(value), span)
    }

    fn report_missing_labels(&mut self) {
        let Some(current) = &self.current else { return };
        let mut missing: Vec<_> = (current.labels.iter().flatten())
            .filter(|(_, label)| !label.placed)
            .map(|(name, label)| (label.span, name.clone()))
            .collect();
        missing.sort();
        for (span, name) in missing {
            self.recover(Fail::Error(
                Diagnostic::error("tour::semantics", format!("there is no label `{name}` in this function"))
                    .label(span, "jumps there"),
            ));
        }
    }

    /// What could not be lowered becomes an edge or a message.
    pub(crate) fn recover(&mut self, fail: Fail) {
        match fail {
            Fail::Error(diagnostic) => {
                let errors = self.shared.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
                if errors < MAX_ERRORS {
                    self.shared.diagnostics.push(diagnostic);
                }
            }
            Fail::Unsupported(what, span) => {
                // Outside of functions, whoever called must have dealt with it.
                if let Err(fail) = self.emit_unsupported(what, span)
                    && let Fail::Error(diagnostic) = *fail
                {
                    self.shared.diagnostics.push(diagnostic);
                }
            }
        }
    }

    /// Lowers a statement.
    pub(crate) fn statement(&mut self, statement: &Node<Statement>) {
        if let Err(fail) = with_stack(|| self.lower_statement(statement)) {
            self.recover(*fail);
        }
    }

    fn lower_statement(&mut self, statement: &Node<Statement>) -> Lower<()> {
        let span = self.span(statement.span);
        match &statement.node {
            Statement::Labeled(labeled) => {
                if let Err(fail) = self.place_label(labeled) {
                    self.recover(*fail);
                }
                self.statement(&labeled.node.statement);
                Ok(())
            }
            Statement::Compound(items) => {
                self.in_block(span, |sema| items.iter().for_each(|item| sema.block_item(item)));
                Ok(())
            }
            // Also statements that choose or repeat are blocks (C11 6.8.4, 6.8.5).
            Statement::If(_) | Statement::Switch(_) | Statement::While(_) | Statement::DoWhile(_) => {
                self.in_block(span, |sema| sema.branch_or_loop(statement, span))
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expr)) => self.expression_statement(expr),
            Statement::For(repeat) => self.in_block(span, |sema| sema.for_loop(&repeat.node, span)),
            Statement::Goto(name) => {
                let label = self.label(&name.node.name, self.span(name.span))?;
                self.jump(label, span)
            }
            Statement::Continue => match self.current(span)?.continues.last().copied() {
                Some(to) => self.jump(to, span),
                None => Fail::error("`continue` outside of a loop", span, "here"),
            },
            Statement::Break => match self.current(span)?.breaks.last().copied() {
                Some(to) => self.jump(to, span),
                None => Fail::error("`break` outside of a loop or `switch`", span, "here"),
            },
            Statement::Return(None) => self.return_nothing(span),
            Statement::Return(Some(value)) => {
                let ret = self.current(span)?.ret;
                if let Type::Void = self.program.types[ret] {
                    self.effect(value)?;
                    return self.emit_return(None, span);
                }
                let value = self.rvalue(value)?;
                let value = self.coerce(value, ret, span)?;
                self.emit_return(Some(value), span)
            }
            Statement::Asm(asm) => self.asm(&asm.node, span),
        }
    }

    fn branch_or_loop(&mut self, statement: &Node<Statement>, span: Span) -> Lower<()> {
        match &statement.node {
            Statement::If(branch) => {
                let (then, other, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
                self.condition_or_both(&branch.node.condition, then, other)?;
                self.go_on(then);
                self.inner_statement(&branch.node.then_statement);
                self.jump(join, span)?;
                self.go_on(other);
                if let Some(statement) = &branch.node.else_statement {
                    self.inner_statement(statement);
                }
                self.jump(join, span)?;
                self.go_on(join);
                Ok(())
            }
            Statement::Switch(switch) => self.switch(switch),
            Statement::While(repeat) => {
                let (head, body, exit) = (self.point(span)?, self.point(span)?, self.point(span)?);
                self.jump(head, span)?;
                self.go_on(head);
                self.condition_or_both(&repeat.node.expression, body, exit)?;
                self.go_on(body);
                self.loop_body(&repeat.node.statement, head, exit)?;
                self.jump(head, span)?;
                self.go_on(exit);
                Ok(())
            }
            Statement::DoWhile(repeat) => {
                let (body, check, exit) = (self.point(span)?, self.point(span)?, self.point(span)?);
                self.jump(body, span)?;
                self.go_on(body);
                self.loop_body(&repeat.node.statement, check, exit)?;
                self.jump(check, span)?;
                self.go_on(check);
                self.condition_or_both(&repeat.node.expression, body, exit)?;
                self.go_on(exit);
                Ok(())
            }
            _ => self.lower_statement(statement),
        }
    }

    /// A statement that another one is made of: a block, too.
    fn inner_statement(&mut self, statement: &Node<Statement>) {
        match statement.node {
            Statement::Compound(_) => self.statement(statement),
            _ => self.in_block(self.span(statement.span), |sema| sema.statement(statement)),
        }
    }

    /// The condition of a statement. If it cannot be lowered, both sides still are.
    fn condition_or_both(&mut self, condition: &Node<Expression>, yes: Point, no: Point) -> Lower<()> {
        if let Err(fail) = self.condition(condition, yes, no) {
            self.recover(*fail);
            let span = self.span(condition.span);
            let at = self.current(span)?.at;
            self.jump(yes, span)?;
            self.current(span)?.at = at;
            self.jump(no, span)?;
        }
        Ok(())
    }

    fn loop_body(&mut self, body: &Node<Statement>, again: Point, exit: Point) -> Lower<()> {
        let current = self.current(self.span(body.span))?;
        current.continues.push(again);
        current.breaks.push(exit);
        self.inner_statement(body);
        let current = self.current(self.span(body.span))?;
        current.continues.pop();
        current.breaks.pop();
        Ok(())
    }

    fn for_loop(&mut self, repeat: &ForStatement, span: Span) -> Lower<()> {
        let first = match &repeat.initializer.node {
            ForInitializer::Empty => Ok(()),
            ForInitializer::Expression(expr) => self.effect(expr),
            ForInitializer::Declaration(declaration) => self.local_declaration(declaration),
            ForInitializer::StaticAssert(assert) => self.static_assert(assert),
        };
        if let Err(fail) = first {
            self.recover(*fail);
        }
        let (head, body) = (self.point(span)?, self.point(span)?);
        let (step, exit) = (self.point(span)?, self.point(span)?);
        self.jump(head, span)?;
        self.go_on(head);
        match &repeat.condition {
            Some(condition) => self.condition_or_both(condition, body, exit)?,
            None => self.jump(body, span)?,
        }
        self.go_on(body);
        self.loop_body(&repeat.statement, step, exit)?;
        self.jump(step, span)?;
        self.go_on(step);
        if let Some(expr) = &repeat.step
            && let Err(fail) = self.effect(expr)
        {
            self.recover(*fail);
        }
        self.jump(head, span)?;
        self.go_on(exit);
        Ok(())
    }

    /// Runs `lower` in a scope of its own for names and local labels.
    fn in_block<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.enter();
        self.cross_block(true, span);
        let depth = self.current.as_ref().map_or(0, |c| c.labels.len());
        let result = lower(self);
        // The labels that the block declared for itself end with it.
        let mut ended: Vec<(String, Label)> = Vec::new();
        if let Some(current) = &mut self.current {
            while current.labels.len() > depth.max(1) {
                ended.extend(current.labels.pop().unwrap_or_default());
            }
        }
        ended.retain(|(_, label)| !label.placed);
        ended.sort_by_key(|(_, label)| label.span);
        for (name, label) in ended {
            self.recover(Fail::Error(
                Diagnostic::error("tour::semantics", format!("the local label `{name}` is not defined"))
                    .label(label.span, "declared here"),
            ));
        }
        self.cross_block(false, span);
        self.scopes.leave();
        result
    }

    fn block_item(&mut self, item: &Node<BlockItem>) {
        let result = match &item.node {
            BlockItem::Declaration(declaration) => with_stack(|| self.local_declaration(declaration)),
            BlockItem::StaticAssert(assert) => self.static_assert(assert),
            BlockItem::Statement(statement) => {
                self.statement(statement);
                Ok(())
            }
        };
        if let Err(fail) = result {
            self.recover(*fail);
        }
    }

    fn expression_statement(&mut self, expr: &Node<Expression>) -> Lower<()> {
        match &expr.node {
            Expression::Identifier(name) if name.node.name.starts_with(PIECE_PREFIX) => {
                let lowered = self.in_piece(&name.node.name, |sema, tree| match tree {
                    Tree::Statement(statement) => sema.lower_statement(statement),
                    Tree::Expression(expr) => sema.effect(expr),
                    Tree::External(_) => Ok(()),
                });
                match lowered {
                    Some(lowered) => lowered,
                    None => self.effect(expr),
                }
            }
            Expression::Call(call) if is_named(&call.node.callee, "__tour_local_label") => {
                let span = self.span(expr.span);
                let mut labels = FxHashMap::default();
                for name in &call.node.arguments {
                    if let Expression::Identifier(name) = &name.node {
                        let point = self.point(span)?;
                        labels.insert(name.node.name.clone(), Label { point, span, placed: false });
                    }
                }
                self.current(span)?.labels.push(labels);
                Ok(())
            }
            _ => self.effect(expr),
        }
    }

    /// The location of a label.
    pub(crate) fn label(&mut self, name: &str, span: Span) -> Lower<Point> {
        let current = self.current(span)?;
        if let Some(label) = current.labels.iter().rev().find_map(|labels| labels.get(name)) {
            return Ok(label.point);
        }
        // The label of an error is the error, wherever it stands.
        let point = match name {
            "ERROR" => current.graph.error(Rule::UnreachCall, "label `ERROR`".to_owned(), span),
            _ => current.graph.point(),
        };
        current.labels[0].insert(name.to_owned(), Label { point, span, placed: false });
        Ok(point)
    }

    fn place_label(&mut self, labeled: &Node<LabeledStatement>) -> Lower<()> {
        let span = self.span(labeled.node.label.span);
        match &labeled.node.label.node {
            LabelSyntax::Identifier(name) => {
                let name = &name.node.name;
                let point = self.label(name, span)?;
                self.jump(point, span)?;
                let current = self.current(span)?;
                let label = current.labels.iter_mut().rev().find_map(|labels| labels.get_mut(name));
                if let Some(label) = label {
                    if label.placed {
                        return Fail::error(
                            format!("the label `{name}` is defined twice"),
                            span,
                            "again here",
                        );
                    }
                    label.placed = true;
                }
                if name == "ERROR" {
                    current.graph.move_error(point, span);
                    return Ok(());
                }
                self.go_on(point);
                Ok(())
            }
            LabelSyntax::Case(value) => self.case(value, value, span),
            LabelSyntax::CaseRange(range) => self.case(&range.node.low, &range.node.high, span),
            LabelSyntax::Default => self.default_case(span),
        }
    }

    /// The value of `({ … })`: that of its last expression.
    pub(crate) fn block_value(&mut self, statement: &Node<Statement>, used: bool) -> Lower<Value> {
        let items = match &statement.node {
            Statement::Compound(items) => items,
            _ => return self.last_value(statement, used),
        };
        let Some((last, init)) = items.split_last() else { return Ok(Value::Void) };
        let span = self.span(statement.span);
        self.in_block(span, |sema| {
            init.iter().for_each(|item| sema.block_item(item));
            let value = match &last.node {
                BlockItem::Statement(statement) => with_stack(|| sema.last_value(statement, used)),
                BlockItem::Declaration(_) | BlockItem::StaticAssert(_) => {
                    sema.block_item(last);
                    Ok(Value::Void)
                }
            };
            sema.before_block_ends(value?, span)
        })
    }

    /// A value that outlives the variables of its block.
    fn before_block_ends(&mut self, value: Value, span: Span) -> Lower<Value> {
        let ends = self.current.as_ref().is_some_and(|c| c.graph.ends_lives(self.program));
        match value {
            Value::Rvalue(value) if ends => self.fix(value, span).map(Value::Rvalue),
            value => Ok(value),
        }
    }

    /// The value of the last statement of `({ … })`.
    fn last_value(&mut self, statement: &Node<Statement>, used: bool) -> Lower<Value> {
        match &statement.node {
            Statement::Labeled(labeled) => {
                self.place_label(labeled)?;
                self.last_value(&labeled.node.statement, used)
            }
            Statement::Expression(Some(expr)) => {
                if let Expression::Identifier(name) = &expr.node
                    && let Some(value) = self.in_piece(&name.node.name, |sema, tree| match tree {
                        Tree::Statement(inner) => {
                            // A block inside of the last statement gives no value, as in C.
                            sema.statement(inner);
                            Ok(Value::Void)
                        }
                        Tree::Expression(inner) => sema.value(inner, used),
                        Tree::External(_) => Ok(Value::Void),
                    })
                {
                    return self.value_now(value?, used, self.span(expr.span));
                }
                if !used {
                    self.effect(expr)?;
                    return Ok(Value::Void);
                }
                let value = self.value(expr, used)?;
                self.value_now(value, used, self.span(expr.span))
            }
            _ => {
                self.statement(statement);
                Ok(Value::Void)
            }
        }
    }

    fn value_now(&mut self, value: Value, used: bool, span: Span) -> Lower<Value> {
        match value {
            Value::Place(place)
                if matches!(self.program.types[self.program.places[place].ty], Type::Void) =>
            {
                Ok(Value::Void)
            }
            Value::Place(_) | Value::Function(_) if used => self.use_value(value, span).map(Value::Rvalue),
            value => Ok(value),
        }
    }

    /// Evaluates the length of a variable-length array here, into a variable of type `size_t`.
    pub fn vla_length(&mut self, expr: &Node<Expression>) -> Lower<VarId> {
        let span = self.span(expr.span);
        let value = self.rvalue(expr)?;
        let value = self.fix(value, span)?;
        if self.program.int_type_of(value).is_some() {
            let zero = self.program.int(0, self.ty(value), span);
            let none = self.binary(BinOp::Le, value, zero, span)?;
            let text = self.program.sources.text(span).trim().to_owned();
            let message = format!("`{text}` is the length of an array, and not positive");
            self.undefined_if(none, Rule::VlaLength, message, span)?;
        }
        let size_t = self.program.types.size_t();
        let value = self.convert(value, size_t, span)?;
        let temp = self.temp(size_t, span)?;
        let place = self.program.var_place(temp, span);
        self.emit(Op::Assign(place, value), span)?;
        Ok(temp)
    }

    /// Brings a variable into scope.
    pub(crate) fn declare_var(&mut self, name: &str, var: VarId) {
        if !name.is_empty() {
            self.scopes.declare(name, Entity::Var(var));
        }
    }
}

pub(super) fn is_named(expr: &Node<Expression>, want: &str) -> bool {
    matches!(&expr.node, Expression::Identifier(name) if name.node.name == want)
}
