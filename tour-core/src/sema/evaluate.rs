//! Values that are evaluated although nobody uses them.

use super::{Lower, Sema};
use crate::program::{ExprId, is_noticed};
use crate::source::Span;

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
