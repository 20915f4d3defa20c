//! The typed program as formulas, bit-precise.
//!
//! Every scalar that a variable is made of (the variable itself, a field of a record, all elements of an array) is a
//! *cell*: a declared variable of the formulas. A [`Path`] is what a run through the program means: a conjunction
//! over SSA instances of cells, and the current instance of each. Paths are extended step by step and merged where
//! control flow joins.
//!
//! What can't be encoded is an error that names the construct: the analyses treat such a step like an unsupported
//! edge. An access to an element of an array goes on in bounds only; that it is in bounds is an obligation of the step
//! ([`Encoder::take_obligations`]), and a run that violates it is treated like an unsupported edge too.
//!
//! | file | what |
//! |---|---|
//! | `cell` | from variables, fields and elements to declared variables |
//! | `expr`, `place` | expressions and lvalues |
//! | `path` | paths, SSA instances, merging |
//! | `step` | operations, calls and returns |
//! | `init` | the initial values of variables with static storage |

mod cell;
mod expr;
mod init;
mod path;
mod place;
mod step;

pub use cell::{Cell, Leaf};
pub use path::{Path, Ssa};
pub use step::At;

use crate::program::{Program, Unsupported};
use crate::term::{BaseId, TermId, Terms};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;

/// A construct that has no encoding.
pub type Encode<T> = Result<T, Box<Unsupported>>;

fn unsupported<T>(kind: &'static str, message: impl Into<String>) -> Encode<T> {
    Err(Box::new(Unsupported { kind, message: message.into() }))
}

/// Encodes a program.
pub struct Encoder<'p> {
    program: &'p Program,
    bases: FxHashMap<Cell, BaseId>,
    /// The cell of a declared variable; `None` for addresses and other constants.
    cells: IndexVec<BaseId, Option<Cell>>,
    obligations: Vec<TermId>,
}

impl<'p> Encoder<'p> {
    /// An encoder of a program.
    pub fn new(program: &'p Program) -> Encoder<'p> {
        Encoder { program, bases: FxHashMap::default(), cells: IndexVec::new(), obligations: Vec::new() }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// What must hold for the steps encoded since the last call to be as encoded: indices in bounds.
    pub fn take_obligations(&mut self) -> Vec<TermId> {
        std::mem::take(&mut self.obligations)
    }

    /// The cell that a declared variable stands for; `None` for addresses.
    pub fn cell_of(&self, base: BaseId) -> Option<&Cell> {
        self.cells.get(base)?.as_ref()
    }

    fn declare(&mut self, terms: &mut Terms, name: &str, sort: crate::term::Sort, signed: bool) -> BaseId {
        let base = terms.declare(name, sort, signed);
        while self.cells.len_idx() <= base {
            self.cells.push(None);
        }
        base
    }
}

/// A state formula (all indices 0) over the current instances of a path.
pub fn instantiate(terms: &mut Terms, formula: TermId, ssa: &Ssa) -> TermId {
    terms.rename(formula, |s| s.with_index(ssa.index(s.base)))
}
