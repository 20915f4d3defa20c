//! Smaller inputs for a violation: zero where any value does, then small magnitudes. Each candidate is executed by the
//! interpreter and counts only if the run fails the same check.
//!
//! Inputs that depend on each other (`b == a + 1`, `a + b > LIMIT`) can't be made smaller one by one: where nothing else helps, two
//! are moved together, or against each other.

use super::recorder::{Recorder, steps};
use crate::context::{Context, Findings};
use std::collections::VecDeque;
use tour_evidence::verdict::{TakenInput, Violation};
use tour_interp::interp::{Image, Inputs, Options, Outcome, Request, Trace};
use tour_ir::prepared::Prepared;
use tour_ir::program::Type;

/// Makes the inputs of all violations small.
pub fn shrink_all(program: &Prepared, findings: &mut Findings, context: &Context) {
    for violation in &mut findings.violations {
        *violation = shrink(program, violation.clone(), context);
    }
}

/// Makes the inputs of a violation small, as far as the limits go. A run of several threads stays as it is: its schedule was
/// found with these inputs.
pub fn shrink(program: &Prepared, violation: Violation, context: &Context) -> Violation {
    if !program.threads.is_empty() || violation.inputs.is_empty() {
        return violation;
    }
    let limits = &context.heuristics.confirmation;
    let image = Image::of(program);
    let mut search = Search {
        program,
        image: &image,
        context,
        runs: limits.shrink_runs,
        steps: limits.shrink_steps,
        best: violation,
    };
    while search.round() || search.pairs() {}
    search.best
}

struct Search<'a> {
    program: &'a Prepared,
    image: &'a Image<'a>,
    context: &'a Context,
    /// What is left.
    runs: u64,
    steps: u64,
    best: Violation,
}

