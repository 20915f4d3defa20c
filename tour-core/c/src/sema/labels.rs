//! Labels as values: `&&label` is the address of a constant of its own, and `goto *p` compares `p` with each of them.
//!
//! Which labels have an address is known at the end of the function, so that jumps are finished there.

use super::expr::Value;
use super::graph::Point;
use super::{Lower, Sema};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{BinOp, IntKind, Op, QualType, Quals, Storage, Unsupported, Var, VarId};
use tour_ir::source::Span;

/// A label whose address is taken.
#[derive(Debug, Clone)]
pub(crate) struct Addressed {
    point: Point,
    var: VarId,
}

impl Sema<'_> {
    /// `&&label`
    pub(crate) fn label_address(&mut self, name: &str, span: Span) -> Lower<Value> {
        let point = self.label(name, span)?;
        let known = self.current(span)?.addressed.iter().find(|label| label.point == point).map(|l| l.var);
        let var = match known {
            Some(var) => var,
            None => {
                let function = self.current(span)?.function;
                let quals = Quals { constant: true, ..Quals::default() };
                let ty = QualType { ty: self.program.types.int(IntKind::Char), quals };
                let var = self.program.vars.push(Var {
                    address_taken: true,
                    ..Var::new(format!("&&{name}"), ty, Storage::StaticLocal(function), span)
                });
                self.program.globals.push(var);
                self.current(span)?.addressed.push(Addressed { point, var });
                var
            }
        };
        let place = self.program.var_place(var, span);
        let address = self.address(place, span)?;
        let void = self.program.types.void();
        let pointer = self.program.types.pointer(void);
        self.convert(address, pointer, span).map(Value::Rvalue)
    }

    /// `goto *target;`
    pub(crate) fn computed_goto(&mut self, target: &Node<Expression>, span: Span) -> Lower<Value> {
        let value = self.rvalue(target)?;
        let void = self.program.types.void();
        let pointer = self.program.types.pointer(void);
        let value = self.convert(value, pointer, span)?;
        let value = self.save(value, span)?;
        let here = self.point(span)?;
        self.jump(here, span)?;
        self.go_on(here);
        let current = self.current(span)?;
        current.jumps.push((here, value, span));
        current.at = None;
        Ok(Value::Void)
    }

    /// Lets the jumps of the current function lead to the labels whose addresses it takes.
    pub(crate) fn finish_jumps(&mut self) -> Lower<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let (jumps, labels) = (std::mem::take(&mut current.jumps), current.addressed.clone());
        for (mut at, value, span) in jumps {
            let pointer = self.ty(value);
            let int = self.program.types.int(IntKind::Int);
            for label in &labels {
                let place = self.program.var_place(label.var, span);
                let address = self.address(place, span)?;
                let address = self.convert(address, pointer, span)?;
                let cond = self.program.binary(BinOp::Eq, value, address, int, span);
                let graph = &mut self.current(span)?.graph;
                let next = graph.point_beside(at);
                graph.edge(at, label.point, Op::Assume { cond, truth: true }, span);
                graph.edge(at, next, Op::Assume { cond, truth: false }, span);
                at = next;
            }
            let message = "a jump to what is no label of the function".to_owned();
            let what = Unsupported { kind: "computed-goto", message };
            let graph = &mut self.current(span)?.graph;
            let end = graph.end();
            graph.edge(at, end, Op::Unsupported(Box::new(what)), span);
        }
        Ok(())
    }
}
