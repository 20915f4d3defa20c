//! Linear equations that always hold, modulo 2^w: the affine hull of the reachable states, by symbolic abstraction (Reps,
//! Sagiv and Yorsh, VMCAI 2004; for words of bits King and Søndergaard, CAV 2008).
//!
//! The solver is asked for a state that a block leads to and that breaks an equation; the equations are weakened until
//! they hold there as well; and so on until no block leads out of them. Every sample takes a factor of two at least from
//! the equations, so that this ends. What is found is inductive by itself.

use crate::context::{Engine, unknown};
use std::collections::{BTreeMap, BTreeSet};
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{SatResult, Solver};
use tour_logic::term::{BaseId, TermId, Terms, Value};
use tour_model::block::{Exit, Known, NodeId, Target};
use tour_model::encode::{Ssa, instantiate};

/// An equation between variables, modulo 2^w.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Equation {
    coefficients: Vec<u128>,
    constant: u128,
}

/// What is known about the values of some variables of the same width at one place.
#[derive(Clone, Debug)]
pub struct Space {
    variables: Vec<BaseId>,
    bits: u32,
    /// Equations that all samples satisfy, and that together say all that they have in common. `None` as long as there
    /// is no sample.
    equations: Option<Vec<Equation>>,
}

impl Space {
    /// Nothing seen yet.
    pub fn new(variables: Vec<BaseId>, bits: u32) -> Space {
        Space { variables, bits, equations: None }
    }

    fn mask(&self) -> u128 {
        if self.bits >= 128 { u128::MAX } else { (1 << self.bits) - 1 }
    }

    /// Weakens the equations so that they hold for a sample too. False if they do already.
    fn add(&mut self, sample: &[u128]) -> bool {
        let (mask, bits) = (self.mask(), self.bits);
        let Some(equations) = &mut self.equations else {
            let unit = |i: usize| (0..sample.len()).map(|j| u128::from(i == j)).collect();
            let fixed =
                sample.iter().enumerate().map(|(i, v)| Equation { coefficients: unit(i), constant: *v });
            self.equations = Some(fixed.collect());
            return true;
        };
        let off = |e: &Equation| {
            let sum =
                e.coefficients.iter().zip(sample).fold(0u128, |s, (c, v)| s.wrapping_add(c.wrapping_mul(*v)));
            sum.wrapping_sub(e.constant) & mask
        };
        let broken = equations.iter().map(off).enumerate().filter(|(_, r)| *r != 0);
        // The one that is broken by the least power of two repairs all others.
        let Some((pivot, by)) = broken.min_by_key(|(_, r)| r.trailing_zeros()) else { return false };
        let power = by.trailing_zeros();
        let inverse = inverse(by >> power);
        let repair = equations[pivot].clone();
        for (i, equation) in equations.iter_mut().enumerate() {
            let factor = match i == pivot {
                true => continue,
                false => (off(equation) >> power).wrapping_mul(inverse),
            };
            for (c, r) in equation.coefficients.iter_mut().zip(&repair.coefficients) {
                *c = c.wrapping_sub(factor.wrapping_mul(*r)) & mask;
            }
            equation.constant = equation.constant.wrapping_sub(factor.wrapping_mul(repair.constant)) & mask;
        }
        // What is left of the repaired one: it still holds modulo less.
        let last = &mut equations[pivot];
        let scale = |c: u128| if power == 0 { 0 } else { (c << (bits - power)) & mask };
        last.coefficients.iter_mut().for_each(|c| *c = scale(*c));
        last.constant = scale(last.constant);
        equations.retain(|e| e.coefficients.iter().any(|c| *c != 0));
        true
    }

    /// Knows nothing from now on.
    fn give_up(&mut self) {
        self.equations = Some(Vec::new());
    }

    /// Left and right sides of the equations, as state formulas.
    fn sides(&self, terms: &mut Terms) -> Vec<(TermId, TermId)> {
        let mut sides = Vec::new();
        for equation in self.equations.iter().flatten() {
            let mut sum = terms.bv(self.bits, 0);
            for (&c, &variable) in equation.coefficients.iter().zip(&self.variables).filter(|(c, _)| **c != 0)
            {
                let (factor, variable) = (terms.bv(self.bits, c), terms.var(variable, 0));
                let product = terms.bv_mul(factor, variable);
                sum = terms.bv_add(sum, product);
            }
            sides.push((sum, terms.bv(self.bits, equation.constant)));
        }
        sides
    }

    /// The equations, as state formulas.
    fn formulas(&self, terms: &mut Terms) -> Vec<TermId> {
        self.sides(terms).into_iter().map(|(sum, constant)| terms.eq(sum, constant)).collect()
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration.
fn inverse(odd: u128) -> u128 {
    (0..7).fold(odd, |x, _| x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x))))
}

