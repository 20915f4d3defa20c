//! Inputs for the hunt: drawn by habits, and changed.

use crate::heuristics::HuntLimits;
use std::collections::BTreeSet;
use tour_interp::interp::{Inputs, Random, Request, Why};
use tour_ir::prepared::Prepared;
use tour_ir::program::{ExprKind, InitItem};

/// Numbers that a program speaks of: what it compares its inputs with is often among them.
pub fn numbers(program: &Prepared, limits: &HuntLimits) -> Vec<u128> {
    let mut found = BTreeSet::new();
    for expr in program.exprs.iter() {
        if let ExprKind::Int(bits) = expr.kind {
            found.extend([bits, bits.wrapping_add(1), bits.wrapping_sub(1)]);
        }
    }
    for item in
        program.globals.iter().filter_map(|var| program.vars[*var].init.as_ref()).flat_map(|i| &i.items)
    {
        if let InitItem::Bytes { bytes, .. } = item {
            found.extend(bytes.iter().take(limits.max_initial_bytes).map(|byte| u128::from(*byte)));
        }
    }
    let step = found.len().div_ceil(limits.max_numbers).max(1);
    found.into_iter().step_by(step).collect()
}

/// How a run draws its inputs. Loops often read many that have to be alike, or all different, to get anywhere.
#[derive(Clone, Copy)]
enum Habit {
    /// Each for itself: small, extreme, any.
    Mixed,
    /// From the program's numbers.
    Numbers,
    /// One of two values, which are drawn at the beginning.
    Two([u128; 2]),
    /// Always the same one, after one of another value.
    Same([u128; 2]),
    /// Numbers in order.
    Counting(u128),
}

/// Inputs of one run: given ones first, then new ones.
pub struct Draw<'a> {
    given: &'a [u128],
    /// All inputs of the run, in order.
    pub taken: Vec<u128>,
    numbers: &'a [u128],
    random: Random,
    habit: Habit,
    /// How many were drawn by habit.
    drawn: usize,
    /// Values of what is indeterminate are drawn, too. Few bugs hang on them.
    indeterminate: bool,
}

impl<'a> Draw<'a> {
    /// Given inputs first, then others of one habit.
    pub fn new(given: &'a [u128], numbers: &'a [u128], habit: u64, seed: u64) -> Draw<'a> {
        let mut random = Random::new(seed);
        let indeterminate = random.word().is_multiple_of(4);
        let mut draw =
            Draw { given, taken: Vec::new(), numbers, random, habit: Habit::Mixed, drawn: 0, indeterminate };
        let (first, second) = (draw.one(64), draw.one(64));
        draw.habit = match habit % 8 {
            0 | 3 | 6 => Habit::Mixed,
            1 | 4 => Habit::Numbers,
            2 => Habit::Two([first, second]),
            5 => Habit::Same([first, second]),
            _ => Habit::Counting(first),
        };
        draw
    }

    /// A value for itself.
    fn one(&mut self, bits: u32) -> u128 {
        if !self.numbers.is_empty() && self.random.word().is_multiple_of(3) {
            return self.number();
        }
        self.random.draw(bits)
    }

    fn number(&mut self) -> u128 {
        self.numbers[self.random.word() as usize % self.numbers.len()]
    }

    fn fresh(&mut self, bits: u32) -> u128 {
        self.drawn += 1;
        match self.habit {
            Habit::Mixed => self.random.draw(bits),
            Habit::Numbers if self.numbers.is_empty() => self.random.draw(bits),
            Habit::Numbers => self.number(),
            Habit::Two(values) => values[(self.random.word() % 2) as usize],
            Habit::Same(values) => values[usize::from(self.drawn > 1)],
            Habit::Counting(start) => start.wrapping_add(self.drawn as u128),
        }
    }
}

impl Inputs for Draw<'_> {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let value = match self.given.get(self.taken.len()) {
            Some(given) => *given,
            None => match request.why {
                Why::Havoc(_) => self.fresh(request.bits),
                Why::Parameter(_) | Why::Declared(_) | Why::Unwritten if self.indeterminate => {
                    self.fresh(request.bits)
                }
                Why::Parameter(_) | Why::Declared(_) | Why::Unwritten => 0,
            },
        };
        self.taken.push(value);
        Some(value)
    }

    fn given(&self) -> usize {
        self.taken.len()
    }

    fn take_back(&mut self, given: usize) {
        self.taken.truncate(given);
    }
}

/// Changes inputs of an earlier run. Whatever follows the last change that cuts them off is drawn anew.
pub fn change(inputs: &mut Vec<u128>, numbers: &[u128], random: &mut Random) {
    let times = 1 + random.word() % 4;
    for _ in 0..times {
        if inputs.is_empty() {
            return;
        }
        let at = random.word() as usize % inputs.len();
        let other = random.word() as usize % inputs.len();
        match random.word() % 8 {
            0 => inputs[at] = inputs[at].wrapping_add(1),
            1 => inputs[at] = inputs[at].wrapping_sub(1),
            2 => inputs[at] ^= 1 << (random.word() % 32),
            3 => inputs[at] = inputs[other],
            4 if !numbers.is_empty() => inputs[at] = numbers[random.word() as usize % numbers.len()],
            5 => {
                inputs.remove(at);
            }
            6 => inputs.truncate(at),
            _ => inputs[at] = random.draw(64),
        }
    }
}