impl Search<'_> {
    /// Tries to make each part smaller once. True if something became smaller.
    fn round(&mut self) -> bool {
        let mut progress = false;
        // Parts of it zero: all, halves, quarters, …
        let mut size = self.best.inputs.len();
        while size > 0 {
            let mut start = 0;
            while start < self.best.inputs.len() && !self.is_spent() {
                let end = (start + size).min(self.best.inputs.len());
                let part = &self.best.inputs[start..end];
                if part.iter().any(|input| input.bits != 0) {
                    let mut inputs = self.best.inputs.clone();
                    inputs[start..end].iter_mut().for_each(|input| input.bits = 0);
                    progress |= self.accept(inputs);
                }
                start += size;
            }
            size /= 2;
        }
        let mut at = 0;
        while at < self.best.inputs.len() && !self.is_spent() {
            progress |= self.nearer_to_zero(at);
            at += 1;
        }
        progress
    }

    /// One input: its opposite if it is negative, then the way to zero by halves.
    fn nearer_to_zero(&mut self, at: usize) -> bool {
        let mut progress = false;
        while let Some(magnitude) = self.magnitude(at).filter(|m| m.value > 1 || m.is_negative) {
            let Magnitude { value, is_negative, mask } = magnitude;
            let mut candidates = Vec::new();
            if is_negative && value <= mask >> 1 {
                candidates.push(value);
            }
            let mut step = value / 2;
            while step > 0 {
                let smaller = value - step;
                candidates.push(if is_negative { smaller.wrapping_neg() & mask } else { smaller });
                step /= 2;
            }
            let found = candidates.into_iter().any(|bits| {
                let mut inputs = self.best.inputs.clone();
                match inputs.get_mut(at) {
                    Some(input) => input.bits = bits,
                    None => return false,
                }
                self.accept(inputs)
            });
            if !found {
                break;
            }
            progress = true;
        }
        progress
    }

    /// Two inputs of one type at a time: what one gives up on its way to zero is taken from the other as well, or given to it.
    /// True if something became smaller.
    fn pairs(&mut self) -> bool {
        let mut progress = false;
        let mut at = 0;
        while at < self.best.inputs.len() {
            // Long runs ask for thousands of inputs.
            let mut other = if self.best.inputs[at].bits == 0 { usize::MAX } else { 0 };
            while other < self.best.inputs.len() {
                if self.is_spent() {
                    return progress;
                }
                for keep_sum in [false, true] {
                    while at != other && self.pair(at, other, keep_sum) {
                        progress = true;
                    }
                }
                other += 1;
            }
            at += 1;
        }
        progress
    }

    fn pair(&mut self, at: usize, other: usize, keep_sum: bool) -> bool {
        let Some([one, two]) = self.best.inputs.get(at).zip(self.best.inputs.get(other)).map(<[_; 2]>::from)
        else {
            return false;
        };
        if one.ty != two.ty || one.bits == 0 || two.bits == 0 {
            return false;
        }
        let (first, second) = (one.bits, two.bits);
        let Some(Magnitude { value, is_negative, mask }) = self.magnitude(at) else { return false };
        // To zero, to one, half of the way, half of what is left, …
        let halves =
            std::iter::successors(Some(value / 2), |step| Some(step / 2)).take_while(|step| *step > 0);
        for step in [value, value - 1].into_iter().chain(halves) {
            let by = if is_negative { step.wrapping_neg() } else { step };
            let moved = if keep_sum { second.wrapping_add(by) } else { second.wrapping_sub(by) };
            let mut inputs = self.best.inputs.clone();
            inputs[at].bits = first.wrapping_sub(by) & mask;
            inputs[other].bits = moved & mask;
            if self.accept(inputs) {
                return true;
            }
        }
        false
    }

    /// How far an integer is from zero. Floats and pointers have no magnitude that people think of: they become zero, or stay.
    fn magnitude(&self, at: usize) -> Option<Magnitude> {
        let input = self.best.inputs.get(at)?;
        let Some(ty) = input.ty else {
            return Some(Magnitude { value: input.bits, is_negative: false, mask: 0xff });
        };
        let int = match self.program.types[ty] {
            Type::Float(_) => return None,
            _ => self.program.types.int_type(ty)?,
        };
        let number = int.to_i128(input.bits);
        let mask = int.wrap(u128::MAX);
        Some(match int.signed && number < 0 {
            true => Magnitude { value: number.unsigned_abs(), is_negative: true, mask },
            false => Magnitude { value: input.bits & mask, is_negative: false, mask },
        })
    }

    /// No further run may be made.
    fn is_spent(&self) -> bool {
        self.runs == 0 || self.steps == 0 || self.context.interrupt.reason().is_some()
    }

    /// Runs the program with other inputs, and keeps them if they fail the same check and are smaller: other values earlier
    /// can mean that more are asked for later.
    fn accept(&mut self, inputs: Vec<TakenInput>) -> bool {
        if self.is_spent() {
            return false;
        }
        self.runs -= 1;
        let mut recorder = Recorder::new(Box::new(Again::new(inputs)));
        let mut trace = Trace::default();
        let options = Options { max_steps: self.steps, ..Options::default() };
        let run = self.image.run(&mut recorder, &options, &mut trace);
        self.steps = self.steps.saturating_sub(trace.steps.len() as u64);
        let fails = matches!(run.outcome, Outcome::Error(check) if check == self.best.check);
        if !fails || self.weight(&recorder.taken) >= self.weight(&self.best.inputs) {
            return false;
        }
        let Violation { check, analysis, .. } = self.best;
        self.best = Violation { check, analysis, inputs: recorder.taken, trace: steps(self.program, &trace) };
        true
    }

    /// Fewer inputs that are not zero first; then those that are shorter to write, in bits; then the sum of magnitudes, a
    /// negative one after its opposite; of equal sums, that of a limit and little.
    fn weight(&self, inputs: &[TakenInput]) -> (usize, u32, u128, usize, u128) {
        let different = inputs.iter().filter(|input| input.bits != 0).count();
        let (mut length, mut sum, mut largest) = (0, 0u128, 0);
        for input in inputs {
            let int = input.ty.and_then(|ty| self.program.types.int_type(ty)).filter(|int| int.signed);
            let number = int.map(|int| int.to_i128(input.bits));
            let magnitude = number.map_or(input.bits, i128::unsigned_abs);
            length += u128::BITS - magnitude.leading_zeros();
            largest = magnitude.max(largest);
            let is_negative = number.is_some_and(|number| number < 0);
            sum = sum.saturating_add(magnitude.saturating_mul(2).saturating_add(u128::from(is_negative)));
        }
        (different, length, sum, inputs.len(), u128::MAX - largest)
    }
}

