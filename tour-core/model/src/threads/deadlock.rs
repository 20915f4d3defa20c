//! Deadlocks: some thread waits, and none can go on.
//!
//! Where a thread waits for a lock or the like that it does not get, `unfold` leaves a way to a place of its own, outside
//! of the atomic section. Once a thread has gone there, the others may do nothing but the same, so that nothing changes
//! any more: if all come there, or wait for the end of threads, all wait.

use super::{builtin_of, redirect};
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{Builtin, Check, Op, Program, Rule};
use tour_ir::source::Span;

/// Makes the waits of a program with threads visible, and main's return the end of the program.
pub(super) fn add_check(program: &mut Program) {
    let span = program.functions[program.entry].span;
    let check = add(program, span);
    program.threads.deadlock = Some(check);
    let end = super::instance::primitive(program, Builtin::AtomicEnd);
    for edge in waits(program) {
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        let place = program.cfa.add_loc(function, LocKind::Plain);
        program.threads.blocked_at.insert(place);
        redirect(program, edge, place);
        program.cfa.edges[edge].op = super::instance::call(end, Vec::new());
    }
    if let Some(body) = program.functions[program.entry].body {
        let over = program.cfa.add_loc(program.entry, LocKind::End);
        for edge in program.cfa.locs[body.exit].into.clone() {
            redirect(program, edge, over);
        }
    }
}

/// In a program with one thread, each wait is a deadlock.
pub(super) fn add_check_alone(program: &mut Program) {
    for edge in waits(program) {
        let span = program.cfa.edges[edge].span;
        let check = add(program, span);
        program.cfa.edges[edge].op = Op::Nop;
        redirect(program, edge, program.checks[check].loc);
    }
}

/// Nobody asks: a thread that waits takes no step.
pub(super) fn ignore(program: &mut Program) {
    for edge in waits(program) {
        let span = program.cfa.edges[edge].span;
        let int = program.types.int(tour_ir::program::IntKind::Int);
        let cond = program.int(0, int, span);
        program.cfa.edges[edge].op = Op::Assume { cond, truth: true };
    }
}

fn waits(program: &Program) -> Vec<EdgeId> {
    let all = program.cfa.edges.iter_enumerated();
    all.filter(|(_, e)| builtin_of(program, &e.op) == Some(Builtin::Blocked)).map(|(id, _)| id).collect()
}

fn add(program: &mut Program, span: Span) -> tour_ir::program::CheckId {
    let check = program.checks.next_idx();
    let loc = program.cfa.add_loc(program.entry, LocKind::Error(check));
    let message = "all threads wait, and none can go on".to_owned();
    program.checks.push(Check { rule: Rule::Deadlock, loc, message, span })
}
