//! Values that are evaluated although nobody uses them.

use super::{Lower, Sema};
use tour_ir::program::{ExprId, is_noticed};
use tour_ir::source::Span;

impl Sema<'_> {
    /// Evaluates values that nobody will use.
    pub(crate) fn evaluate(&mut self, values: &[ExprId], span: Span) -> Lower<()> {
        for &value in values {
            if is_noticed(self.program, value) || self.reads_memory(value) {
                self.save(value, span)?;
            }
        }
        Ok(())
    }
}