struct Magnitude {
    value: u128,
    is_negative: bool,
    mask: u128,
}

/// Inputs of an earlier run, given to those who asked for them there; whatever else is asked for is zero.
pub struct Again {
    known: VecDeque<TakenInput>,
}

impl Again {
    /// These inputs.
    pub fn new(inputs: Vec<TakenInput>) -> Again {
        Again { known: inputs.into() }
    }
}

impl Inputs for Again {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let fits = |input: &TakenInput| input.edge == request.edge && input.ty == request.ty;
        match self.known.iter().position(fits) {
            // What lies between was asked for on another way.
            Some(at) => self.known.drain(..=at).next_back().map(|input| input.bits),
            None => Some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis;
    use tour_c::front::Input as File;
    use tour_evidence::verdict::InputOrigin;
    use tour_ir::program::{DataModel, Rule};

    /// The inputs of a violation after they were made small.
    fn small(body: &str) -> Vec<String> {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
             int main(void) {{ {body} }}"
        );
        let program = tour_c::load(&[File::text("a.i", text)], &tour_c::LoadOptions::new(DataModel::Lp64))
            .expect("a program");
        let program = analysis::prepare(program, &Rule::STATED);
        let context = Context::default();
        let mut found: Findings = analysis::verify(&program, &context).into();
        shrink_all(&program, &mut found, &context);
        let violation = found.violations.first().expect("a violation");
        let given = violation.inputs.iter().filter(|input| input.origin == InputOrigin::Nondet);
        given.map(|input| input.show(&program)).collect()
    }

    #[test]
    fn inputs_become_small() {
        let check = |body: &str, expected: &[&str]| assert_eq!(small(body), expected, "{body}");
        check("int x = __VERIFIER_nondet_int(); if (x < 0) reach_error();", &["-1"]);
        check("int x = __VERIFIER_nondet_int(); if (x < -1000) reach_error();", &["-1001"]);
        check("unsigned x = __VERIFIER_nondet_uint(); if (x != 0) reach_error();", &["1"]);
        check(
            "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
             if (y > 20) { if (x != 7) reach_error(); }",
            &["0", "21", "0"],
        );
        // They depend on each other.
        check(
            "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
             if (x > 100000 && y < 2000000000 && x == y) reach_error();",
            &["100001", "100001"],
        );
        check(
            "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
             if (x > 50 && y < 1000000000 && y == x + 3) reach_error();",
            &["51", "54"],
        );
        let mut sum = small(
            "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
             if (x > 0 && y > 0 && x > 2147483647 - y) reach_error();",
        );
        sum.sort();
        assert_eq!(sum, ["1", "2147483647"]);
        // There are thousands of them, and no run is left to try them in pairs.
        let many = small(
            "int sum = 0; for (int i = 0; i < 3000; i++) { int x = __VERIFIER_nondet_int(); if (x == 0) return 0; sum++; }
             if (sum == 3000) reach_error();",
        );
        assert_eq!(many.len(), 3000);
        // Fewer of them are asked for.
        check(
            "unsigned n = __VERIFIER_nondet_uint(), sum = 0;
             if (n == 0 || n > 5) return 0;
             for (unsigned i = 0; i < n; i++) sum += __VERIFIER_nondet_uint();
             reach_error();",
            &["1", "0"],
        );
    }
}
