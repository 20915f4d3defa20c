//! Reverse post order of the locations of each function, and which locations are reachable.

use super::LocId;
use crate::prepared::{Fact, Prepared};
use crate::program::{FnId, Program};
use index_vec::IndexVec;
use std::ops::Range;

const UNREACHABLE: u32 = u32::MAX;

/// The reachable locations of every function in reverse post order: a location comes before its successors, except
/// along edges that close a cycle. Where there is a choice, the first edge's successors come first.
#[derive(Clone, Debug)]
pub struct Order {
    sequence: Vec<LocId>,
    ranges: IndexVec<FnId, Range<usize>>,
    numbers: IndexVec<LocId, u32>,
}

impl Fact for Order {
    fn of(program: &Prepared) -> Order {
        Order::of(program as &Program)
    }
}

impl Order {
    /// The order of a program's locations. Linear.
    pub fn of(program: &Program) -> Order {
        let cfa = &program.cfa;
        let mut numbers: IndexVec<LocId, u32> = cfa.locs.iter().map(|_| UNREACHABLE).collect();
        let mut sequence = Vec::with_capacity(cfa.locs.len());
        let mut ranges = IndexVec::with_capacity(program.functions.len());
        let mut stack: Vec<(LocId, usize)> = Vec::new();
        for function in &program.functions {
            let start = sequence.len();
            if let Some(body) = function.body {
                numbers[body.entry] = 0;
                stack.push((body.entry, cfa.locs[body.entry].out.len()));
            }
            while let Some((loc, left)) = stack.last_mut() {
                // From the last edge to the first: what is finished last comes first in the order.
                if *left == 0 {
                    sequence.push(*loc);
                    stack.pop();
                    continue;
                }
                *left -= 1;
                let to = cfa.edges[cfa.locs[*loc].out[*left]].to;
                if numbers[to] == UNREACHABLE {
                    numbers[to] = 0;
                    stack.push((to, cfa.locs[to].out.len()));
                }
            }
            sequence[start..].reverse();
            for (number, &loc) in sequence[start..].iter().enumerate() {
                numbers[loc] = number as u32;
            }
            ranges.push(start..sequence.len());
        }
        Order { sequence, ranges, numbers }
    }

    /// The reachable locations of a function, its entry first.
    pub fn locations(&self, function: FnId) -> &[LocId] {
        &self.sequence[self.ranges[function].clone()]
    }

    /// The position of a location in its function's order; `None` if no path leads there from the function's entry.
    pub fn number(&self, loc: LocId) -> Option<u32> {
        Some(self.numbers[loc]).filter(|&n| n != UNREACHABLE)
    }

    /// A path leads there from the entry of its function.
    pub fn is_reachable(&self, loc: LocId) -> bool {
        self.numbers[loc] != UNREACHABLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::{chain, sample};

    #[test]
    fn a_loop_body_comes_before_what_follows_the_loop() {
        let s = sample("fn main(): 1->2; 2->3; 2->5; 3->4; 4->2; 5->exit; 7->5");
        let order = Order::of(&s.program);
        assert_eq!(s.names(order.locations(s.program.entry)), "1 2 3 4 5 exit");
        assert_eq!(order.number(s.loc("main.5")), Some(4));
        assert_eq!(order.number(s.loc("main.7")), None);
    }

    #[test]
    fn functions_are_numbered_apart() {
        let s = sample("fn main(): a->exit\nfn f(): b->c; c->exit");
        let order = Order::of(&s.program);
        assert_eq!(order.number(s.loc("f.b")), Some(0));
        assert_eq!(order.number(s.loc("main.exit")), Some(1));
    }

    #[test]
    fn a_long_function_needs_no_stack() {
        let program = chain(100_000, |_| None);
        assert_eq!(Order::of(&program).locations(program.entry).len(), 100_000);
    }
}
