//! Formulas: a hash-consed, typed DAG of terms.
//!
//! All terms live in one arena, [`Terms`]; a term is a [`TermId`], and equal terms have equal ids. A node is an
//! operator [`Op`] with arguments: every pass is a match on `Op`, and [`Terms::build`] makes a node again from an
//! operator and new arguments. Construction simplifies (constant folding, neutral elements, canonical order of
//! arguments and comparisons), in about constant time per node, so that most equal formulas have equal ids.
//!
//! ```
//! use tour_logic::term::{Sort, Terms};
//!
//! let mut t = Terms::new();
//! let x = t.declare("x", Sort::BitVec(32), true); // a variable, signed when shown
//! let (x1, x2) = (t.var(x, 1), t.var(x, 2)); // its SSA instances
//! let one = t.bv(32, 1);
//! let sum = t.bv_add(x1, one);
//! let step = t.eq(x2, sum);
//! assert_eq!(t.show(step), "x@2 == x@1 + 1");
//!
//! // From a path formula to a state formula: drop the indices.
//! let state = t.rename(step, |s| s.with_index(0));
//! assert_eq!(state, t.no()); // x == x + 1
//! ```
//!
//! | file | what |
//! |---|---|
//! | `sort`, `value`, `op` | sorts, constants, operators |
//! | `arena` | nodes, symbols, hash-consing |
//! | `build/*` | the simplifying constructors, by sort |
//! | `definitions` | which equations of formulas define variables |
//! | `cone` | what of a formula matters |
//! | `reads` | formulas without arrays |
//! | `elements` | the same where equations define arrays |
//! | `evident` | formulas that are satisfiable at first sight |
//! | `solved` | equations of a conjunction, solved |
//! | `copy` | terms of one arena in another |
//! | `walk` | traversals (iterative: a DAG may be deeper than any stack): free symbols, atoms, substitution |
//! | `eval` | the value of a term under an assignment |
//! | `given` | the value of a term where some variables are known |
//! | `forall` | formulas for all values of a variable |
//! | `print` | C-like and SMT-LIB text |
//!
//! # Canonical forms
//!
//! Passes that match on `Op` can rely on these: there is no `<`, `>`, `>=`, `!=`, `=>` and no subtraction
//! (`a < b` is `!(b <= a)`, `a - b` is `a + -b`); a comparison with a constant is `x <= c` or its negation; the
//! constant of a commutative operator is the last argument; `And` and `Or` have at least two different arguments in
//! ascending order and none is a constant.
//!
//! Division by zero, shifts and all else are total as in SMT-LIB; C's rules are the affair of `encode`.

mod arena;
mod build;
mod cone;
mod copy;
mod definitions;
mod elements;
mod eval;
mod evident;
mod forall;
mod given;
mod narrow;
mod op;
mod print;
mod reads;
mod solved;
mod sort;
mod value;
mod walk;

pub use arena::{Base, BaseId, Symbol, TermId, Terms};
pub use cone::Cone;
pub use copy::Copy;
pub use elements::Elements;
pub use eval::Assignment;
pub use given::Given;
pub use narrow::Narrow;
pub use op::Op;
pub use reads::Reads;
pub use solved::Solved;
pub use sort::{Elem, FloatSort, Sort};
pub use value::{ArrayValue, Bv, Float, Value};
pub use walk::Memo;

#[cfg(any(test, feature = "testing"))]
pub mod random;
