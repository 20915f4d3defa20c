//! The four distance metrics [TOUR §4.1, Equations 4.1 to 4.4]: what an edge weighs.
//!
//! | metric | edge | entering a function | leaving it |
//! |---|---|---|---|
//! | `st` | 1 | 0 | 0 |
//! | `bb` | 1 for a condition | 0 | 0 |
//! | `lh` | 1 from a loop head | 0 | 0 |
//! | `lf` | 1 from a loop head or an entry | 0 | 1 |
//!
//! Calls and returns weigh nothing by themselves under `st`, as in Figures 3.5 and 3.6. A loop's condition stands at its
//! head in `while` and `for`. Loops without a condition there (`do`, `for (;;)`) have a head all the same, and the metric
//! is called after it: so all edges that leave a head count, which is how many abstractions large blocks compute.

use serde::{Deserialize, Serialize};
use std::fmt;
use tour_ir::cfa::{EdgeId, LocKind, Loops};
use tour_ir::program::{Op, Program};

/// A distance metric.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Number of statements.
    St,
    /// Number of basic blocks.
    Bb,
    /// Number of loop heads.
    Lh,
    /// Number of loop heads, function entries and exits.
    Lf,
}

impl Metric {
    /// All of them, in the order of `[TOUR]`.
    pub const ALL: [Metric; 4] = [Metric::St, Metric::Bb, Metric::Lh, Metric::Lf];

    /// `st`, `bb`, `lh`, `lf`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::St => "st",
            Metric::Bb => "bb",
            Metric::Lh => "lh",
            Metric::Lf => "lf",
        }
    }

    /// What it counts, for users.
    pub fn help(self) -> &'static str {
        match self {
            Metric::St => "Number of statements",
            Metric::Bb => "Number of basic blocks",
            Metric::Lh => "Number of loop heads",
            Metric::Lf => "Number of loop heads, function entries and exits",
        }
    }

    /// W(e): what an edge weighs that is no call of a function with a body.
    pub fn weight(self, program: &Program, loops: &Loops, edge: EdgeId) -> u32 {
        let edge = &program.cfa.edges[edge];
        let counts = match self {
            Metric::St => true,
            Metric::Bb => matches!(edge.op, Op::Assume { .. }),
            Metric::Lh => loops.is_head(edge.from),
            Metric::Lf => loops.is_head(edge.from) || program.cfa.locs[edge.from].kind == LocKind::Entry,
        };
        u32::from(counts)
    }

    /// What a return weighs.
    pub fn leave(self) -> u32 {
        u32::from(self == Metric::Lf)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
