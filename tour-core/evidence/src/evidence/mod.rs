//! Evidence: what makes a verdict believable.
//!
//! A proof carries [`Invariants`], which [`check`] verifies without the code that found them. It executes blocks in its own
//! way (symbolic values and `ite` at joins, where the analyses have SSA instances and disjunctions), and asks its questions
//! of [`SecondOpinion`](tour_logic::smt::SecondOpinion). With the analyses it shares what is there before them: the program
//! with its automata, loops and call graph, cells and regions of memory (whose solution `points_to` checks), and terms with
//! their simplifications. [`Summaries`] are checked function by function, [`ExplicitStates`]
//! edge by edge.

mod certificate;
mod induction;
mod invariants;
mod points_to;
mod single_run;
mod slice;
mod states;
mod summaries;
mod symbolic;
mod threads;

pub use certificate::{Certificate, check as check_certificate};
pub use induction::{check_induction, check_unrolled};
pub use invariants::{Invariants, Point, check};
pub use single_run::check_single_run;
pub use states::{ExplicitStates, State, check_states};
pub use summaries::{Contract, Summaries, check_summaries, copied};
pub use threads::{ThreadInvariants, check_threads};
