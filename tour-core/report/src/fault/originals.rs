//! The program without copies of functions.

use std::borrow::Cow;
use tour_evidence::verdict::Violation;
use tour_ir::program::{Call, Callee, Op, Program};

/// The program with all calls led to the originals, and the violation as it runs there: for those who change statements.
pub fn undone<'a>(program: &'a Program, violation: &'a Violation) -> (Cow<'a, Program>, Cow<'a, Violation>) {
    if program.copies.is_empty() {
        return (Cow::Borrowed(program), Cow::Borrowed(violation));
    }
    let (mut plain, mut violation) = (program.clone(), violation.clone());
    for edge in &mut plain.cfa.edges {
        if let Op::Call(Call { callee: Callee::Direct(f), .. }) = &mut edge.op {
            *f = program.copies.original_function(*f);
        }
    }
    for step in &mut violation.trace {
        step.edge = program.copies.original(step.edge);
    }
    (Cow::Owned(plain), Cow::Owned(violation))
}
