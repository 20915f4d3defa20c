//! The typed program as formulas, bit-precise.
//!
//! Every scalar that a variable is made of (the variable itself, a field of a record, all elements of an array) is a
//! *cell*: a declared variable of the formulas. Variables whose address is taken, string literals and what `malloc`
//! gives are objects in *memory*: numbered within their [region](crate::regions), their contents in arrays that are
//! indexed by object and offset. A pointer is such a number and an offset. A [`Path`] is what a run through the program means: a conjunction
//! over SSA instances of cells, and the current instance of each. Paths are extended step by step and merged where
//! control flow joins.
//!
//! What can't be encoded is an error that names the construct: the analyses treat such a step like an unsupported
//! edge. An access goes on inside of a live object only; that it is there is an obligation of the step
//! ([`Encoder::take_obligations`]), and a run that violates it is treated like an unsupported edge too.
//!
//! | file | what |
//! |---|---|
//! | `cell` | from variables, fields and elements to declared variables |
//! | `expr`, `place`, `pointer` | expressions, lvalues, pointers |
//! | `memory` | what is known of objects; reading and writing them |
//! | `mixed` | bytes that are pieces of pointers, or something else |
//! | `objects` | objects are born and die |
//! | `copy`, `padding` | records and arrays as wholes; what lies between their members |
//! | `library` | `malloc` and other library functions |
//! | `path` | paths, SSA instances, merging |
//! | `step` | operations, calls and returns |
//! | `demand` | what must hold for a step to be as encoded |
//! | `state` | what invariants can say of pointers |
//! | `written` | what was written, where checks ask |
//! | `init` | the initial values of variables with static storage |

mod cell;
mod copy;
mod demand;
mod expr;
mod init;
mod library;
mod memory;
mod mixed;
mod objects;
mod padding;
mod path;
mod place;
mod pointer;
mod state;
mod step;
mod written;

pub use cell::{Cell, Leaf, Part};
pub use demand::{Demand, Obligation, advice, broken};
pub use path::{Path, Ssa};
pub use state::{Link, ObjectState, PointerState};
pub use step::At;

use crate::regions::{Home, Overlap, RegionId, Regions};
use crate::tuning::MemoryLimits;
use index_vec::IndexVec;
use objects::Frames;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use tour_ir::cfa::CallGraph;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Program, Unsupported, VarId};
use tour_logic::term::{BaseId, TermId, Terms};

/// A construct that has no encoding.
pub type Encode<T> = Result<T, Box<Unsupported>>;

fn unsupported<T>(kind: &'static str, message: impl Into<String>) -> Encode<T> {
    Err(Box::new(Unsupported { kind, message: message.into() }))
}

/// Encodes a program.
pub struct Encoder<'p> {
    program: &'p Program,
    limits: MemoryLimits,
    regions: Arc<Regions>,
    frames: Frames,
    /// The entry function may be called again.
    entry_recurs: bool,
    bases: FxHashMap<Cell, BaseId>,
    /// The cell of a declared variable; `None` for addresses and other constants.
    cells: IndexVec<BaseId, Option<Cell>>,
    /// The variables whose objects are in a region.
    in_region: FxHashMap<RegionId, Vec<VarId>>,
    /// What holds of the steps encoded since the last call of [`Encoder::take_obligations`].
    facts: Vec<TermId>,
    obligations: Vec<Obligation>,
    /// What is written are initial values, also of constants.
    initialising: bool,
    /// Some memory is read by its bytes.
    has_bytes: bool,
    /// String literals that may share bytes, by region.
    overlaps: FxHashMap<RegionId, Rc<[Overlap]>>,
}

impl<'p> Encoder<'p> {
    /// An encoder of a program.
    pub fn new(program: &'p Prepared, limits: MemoryLimits) -> Encoder<'p> {
        let regions: Arc<Regions> = program.fact();
        let mut in_region: FxHashMap<RegionId, Vec<VarId>> = FxHashMap::default();
        for var in program.vars.indices() {
            if let Home::Object(region, _) | Home::Fresh(region) = regions.home(var) {
                in_region.entry(region).or_default().push(var);
            }
        }
        Encoder {
            program,
            limits,
            frames: Frames::of(program, &regions),
            entry_recurs: program.fact::<CallGraph>().is_recursive(program.entry),
            has_bytes: regions.has_bytes(),
            regions,
            bases: FxHashMap::default(),
            cells: IndexVec::new(),
            in_region,
            facts: Vec::new(),
            obligations: Vec::new(),
            initialising: false,
            overlaps: FxHashMap::default(),
        }
    }

    /// What must hold for the steps encoded since the last call to be as encoded: indices in bounds.
    pub fn take_obligations(&mut self) -> Vec<Obligation> {
        self.facts.clear();
        std::mem::take(&mut self.obligations)
    }

    /// The cell that a declared variable stands for; `None` for addresses.
    pub fn cell_of(&self, base: BaseId) -> Option<&Cell> {
        self.cells.get(base)?.as_ref()
    }

    /// The variables of the program that a declared variable is about: one, or those that share a slot in memory.
    pub fn variables_of(&self, base: BaseId) -> Vec<VarId> {
        let cell = match self.cell_of(base) {
            Some(Cell::Old(cell)) => Some(&**cell),
            cell => cell,
        };
        match cell {
            Some(Cell::Var { var, .. } | Cell::Origin { var, .. } | Cell::Home { var, .. }) => vec![*var],
            Some(Cell::Slot { region, .. }) => self.in_region.get(region).cloned().unwrap_or_default(),
            Some(
                Cell::Counter(_)
                | Cell::Sizes(_)
                | Cell::Alive(_)
                | Cell::Heap(_)
                | Cell::Bases(_)
                | Cell::Old(_),
            )
            | None => Vec::new(),
        }
    }

    /// The variable of the program that a declared variable is the value of: a scalar that is not in memory.
    pub fn scalar(&self, base: BaseId) -> Option<VarId> {
        match self.cell_of(base)? {
            Cell::Var { var, fields, part: Part::Value, instance: _ } if fields.is_empty() => Some(*var),
            _ => None,
        }
    }

    /// The declared variable stands for a number of the program: a scalar that is no pointer.
    pub fn is_value(&self, base: BaseId) -> bool {
        match self.cell_of(base) {
            Some(Cell::Var { part, .. }) => *part == Part::Value,
            Some(_) => false,
            // A value that nothing is known of.
            None => true,
        }
    }

    /// The declared variable stands for a number of the program, in a variable or in memory, if it is a scalar.
    pub fn is_number(&self, base: BaseId) -> bool {
        match self.cell_of(base) {
            Some(Cell::Slot { part, .. }) => *part == Part::Value,
            _ => self.is_value(base),
        }
    }

    fn declare(
        &mut self,
        terms: &mut Terms,
        name: &str,
        sort: tour_logic::term::Sort,
        signed: bool,
    ) -> BaseId {
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
