//! The program without copies of functions.

use std::borrow::Cow;
use tour_evidence::verdict::Violation;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Call, Callee, Op, Program};

/// The program with all calls led to the originals, and the violation as it runs there: for those who change statements.
pub fn undone<'a>(
    program: &'a Prepared,
    violation: &'a Violation,
) -> (Cow<'a, Prepared>, Cow<'a, Violation>) {
    if program.copies.is_empty() {
        return (Cow::Borrowed(program), Cow::Borrowed(violation));
    }
    let (mut plain, mut violation) = (Program::clone(program), violation.clone());
    for edge in &mut plain.cfa.edges {
        if let Op::Call(Call { callee: Callee::Direct(f), .. }) = &mut edge.op {
            *f = program.copies.original_function(*f);
        }
    }
    for step in &mut violation.trace {
        step.edge = program.copies.original(step.edge);
    }
    (Cow::Owned(Prepared::new(plain)), Cow::Owned(violation))
}
