//! Whose turn it is when loops are unrolled: of two places that runs have come to, the one whose runs should go on first, so
//! that they meet the others wherever they can.
//!
//! A round of a loop ends before the next one begins, the last round before what follows the loop, and a call before
//! what follows the call. Runs then meet at the head of the loop after each round, and where it is left.

use super::{Loops, Order};
use crate::cfa::LocId;
use crate::prepared::{Fact, Prepared};
use crate::program::Program;
use std::cmp::Ordering;
use std::sync::Arc;

/// The order of turns.
#[derive(Clone, Debug)]
pub struct Turns {
    order: Arc<Order>,
    loops: Arc<Loops>,
}

impl Fact for Turns {
    fn of(program: &Prepared) -> Turns {
        Turns { order: program.fact(), loops: program.fact() }
    }
}

impl Turns {
    /// The turns of a program.
    pub fn of(program: &Program) -> Turns {
        Turns { order: Order::of(program).into(), loops: Loops::of(program).into() }
    }

    /// Compares two places: the locations of the calls on the stack, outermost first, and the location where the run is.
    pub fn compare(&self, a: &[LocId], b: &[LocId]) -> Ordering {
        for (i, (&here, &there)) in a.iter().zip(b).enumerate() {
            let (last_a, last_b) = (i + 1 == a.len(), i + 1 == b.len());
            // Who is at the head of a loop waits for those who are in it.
            let waits = |loc: LocId, last: bool| {
                last && self.loops.around(here, there).is_some_and(|of| self.loops.get(of).head == loc)
            };
            let order = match (here == there, last_a, last_b) {
                (true, true, true) | (true, false, false) => continue,
                (true, true, false) if waits(here, true) => Ordering::Greater,
                (true, true, false) => Ordering::Less,
                (true, false, true) if waits(there, true) => Ordering::Less,
                (true, false, true) => Ordering::Greater,
                (false, ..) if waits(here, last_a) => Ordering::Greater,
                (false, ..) if waits(there, last_b) => Ordering::Less,
                (false, ..) => self.order.number(here).cmp(&self.order.number(there)),
            };
            return order;
        }
        a.len().cmp(&b.len())
    }

    /// A run that leaves `from` for the head of a loop begins the loop anew: it comes from outside.
    pub fn enters(&self, from: &[LocId], head: &[LocId]) -> bool {
        let Some((&last, stack)) = head.split_last() else { return false };
        let inside = from.get(stack.len()).is_some_and(|&at| {
            from.starts_with(stack)
                && self.loops.innermost(last).is_some_and(|of| self.loops.contains(of, at))
        });
        !inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;

    #[test]
    fn rounds_end_before_what_follows() {
        // 1 and 2 are heads, 2 in the loop of 1.
        let program = sample(
            "fn main(): 0->1 [1 == 1]; 1->2 [x < 9]; 2->3 [y < 9]; 3->2 y = y + 1; 2->1 [!(y < 9)]; 1->exit [!(x < 9)]",
        );
        let turns = Turns::of(&program.program);
        let at = |name: &str| vec![program.loc(&format!("main.{name}"))];
        for (first, second) in [("2", "1"), ("3", "2"), ("3", "1"), ("1", "exit"), ("2", "exit"), ("0", "1")]
        {
            let (a, b) = (at(first), at(second));
            assert_eq!(turns.compare(&a, &b), Ordering::Less, "{first} {second}");
            assert_eq!(turns.compare(&b, &a), Ordering::Greater, "{second} {first}");
            // Within a call there.
            let within: Vec<LocId> = a.iter().copied().chain(at("0")).collect();
            assert_eq!(turns.compare(&within, &b), Ordering::Less, "in {first}, {second}");
        }
        assert!(turns.enters(&at("0"), &at("1")));
        assert!(turns.enters(&at("1"), &at("2")));
        assert!(!turns.enters(&at("2"), &at("1")));
    }
}
