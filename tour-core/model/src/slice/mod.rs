//! Slices: the part of a program that its checks depend on `[SLICE]`.
//!
//! A slice keeps some locations of the program, with all edges that leave them; the others go, and who came there goes on at
//! the next location that is kept. It is made so that every run of the program which violates a check is matched by one of the
//! slice, step by step as far as steps are kept, with the same values of all *data that matter*. The slice has more runs: a loop
//! that does not end, an assumption or an `abort` that is not kept ends no run of it. So a proof of the slice is one of the
//! program, and a violation of the slice is one only if a run of the program shows it.
//!
//! Identifiers stay: a location, an edge, a variable of the slice is that of the program. New ones come behind all of these.
//!
//! | file | what |
//! |---|---|
//! | `dependence` | data, and which of them operations read and write |
//! | `control` | where runs go on, and which branches decide it |
//! | `cone` | what the checks depend on |
//! | `assumptions` | what ends runs early and says something about data that matter |
//! | `reduce` | the automata of the slice |

mod assumptions;
mod cone;
mod control;
mod dependence;
mod reduce;
#[cfg(test)]
mod tests;

pub use cone::Branches;
pub use dependence::Datum;

use index_vec::IndexVec;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Expr, Op, Program};

/// A slice of a program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// For each location the one where a run goes on that is there: itself if it is kept; `None` if a run that is there gets
    /// to no location that is kept.
    pub next: IndexVec<LocId, Option<LocId>>,
    /// The data that have the same values in the slice as in the program, ascending.
    pub data: Vec<Datum>,
    /// The edges of the slice.
    pub edges: Vec<SliceEdge>,
    /// Branches of two edges whose condition is not part of the slice: a run may take either.
    pub open: Vec<LocId>,
    /// Expressions that the program does not have: constants that stand for arguments that do not matter.
    pub constants: Vec<Expr>,
    /// Operations of functions that the program may call.
    pub before: usize,
    /// Operations that are left.
    pub after: usize,
}

/// An edge of the slice, from where it begins in the program.
#[derive(Clone, PartialEq, Debug)]
pub struct SliceEdge {
    /// The edge.
    pub edge: EdgeId,
    /// What it does.
    pub op: Op,
    /// Where it leads.
    pub to: LocId,
}

impl Slice {
    /// The location is part of the slice.
    pub fn keeps(&self, loc: LocId) -> bool {
        self.next[loc] == Some(loc)
    }

    /// The slice as a program.
    pub fn apply(&self, program: &Program) -> Program {
        let mut slice = program.clone();
        slice.exprs.extend(self.constants.iter().cloned());
        for (id, loc) in slice.cfa.locs.iter_mut_enumerated() {
            loc.out.clear();
            loc.into.clear();
            if loc.kind == LocKind::Plain && !self.keeps(id) {
                loc.kind = LocKind::End;
            }
        }
        for edge in &mut slice.cfa.edges {
            edge.op = Op::Nop;
        }
        for SliceEdge { edge, op, to } in &self.edges {
            let at = &mut slice.cfa.edges[*edge];
            (at.op, at.to) = (op.clone(), *to);
            let from = at.from;
            slice.cfa.locs[from].out.push(*edge);
            slice.cfa.locs[*to].into.push(*edge);
        }
        for &loc in &self.open {
            reduce::open(&mut slice, loc);
        }
        slice
    }

    /// The slice of a program by its checks; `None` for programs with threads, and such that end the thread that calls.
    pub fn of(program: &Prepared, branches: Branches) -> Option<Slice> {
        let dependence = dependence::Dependence::of(program)?;
        let cone = cone::Cone::of(&dependence, branches);
        Some(reduce::slice(&dependence, &cone))
    }
}
