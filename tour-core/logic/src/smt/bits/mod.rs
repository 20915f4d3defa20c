//! A back end of our own for truth values, words and floats: circuits, clauses, a SAT solver (CaDiCaL).
//!
//! Questions about unrolled programs are hard because of their bits, not because of what could be said about words: a
//! modern SAT solver answers them several times faster than Z3 does.
//!
//! | file | what |
//! |---|---|
//! | `gates` | circuits: literals, gates, each made once |
//! | `words` | sums, comparisons, shifts |
//! | `products` | products and quotients |
//! | `float` | floating-point arithmetic |
//! | `tables` | elements of tables at some index |
//! | `blast` | from terms to circuits |
//! | `cnf` | from circuits to clauses; the SAT solver |
//! | `solver` | satisfiability, incrementally |

mod blast;
mod cnf;
mod float;
mod gates;
mod products;
mod solver;
mod tables;
mod words;

#[cfg(test)]
mod tests;

pub use solver::Bits;