/// The equations that hold at each node between the variables of its space.
pub fn equations(
    engine: &mut Engine,
    mut spaces: BTreeMap<NodeId, Space>,
) -> Result<BTreeMap<NodeId, Vec<TermId>>, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Ok(BTreeMap::new()) };
    let mut samples = 0;
    let mut waiting = BTreeSet::from([start]);
    while let Some(node) = waiting.pop_first() {
        let premises = spaces.get(&node).map_or(Vec::new(), |space| space.formulas(&mut engine.terms));
        let block = engine.block(node, &Known::default());
        for exit in &block.exits {
            let Target::Node(to) = exit.to else { continue };
            let Some(space) = spaces.get_mut(&to) else { continue };
            if extend(engine, space, exit, &premises, &mut samples)? {
                waiting.insert(to);
            }
        }
    }
    let found = spaces.into_iter().map(|(node, space)| (node, space.formulas(&mut engine.terms)));
    Ok(found.collect())
}

/// Weakens the equations until the way out of a block leads into them. False if it does already.
fn extend(
    engine: &mut Engine,
    space: &mut Space,
    exit: &Exit,
    premises: &[TermId],
    samples: &mut usize,
) -> Result<bool, UnknownReason> {
    engine.ask(exit.formula, |engine, solver| {
        for &premise in premises {
            let premise = instantiate(&mut engine.terms, premise, &Ssa::default());
            solver.assert(&engine.terms, premise);
        }
        let max_samples = engine.heuristics.invariants.templates.max_equation_samples;
        let mut changed = false;
        loop {
            engine.check_interrupt()?;
            let sample = match outside(engine, solver, space, exit) {
                Ok(None) => return Ok(changed),
                Ok(Some(sample)) if *samples < max_samples => sample,
                Ok(Some(_)) => None,
                Err(reason) => {
                    engine.check_interrupt()?;
                    let _ = reason;
                    None
                }
            };
            *samples += 1;
            match sample {
                Some(sample) => changed |= space.add(&sample),
                // Too hard to tell, or too many: nothing is claimed here.
                None => {
                    space.give_up();
                    return Ok(true);
                }
            }
        }
    })
}

/// A state at the end of a block that breaks the equations there (with values, if they are determined).
fn outside(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    space: &Space,
    exit: &Exit,
) -> Result<Option<Option<Vec<u128>>>, UnknownReason> {
    let sat = |result: SatResult| match result {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown(why) => Err(unknown(why)),
    };
    let found = match &space.equations {
        None => sat(solver.check(&engine.terms, &[]))?,
        Some(equations) if equations.is_empty() => false,
        Some(_) => {
            let (mut broken, mut odd) = (Vec::new(), Vec::new());
            for (sum, constant) in space.sides(&mut engine.terms) {
                let sum = exit.path.ssa.evaluate(&mut engine.terms, sum);
                let holds = engine.terms.eq(sum, constant);
                broken.push(engine.terms.not(holds));
                let low = engine.terms.extract(sum, 0, 0);
                let other = engine.terms.extract(constant, 0, 0);
                let same = engine.terms.eq(low, other);
                odd.push(engine.terms.not(same));
            }
            // A sample that is off by an odd number takes an equation away at once.
            let odd = engine.terms.or(&odd);
            let broken = engine.terms.or(&broken);
            sat(solver.check(&engine.terms, &[odd]))? || sat(solver.check(&engine.terms, &[broken]))?
        }
    };
    if !found {
        return Ok(None);
    }
    let mut variables = Vec::with_capacity(space.variables.len());
    for &variable in &space.variables {
        variables.push(exit.path.ssa.value(&mut engine.terms, variable));
    }
    let mut sample = Vec::with_capacity(variables.len());
    for value in solver.values(&engine.terms, &variables).map_err(unknown)? {
        match value {
            Some(Value::Bv(value)) => sample.push(value.value),
            _ => return Ok(Some(None)),
        }
    }
    Ok(Some(Some(sample)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(samples: &[&[u128]], expect: &[&str]) {
        let mut terms = Terms::new();
        let sort = tour_logic::term::Sort::BitVec(8);
        let variables = ["x", "y", "z"].map(|name| terms.declare(name, sort, false)).to_vec();
        let mut space = Space::new(variables, 8);
        for sample in samples {
            space.add(sample);
            assert!(!space.add(sample), "a sample that was added satisfies the equations");
        }
        let shown: Vec<String> = space
            .equations
            .iter()
            .flatten()
            .map(|e| format!("{:?} = {}", e.coefficients, e.constant))
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn equations_of_samples() {
        check(&[&[1, 2, 3]], &["[1, 0, 0] = 1", "[0, 1, 0] = 2", "[0, 0, 1] = 3"]);
        // x + y == z, and y stays.
        check(&[&[1, 2, 3], &[2, 2, 4]], &["[0, 1, 0] = 2", "[255, 0, 1] = 2"]);
        // Steps of two: x is odd still.
        check(&[&[1, 0, 0], &[3, 0, 0]], &["[128, 0, 0] = 128", "[0, 1, 0] = 0", "[0, 0, 1] = 0"]);
        // Everything was seen.
        check(&[&[0, 0, 0], &[1, 0, 0], &[0, 1, 0], &[0, 0, 1]], &[]);
    }

    #[test]
    fn inverses() {
        for odd in [1u128, 3, 5, 255, 0xdead_beef] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
