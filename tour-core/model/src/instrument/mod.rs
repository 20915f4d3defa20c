//! Instrumentation: puts a check before every operation that can violate a selected rule.
//!
//! Where an operation can violate a rule, the automaton branches first: if the violating condition holds it goes to the
//! error location of a new [`Check`](tour_ir::program::Check), otherwise on to the operation. So reachability is all that the analyses, the
//! interpreter and the certificates have to know. Conditions are ordinary expressions over the program's variables,
//! with [`PointerFact`](tour_ir::program::PointerFact)s where they speak of objects, and exact: they hold just when the
//! operation violates the rule. Conditions of the parts of an expression come in the order of evaluation, innermost
//! first, so that a later one may rely on the earlier ones not to hold.
//!
//! What is obviously fine (a constant index inside its array, division by a constant) gets no check.
//!
//! Where a rule is not selected, what violates it is unsupported: by the same conditions (`walk::Rules::guarded`), or
//! because formulas and the interpreter demand it of each operation (floats that fit). Signed arithmetic goes on, and wraps
//! around. An access outside of an object ends the run, if no rule about memory is selected
//! ([`tour_ir::program::Program::undefined_ends`]).
//!
//! | file | what |
//! |---|---|
//! | `walk` | the parts of an operation in the order of evaluation |
//! | `arithmetic` | signed overflow, division by zero, shifts, wrapping |
//! | `access` | null pointers, bounds, lives of objects |
//! | `heap` | what may be freed |
//! | `pointer` | pointer arithmetic |
//! | `cast` | values that integers, enumerations and `_Bool` have not |
//! | `bools` | where a `_Bool` may be none |
//! | `alignment` | misaligned accesses |
//! | `effective` | accesses as what an object is not |
//! | `constant` | writes to what is constant |
//! | `overlap` | copies that overlap |
//! | `marks` | undefined behaviour that the front end finds |
//! | `returns` | results that were never returned |
//! | `unordered` | accesses that C does not order |
//! | `undefined` | the list of all undefined behaviours |
//! | `initial` | reads of what was never written |
//! | `inner` | pointers into arrays inside of objects |
//! | `granted` | what is taken for granted where a rule is not checked |
//! | `leak` | blocks that are lost |
//! | `reads` | texts that output reads |
//! | `library` | calls that formulas have no operation for |
//! | `objects` | what pointers may point to |
//! | `condition`, `build`, `range` | conditions, expressions for them, and what types say of values |
//! | `weave` | puts conditions into the automaton |

mod access;
mod alignment;
mod arithmetic;
mod bools;
mod build;
mod cast;
mod condition;
mod constant;
mod effective;
mod granted;
mod heap;
mod initial;
mod inner;
mod leak;
mod library;
mod marks;
mod objects;
mod overlap;
mod pointer;
mod range;
mod reads;
mod returns;
#[cfg(test)]
mod tests;
pub mod undefined;
mod unordered;
mod walk;
mod weave;

use crate::copies;
use crate::threads;
use crate::tuning::PreparationLimits;
use condition::{Condition, Violation};
use std::collections::BTreeSet;
use tour_ir::cfa::CallGraph;
use tour_ir::program::{FnId, Program, Rule};

/// Makes a program ready for the analyses: leaves only the checks of these rules, and adds those that the program does
/// not state itself. A check of another rule merely ends the program, as a failed `assert` does. Then calls get copies of
/// functions (see [`copies`]), so that all copies of a check are that check.
pub fn select(program: &mut Program, rules: &[Rule]) {
    select_tuned(program, rules, &PreparationLimits::default());
}

/// The same with other limits.
pub fn select_tuned(program: &mut Program, rules: &[Rule], limits: &PreparationLimits) {
    unordered::settle(program);
    instrument(program, rules);
    library::settle(program);
    for check in program.checks.indices() {
        if !rules.contains(&program.checks[check].rule) {
            marks::unsupported(program, check);
            program.close(check);
        }
    }
    program.undefined_ends = !rules.contains(&Rule::OutOfBounds) && !rules.contains(&Rule::UseAfterFree);
    program.assumptions.extend(granted::by(program, rules, &reached(program)));
    // Those that threads run are copied for them.
    if !threads::creates_threads(program) {
        copies::add(program, limits);
    }
    if !rules.contains(&Rule::OutOfBounds) {
        program.assumptions.extend(crate::regions::taken_for_granted(program));
    }
}

/// Adds the checks of the rules that a program does not state itself.
fn instrument(program: &mut Program, rules: &[Rule]) {
    if rules.iter().all(|rule| Rule::STATED.contains(rule)) {
        reads::leave_out(program);
    } else {
        marks::violate(program, rules);
        reads::add(program);
    }
    let reached = reached(program);
    let objects = objects::Objects::of(program);
    let effective = effective::Effective::of(program, &objects);
    let bools = bools::Bools::of(program, &objects);
    program.assumptions.extend(effective.assumption());
    program.assumptions.extend(inner::assumption(program, &objects));
    program.assumptions.extend(undefined::not_checked(program, rules));
    // First the variables that remember something, so that their own operations are not looked at.
    let shadows = initial::Shadows::new(program, rules, &reached);
    let known = walk::Known { shadows, objects, effective, bools };
    weave::all(program, &walk::Rules::new(rules), &reached, &known);
    returns::watch(program, rules, &reached);
    if rules.contains(&Rule::MemoryLeak) {
        leak::watch(program, &reached);
    }
}

/// The functions that a run can get to, by id: those that the entry calls, those that something else may call (a thread
/// begins with one), and what these call.
fn reached(program: &Program) -> Vec<FnId> {
    let calls = CallGraph::of(program);
    let mut reached: BTreeSet<FnId> = (program.functions.indices())
        .filter(|f| calls.is_reachable(*f) || calls.is_address_taken(*f))
        .collect();
    let mut work: Vec<FnId> = reached.iter().copied().collect();
    while let Some(f) = work.pop() {
        for (callee, _) in calls.callees(f) {
            if reached.insert(callee) {
                work.push(callee);
            }
        }
    }
    reached.into_iter().filter(|f| program.functions[*f].body.is_some()).collect()
}
