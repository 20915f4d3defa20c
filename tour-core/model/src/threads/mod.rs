//! Threads: interleavings, partial-order reduction, and data-flow statement reduction `[COI]`.
//!
//! [`unfold`] makes the threads of a program explicit: each thread that can be there has its own copy of the functions
//! that it runs, so that locals of different threads are different variables, and all that knows programs with one
//! thread (encoding, regions, interpreter, checker) knows these too. What is left of thread operations is control:
//! `ThreadStart`, `ThreadFinished`, `ThreadExit`, and atomic sections.
//!
//! | file | what |
//! |---|---|
//! | `ids` | numbers that only the library knows: ids of threads, keys |
//! | `split` | one access to shared memory an edge |
//! | `instance` | copies of functions for each thread |
//! | `sync` | locks and the like as variables of their own |
//! | `constant` | variables that always have their first value |
//! | `footprint` | what steps read and write |
//! | `visible` | where steps concern other threads; the end of the run concerns all |
//! | `graph` | where threads can get to, by numbers of strongly connected components |
//! | `live` | values that may still be read |
//! | `interleaving` | tuples of locations, and what can happen next |
//! | `tear` | accesses that a machine does not do at once |
//! | `orders` | memory orders weaker than sequential consistency |
//! | `por` | partial-order reduction by source sets |
//! | `progress` | steps that are sure to happen |
//! | `race`, `deadlock`, `rules` | the rules on data races and deadlocks, and their check at a tuple |
//! | `coi` | data-flow graph, and the statements that nothing observes |

pub mod coi;
mod constant;
mod deadlock;
pub mod footprint;
pub mod graph;
mod ids;
mod instance;
mod interleaving;
pub mod live;
mod orders;
pub mod por;
pub mod progress;
pub mod race;
pub mod rules;
mod split;
mod sync;
mod tear;
pub mod visible;

pub use coi::Flows;
pub use interleaving::{Deadlock, Interleaving, Next, Tuple, TupleId};

use crate::tuning::PreparationLimits;
use std::collections::BTreeSet;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, LocKind};
use tour_ir::choice::Choice;
use tour_ir::program::{Builtin, Call, Callee, FnId, Op, Program, Rule, Unsupported};

/// Which interleavings are left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Por {
    /// None.
    None,
    /// Those that source sets, computed from the locations of threads, show to be covered by others.
    #[default]
    Static,
    /// The same, and those that differ from others by the order of independent actions alone (sleep sets).
    Sleep,
}

impl Choice for Por {
    fn all() -> Vec<(Por, &'static str, &'static str)> {
        vec![
            (Por::None, "none", "None"),
            (
                Por::Static,
                "static",
                "Those that source sets, computed from where threads are, show to be like others",
            ),
            (
                Por::Sleep,
                "sleep",
                "The same, and those that differ from others by the order of independent actions alone",
            ),
        ]
    }
}

/// Which statements are simplified.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Coi {
    /// None.
    Off,
    /// Assignments whose value nothing can observe any more.
    #[default]
    On,
    /// The same, and partial-order reduction looks at what is left of the statements.
    PorCoi,
}

impl Choice for Coi {
    fn all() -> Vec<(Coi, &'static str, &'static str)> {
        vec![
            (Coi::Off, "off", "None"),
            (Coi::On, "on", "Assignments whose value nothing can observe any more"),
            (
                Coi::PorCoi,
                "por-coi",
                "The same, and interleavings are left out by what remains of the statements",
            ),
        ]
    }
}

/// The variable in the library that says whether misuse of locks is checked.
const MISUSE: &str = "__tour_misuse_is_checked";

/// The variable in the library that says whether deadlocks are checked.
const DEADLOCK: &str = "__tour_deadlock_is_checked";

/// Functions whose whole body is one atomic section (SV-COMP).
const ATOMIC: &str = "__VERIFIER_atomic_";

/// The builtin that an operation calls.
pub fn builtin_of(program: &Program, op: &Op) -> Option<Builtin> {
    match op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) if program.functions[*f].body.is_none() => {
            program.functions[*f].builtin
        }
        _ => None,
    }
}

/// Some operation creates a thread.
pub fn creates_threads(program: &Program) -> bool {
    program.cfa.edges.iter().any(|e| builtin_of(program, &e.op) == Some(Builtin::ThreadCreate))
}

/// Makes the threads of a program explicit, at most `bound` for each place that creates threads in a loop. A program
/// that creates none loses its thread operations: it has one thread.
pub fn unfold(program: &mut Program, rules: &[Rule], limits: &PreparationLimits, bound: u32) {
    for (rule, flag) in [(Rule::MutexMisuse, MISUSE), (Rule::Deadlock, DEADLOCK)] {
        if rules.contains(&rule) {
            raise(program, flag);
        }
    }
    if ids::hide(program) {
        raise(program, ids::REUSED);
    }
    let creates = creates_threads(program);
    if bound == 0 {
        refuse(program);
    }
    if !creates || bound == 0 {
        if rules.contains(&Rule::Deadlock) {
            deadlock::add_check_alone(program);
        }
        deadlock::ignore(program);
        settle_alone(program);
        return;
    }
    if !rules.contains(&Rule::Deadlock) {
        deadlock::ignore(program);
    }
    wrap_atomic_functions(program);
    split::one_access_an_edge(program);
    // Kinds of locks that the program also reaches in ways that are not constant stay in its memory.
    let mut in_memory = BTreeSet::new();
    loop {
        let mut copy = program.clone();
        let seen = instance::copy_functions(&mut copy, limits, bound, &in_memory);
        if seen.is_subset(&in_memory) {
            *program = copy;
            break;
        }
        in_memory.extend(seen);
    }
    constant::fold(program, rules.contains(&Rule::DataRace));
    if rules.contains(&Rule::Deadlock) {
        deadlock::add_check(program);
    }
    tear::split(program, rules.contains(&Rule::DataRace));
    visible::separate_ends(program);
    orders::look(program, rules.contains(&Rule::DataRace));
    if rules.contains(&Rule::DataRace) {
        race::add_checks(program);
    }
}

