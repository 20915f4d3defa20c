//! Questions about formulas that have most of their terms in common, as those about an unrolled program do.
//!
//! Arrays are put into other words. What is nothing but bits then is asked of the SAT solver, anything else of Z3. Both
//! hear of a formula only when they are asked about it, and keep what they have learned for the next one.

use super::bits::Bits;
use super::{Purpose, SatResult, Smt, Solver, Unknown};
use crate::term::{Assignment, Reads, TermId, Terms};

/// A series of questions.
pub struct Inquiry {
    reads: Reads,
    bits: Bits,
    z3: Box<dyn Solver>,
    /// Facts about elements of arrays that Z3 has not heard of.
    unasserted: Vec<TermId>,
    /// Some fact is more than bits: all is asked of Z3.
    is_foreign: bool,
    /// Who was asked last.
    asked: Asked,
}

#[derive(Clone, Copy)]
enum Asked {
    Bits,
    Z3,
}

impl Inquiry {
    /// Nothing was asked yet. What is asked counts as if Z3 were.
    pub fn new(smt: &dyn Smt, purpose: Purpose) -> Inquiry {
        Inquiry {
            reads: Reads::new(smt.meter().tuning),
            bits: Bits::new(smt.meter(), purpose),
            z3: smt.solver(purpose),
            unasserted: Vec::new(),
            is_foreign: false,
            asked: Asked::Bits,
        }
    }

    /// Is a formula satisfiable?
    pub fn check(&mut self, terms: &mut Terms, formula: TermId) -> SatResult {
        if formula == terms.no() {
            return SatResult::Unsat;
        }
        let plain = self.reads.without_arrays(terms, formula);
        for fact in self.reads.take_facts() {
            self.unasserted.push(fact);
            self.is_foreign |= !self.bits.understands(terms, fact);
            self.bits.assert(terms, fact);
        }
        if let Some(plain) = plain
            && !self.is_foreign
            && self.bits.understands(terms, plain)
        {
            self.asked = Asked::Bits;
            return self.bits.check(terms, &[plain]);
        }
        self.asked = Asked::Z3;
        let named = self.reads.with_names(terms, plain.unwrap_or(formula));
        for fact in self.unasserted.drain(..).chain(self.reads.take_facts()) {
            self.z3.assert(terms, fact);
        }
        self.z3.check(terms, &[named])
    }

    /// A model, after [`SatResult::Sat`].
    pub fn model(&mut self, terms: &Terms) -> Result<Assignment, Unknown> {
        let mut model = match self.asked {
            Asked::Bits => self.bits.model(terms),
            Asked::Z3 => self.z3.model(terms),
        }?;
        self.reads.complete(terms, &mut model);
        Ok(model)
    }
}
