//! Block-abstraction memoization `[BAM]`, with recursion `[BAM-R]`.
//!
//! Each function is a block, and each loop if that is asked for. Its abstract reachability graph is computed once for each
//! (reduced) state in which it is entered, and used again wherever it is called in that state: see `search`. A proof is a set of
//! summaries, which [`tour_evidence::evidence`] checks function by function.
//!
//! | file | what |
//! |---|---|
//! | `search` | the system |
//! | `unit` | blocks: functions and loops |
//! | `level` | a block in one state |
//! | `agenda` | which level is worked on |
//! | `cache` | levels by block, reduced state, reduced precision |
//! | `alike` | posts that are alike are computed once |
//! | `nested` | into a nested block, and back for all who use it |
//! | `tour` | distances to errors under call contexts |
//! | `effects` | what functions read and write |
//! | `reducer` | reduction of states, by domain |
//! | `call` | the formulas of a call, and of the way back |
//! | `emit` | what observers are told |
//! | `counterexample` | flattened counterexamples |
//! | `proof` | the summaries that a complete analysis gives |
//! | `refinement` | new precision, and what has to be computed again |

mod agenda;
mod alike;
mod cache;
mod call;
mod counterexample;
mod effects;
mod emit;
mod level;
mod nested;
mod proof;
mod reducer;
mod refinement;
mod search;
mod tour;
mod unit;

pub use reducer::Reducer;
pub use search::Bam;
pub use tour::Tour;
pub use unit::{Partition, loop_ends};

use tour_ir::stats::Statistics;

impl<D: Reducer> Bam<'_, '_, D> {
    /// Says what it has done.
    pub fn publish(&mut self, stats: &Statistics) {
        let counts = self.counts;
        stats.set("cache-hits", counts.hits);
        stats.set("cache-partial-hits", counts.partial_hits);
        stats.set("cache-misses", counts.misses);
        stats.set("blocks-analysed", self.levels.len());
        stats.set("posts-alike", counts.alike);
        stats.set("coverage-checks", counts.coverage_checks);
        stats.set("max-depth", counts.depth);
        stats.set("fixpoint-iterations", counts.iterations);
        let live = self.live_levels();
        stats.set("art-size", live.iter().map(|l| self.levels[*l].arg.len()).sum::<usize>());
        self.engine.smt.stats().publish(stats);
        stats.set("solver-steps", self.engine.smt.spent());
        stats.set("steps", self.engine.spent());
    }
}
