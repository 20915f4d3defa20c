//! Writes to what is constant: string literals, and variables that are `const`.
//!
//! Formulas know which object is a literal or a static constant. Of automatic variables only their region is known: where
//! all objects that a pointer may point to are constant the write is wrong, where some are it can't be said.

use super::Condition;
use super::walk::Walk;
use tour_ir::program::{ExprId, PointerFact, Program, Rule, VarId};
use tour_ir::source::Span;

impl Walk<'_> {
    /// Something is written through a pointer.
    pub fn writable(&mut self, pointer: ExprId, span: Span, what: &str) {
        if !self.wants(Rule::ConstWrite) {
            return;
        }
        let objects = self.objects();
        let Some(region) = objects.pointee(pointer) else { return };
        let members = objects.members(region);
        let constants =
            members.vars.iter().filter(|var| is_automatic_constant(self.program(), **var)).count();
        let all = constants == members.vars.len() && !members.blocks;
        let message = format!("{what}, which is constant");
        if objects.has_constants(region) {
            let constant = self.build_at(span).test_fact(PointerFact::Constant, pointer, true);
            self.violates_at(Rule::ConstWrite, constant, message.clone(), span);
        }
        if constants > 0 {
            let alive = self.build_at(span).test_fact(PointerFact::Alive, pointer, true);
            let mut parts = vec![alive];
            if !all {
                parts.push(Condition::Unknown("a write to what may be a `const` variable".into()));
            }
            self.violates_at(Rule::ConstWrite, Condition::All(parts), message, span);
        }
    }
}

/// A `const` variable of a function that is no static one.
fn is_automatic_constant(program: &Program, var: VarId) -> bool {
    let variable = &program.vars[var];
    let mut ty = variable.ty;
    while let Some((of, _)) = program.types.element(ty.ty).filter(|_| !ty.quals.constant) {
        ty = of;
    }
    !variable.is_static() && ty.quals.constant
}