/// Puts the reads of what threads share on edges of their own, in a program that creates threads: before checks of rules
/// are added that ask about the same values.
pub fn separate_reads(program: &mut Program, rules: &[Rule]) {
    if creates_threads(program) && !rules.iter().all(|rule| Rule::STATED.contains(rule)) {
        split::reads_apart(program, rules.contains(&Rule::UninitialisedRead));
    }
}

/// Lets an edge lead to another location.
fn redirect(program: &mut Program, edge: EdgeId, to: LocId) {
    let old = program.cfa.edges[edge].to;
    program.cfa.locs[old].into.retain(|e| *e != edge);
    program.cfa.locs[to].into.push(edge);
    program.cfa.edges[edge].to = to;
}

/// Threads are not wanted: their creation is not modelled.
fn refuse(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        if builtin_of(program, &program.cfa.edges[edge].op) == Some(Builtin::ThreadCreate) {
            let message = "the creation of a thread (threads are not followed with `--threads 0`)".to_owned();
            program.cfa.edges[edge].op = Op::Unsupported(Box::new(Unsupported { kind: "threads", message }));
        }
    }
}

/// A variable of the library that says what is checked is 1.
fn raise(program: &mut Program, flag: &str) {
    let Some(var) = program.globals.iter().copied().find(|v| program.vars[*v].name == flag) else { return };
    let span = program.vars[var].span;
    let (place, ty) = (program.var_place(var, span), program.vars[var].ty.ty);
    let value = program.int(1, ty, span);
    let items = vec![tour_ir::program::InitItem::Value { place, value }];
    program.vars[var].init = Some(tour_ir::program::Init { items });
}

/// Thread operations of a program with one thread.
fn settle_alone(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let span = program.cfa.edges[edge].span;
        let Op::Call(Call { dest, .. }) = &program.cfa.edges[edge].op else { continue };
        let dest = *dest;
        program.cfa.edges[edge].op = match builtin_of(program, &program.cfa.edges[edge].op) {
            Some(Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadExit) => Op::Nop,
            Some(Builtin::ThreadSelf) => match dest {
                Some(dest) => {
                    let ty = program.places[dest].ty;
                    Op::Assign(dest, program.int(1, ty, span))
                }
                None => Op::Nop,
            },
            Some(Builtin::ThreadJoin) => not_modelled("a thread is waited for that was never created"),
            _ => continue,
        };
    }
}

fn not_modelled(message: impl Into<String>) -> Op {
    not_modelled_as("threads", message)
}

fn not_modelled_as(kind: &'static str, message: impl Into<String>) -> Op {
    Op::Unsupported(Box::new(Unsupported { kind, message: message.into() }))
}

/// Bodies of functions that are atomic by their name become atomic sections.
fn wrap_atomic_functions(program: &mut Program) {
    let atomic: Vec<FnId> = (program.functions.iter_enumerated())
        .filter(|(_, f)| f.name.starts_with(ATOMIC) && f.body.is_some())
        .map(|(id, _)| id)
        .collect();
    if atomic.is_empty() {
        return;
    }
    let [begin, end] = [Builtin::AtomicBegin, Builtin::AtomicEnd].map(|b| instance::primitive(program, b));
    for f in atomic {
        let Some(body) = program.functions[f].body else { continue };
        let span = program.functions[f].span;
        let inside = program.cfa.add_loc(f, LocKind::Plain);
        for edge in std::mem::take(&mut program.cfa.locs[body.entry].out) {
            program.cfa.edges[edge].from = inside;
            program.cfa.locs[inside].out.push(edge);
        }
        program.cfa.add_edge(body.entry, inside, instance::call(begin, Vec::new()), span);
        let last = program.cfa.add_loc(f, LocKind::Plain);
        for edge in std::mem::take(&mut program.cfa.locs[body.exit].into) {
            program.cfa.edges[edge].to = last;
            program.cfa.locs[last].into.push(edge);
        }
        program.cfa.add_edge(last, body.exit, instance::call(end, Vec::new()), span);
    }
}

/// The functions that may create threads, themselves or by what they call.
fn creators(program: &Program, calls: &CallGraph) -> BTreeSet<FnId> {
    let mut found: BTreeSet<FnId> = (program.cfa.edges.iter())
        .filter(|e| builtin_of(program, &e.op) == Some(Builtin::ThreadCreate))
        .map(|e| program.cfa.locs[e.from].function)
        .collect();
    loop {
        let before = found.len();
        for f in program.functions.indices() {
            if calls.callees(f).iter().any(|(callee, _)| found.contains(callee)) {
                found.insert(f);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
