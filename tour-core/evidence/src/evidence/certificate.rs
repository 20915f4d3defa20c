//! Certificates of proofs, and their checker. It shares no code with the analyses that make them (but executes with the
//! same interpreter).

use super::{ExplicitStates, Invariants, Summaries, ThreadInvariants};
use std::sync::Arc;
use tour_ir::cfa::{Edge, LocId};
use tour_ir::limits::Interrupt;
use tour_ir::program::{Callee, ExprKind, FnId, Op, Program};
use tour_logic::smt::Opinions;
use tour_model::slice::Slice;

/// Evidence for a proof. Each kind has a checker of its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Certificate {
    /// A set of locations that contains the entry, is closed under edges and calls, and has no error location:
    /// ascending.
    Locations(Vec<LocId>),
    /// The program takes no input: it has one run, which ends within a bounded number of steps without an error.
    SingleRun {
        /// A bound.
        steps: u64,
    },
    /// Invariants at cut points of the program.
    Invariants(Box<Invariants>),
    /// Summaries of functions, recursive or not.
    Summaries(Box<Summaries>),
    /// The states in which locations are reached.
    States(Box<ExplicitStates>),
    /// Invariants at tuples of locations of a program with threads.
    Interleavings(Box<ThreadInvariants>),
    /// No run is longer than `depth` stretches between cut points, and none of them fails.
    Unrolled {
        /// How many.
        depth: usize,
    },
    /// No run of k stretches between cut points fails, and none fails after k that went well, from any state that
    /// satisfies the invariants (which are inductive by themselves).
    KInduction {
        /// How many.
        k: usize,
        /// The invariants.
        invariants: Box<Invariants>,
    },
    /// A slice of the program, and a proof of the slice.
    Slice {
        /// The slice.
        slice: Arc<Slice>,
        /// The proof.
        proof: Box<Certificate>,
    },
}

/// Does the certificate show that no check of the program can be violated? How its questions were decided; an error says
/// why it does not.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Result<Opinions, String> {
    match certificate {
        Certificate::Locations(locs) if is_closed(program, locs) => Ok(Opinions::default()),
        Certificate::Locations(_) => Err("the locations are not closed under edges and calls".into()),
        Certificate::SingleRun { steps } => {
            super::check_single_run(program, *steps).map(|()| Opinions::default())
        }
        Certificate::Invariants(invariants) => super::check(program, invariants, interrupt),
        Certificate::Summaries(summaries) => super::check_summaries(program, summaries, interrupt),
        Certificate::Interleavings(invariants) => super::check_threads(program, invariants, interrupt),
        Certificate::States(states) => super::check_states(program, states, interrupt),
        Certificate::Unrolled { depth } => super::check_unrolled(program, *depth, interrupt),
        Certificate::KInduction { k, invariants } => {
            super::check_induction(program, *k, invariants, interrupt)
        }
        Certificate::Slice { slice, proof } => {
            let slice = super::slice::check(program, slice).map_err(|why| format!("the slice: {why}"))?;
            check(&slice, proof, interrupt)
        }
    }
}

/// The entry is in the set, every edge that may be taken from a location of the set leads into it, and nothing in it
/// is an error or unsupported.
fn is_closed(program: &Program, locs: &[LocId]) -> bool {
    let has = |loc: LocId| locs.binary_search(&loc).is_ok();
    let called = |f: FnId, after: LocId| match program.functions[f].body {
        Some(body) => has(body.entry) && (has(after) || !has(body.exit)),
        None => has(after),
    };
    // Computed once: a program may have thousands of indirect calls and millions of expressions.
    let every_pointee_is_in = program.exprs.iter().all(|e| match e.kind {
        ExprKind::FnAddr(f) => program.functions[f].body.is_none_or(|body| has(body.entry)),
        _ => true,
    });
    let edge_holds = |edge: &Edge| match &edge.op {
        Op::Unsupported(_) => false,
        Op::Assume { cond, truth } => {
            has(edge.to) || matches!(program.exprs[*cond].kind, ExprKind::Int(v) if (v != 0) != *truth)
        }
        Op::Call(call) => match call.callee {
            Callee::Direct(f) => called(f, edge.to),
            Callee::Indirect(_) => every_pointee_is_in && has(edge.to),
        },
        Op::Nop | Op::Assign(..) | Op::Return(_) | Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) => {
            has(edge.to)
        }
    };
    let entry = program.functions.get(program.entry).and_then(|f| f.body);
    locs.is_sorted()
        && entry.is_some_and(|body| has(body.entry))
        && locs.iter().all(|&loc| {
            program.cfa.error_at(loc).is_none()
                && program.cfa.successors(loc).all(|(_, edge)| edge_holds(edge))
        })
}
