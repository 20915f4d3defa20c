//! Candidates with sums: `a + b <= c`, `a - b <= k`, `2a <= b` and the like, without wrap-around.
//!
//! Sums are built in a wider sort, so that they mean what they say.

use crate::heuristics::TemplateLimits;
use tour_logic::term::{BaseId, Sort, TermId, Terms};

/// Candidates about sums of these variables, which are compared with each other and with constants.
pub fn candidates(
    terms: &mut Terms,
    at_most: &TemplateLimits,
    variables: &[BaseId],
    constants: &[TermId],
    found: &mut Vec<TermId>,
) {
    let Some(bits) = variables.iter().find_map(|v| match terms.base(*v).sort {
        Sort::BitVec(bits @ 8..=64) => Some(bits),
        _ => None,
    }) else {
        return;
    };
    let wide = bits + 2;
    let mut values = Vec::new();
    for &variable in variables {
        if values.len() < at_most.max_summands && terms.base(variable).sort == Sort::BitVec(bits) {
            let (value, signed) = (terms.var(variable, 0), terms.base(variable).signed);
            values.push(terms.resize(value, wide, signed));
        }
    }
    let mut limits = vec![terms.bv(wide, 0), terms.bv(wide, 1)];
    for &constant in constants {
        if limits.len() < at_most.max_sum_constants && terms.sort(constant) == Sort::BitVec(bits) {
            limits.push(terms.resize(constant, wide, true));
        }
    }
    limits.sort_unstable();
    limits.dedup();
    let one = terms.bv(wide, 1);
    for (i, &a) in values.iter().enumerate() {
        for &b in &values[i + 1..] {
            let (sum, difference) = (terms.bv_add(a, b), terms.bv_sub(a, b));
            for &limit in &limits {
                for side in [sum, difference] {
                    found.push(terms.bv_le(true, side, limit));
                    found.push(terms.bv_le(true, limit, side));
                }
            }
            for &c in values.iter().filter(|c| **c != a && **c != b) {
                found.push(terms.bv_le(true, sum, c));
                found.push(terms.bv_le(true, c, sum));
            }
            for (x, y) in [(a, b), (b, a)] {
                let twice = terms.bv_add(x, x);
                let more = terms.bv_add(twice, one);
                found.push(terms.bv_le(true, twice, y));
                found.push(terms.bv_le(true, y, twice));
                found.push(terms.bv_le(true, y, more));
                found.push(terms.bv_le(true, more, y));
            }
        }
    }
}
