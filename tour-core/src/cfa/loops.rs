//! The loop nesting forest of every function, reducible or not.
//!
//! Havlak's forest ("Nesting of Reducible and Irreducible Loops", TOPLAS 1997), computed as Ramalingam proposes
//! ("Identifying Loops in Almost Linear Time", TOPLAS 1999): a depth-first search fixes a spanning tree; the target of
//! an edge from one of its descendants in the tree (a back edge) is a loop head; the loop of head `h` is the strongly
//! connected region of `h` among its descendants. For reducible loops these are the natural loops, those with the same
//! head as one. An irreducible loop has as its head the location where the search came in first.
//!
//! Every cycle contains a head: the location of a cycle that the search saw first has all the others as descendants,
//! so that the edge of the cycle that leads there is a back edge. (Of reachable cycles, that is: unreachable locations
//! belong to no loop.)

use super::graph::{Graph, UnionFind};
use super::{Cfa, EdgeId, LocId};
use crate::program::{FnId, Program};
use index_vec::IndexVec;
use std::ops::Range;

index_vec::define_index_type! {
    /// A loop. An outer loop has a smaller id than the loops in it.
    pub struct LoopId = u32;
    DEBUG_FORMAT = "loop{}";
}

const NONE: u32 = u32::MAX;

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its function.
    pub function: FnId,
    /// Its head.
    pub head: LocId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// It is entered at its head only.
    pub reducible: bool,
    members: Range<u32>,
}

/// All loops of a program.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: IndexVec<LoopId, Loop>,
    innermost: IndexVec<LocId, Option<LoopId>>,
    /// The locations of loops, so ordered that each loop's are next to each other.
    sequence: Vec<LocId>,
    /// Where a location is in `sequence`.
    position: IndexVec<LocId, u32>,
}

impl Loops {
    /// The loops of a program's functions. Near linear.
    pub fn of(program: &Program) -> Loops {
        let search = Search::run(program);
        let (heads, is_head) = search.collapse();
        let cfa = &program.cfa;

        let mut loops: IndexVec<LoopId, Loop> = IndexVec::new();
        let mut loop_at = vec![None; search.order.len()];
        let mut innermost: IndexVec<LocId, Option<LoopId>> = cfa.locs.iter().map(|_| None).collect();
        for (number, &loc) in search.order.iter().enumerate() {
            let around: Option<LoopId> =
                if heads[number] == NONE { None } else { loop_at[heads[number] as usize] };
            innermost[loc] = around;
            if is_head[number] {
                let id = loops.push(Loop {
                    function: cfa.locs[loc].function,
                    head: loc,
                    parent: around,
                    depth: around.map_or(1, |l| loops[l].depth + 1),
                    reducible: true,
                    members: 0..0,
                });
                loop_at[number] = Some(id);
                innermost[loc] = Some(id);
            }
        }
        let (sequence, position) = arrange(&mut loops, &innermost, &search.order);
        let mut result = Loops { loops, innermost, sequence, position };
        for &loc in &search.order {
            for (_, edge) in cfa.successors(loc) {
                let mut entered = result.innermost[edge.to];
                while let Some(id) = entered.filter(|&l| !result.contains(l, loc)) {
                    result.loops[id].reducible &= result.loops[id].head == edge.to;
                    entered = result.loops[id].parent;
                }
            }
        }
        result
    }

    /// All loops, outer ones before those in them.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter_enumerated()
    }

    /// How many loops.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// There are no loops.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// The innermost loop around a location (its own, for a head).
    pub fn innermost(&self, loc: LocId) -> Option<LoopId> {
        self.innermost[loc]
    }

    /// How many loops are around a location.
    pub fn depth(&self, loc: LocId) -> u32 {
        self.innermost[loc].map_or(0, |l| self.loops[l].depth)
    }

    /// The location is the head of a loop.
    pub fn is_head(&self, loc: LocId) -> bool {
        self.innermost[loc].is_some_and(|l| self.loops[l].head == loc)
    }

    /// The locations of a loop, those of inner loops included, its head first.
    pub fn members(&self, id: LoopId) -> &[LocId] {
        let range = &self.loops[id].members;
        &self.sequence[range.start as usize..range.end as usize]
    }

    /// The location belongs to the loop or a loop in it.
    pub fn contains(&self, id: LoopId, loc: LocId) -> bool {
        self.loops[id].members.contains(&self.position[loc])
    }

    /// The edges that lead into a loop from outside; all lead to its head if it is reducible.
    pub fn entry_edges<'a>(&'a self, cfa: &'a Cfa, id: LoopId) -> impl Iterator<Item = EdgeId> + 'a {
        let edges = self.members(id).iter().flat_map(move |&l| cfa.predecessors(l));
        edges.filter(move |(_, e)| !self.contains(id, e.from)).map(|(e, _)| e)
    }

    /// The edges that leave a loop.
    pub fn exit_edges<'a>(&'a self, cfa: &'a Cfa, id: LoopId) -> impl Iterator<Item = EdgeId> + 'a {
        let edges = self.members(id).iter().flat_map(move |&l| cfa.successors(l));
        edges.filter(move |(_, e)| !self.contains(id, e.to)).map(|(e, _)| e)
    }

    /// The edges from inside a loop to its head.
    pub fn back_edges<'a>(&'a self, cfa: &'a Cfa, id: LoopId) -> impl Iterator<Item = EdgeId> + 'a {
        let edges = cfa.predecessors(self.loops[id].head);
        edges.filter(move |(_, e)| self.contains(id, e.from)).map(|(e, _)| e)
    }

    /// The outermost loop that an edge from `from` to `to` leaves.
    pub fn left_by(&self, from: LocId, to: LocId) -> Option<LoopId> {
        let mut left = self.innermost[from].filter(|&l| !self.contains(l, to))?;
        while let Some(outer) = self.loops[left].parent.filter(|&l| !self.contains(l, to)) {
            left = outer;
        }
        Some(left)
    }

    /// Where a location stands among the members of all loops: `position(l)` is in `span(id)` if and only if
    /// [`Self::contains`] says so.
    pub(super) fn position(&self, loc: LocId) -> u32 {
        self.position[loc]
    }

    /// See [`Self::position`].
    pub(super) fn span(&self, id: LoopId) -> Range<u32> {
        self.loops[id].members.clone()
    }
}

/// Orders the members so that each loop has a range of them: its head, the loops in it, the rest.
fn arrange(
    loops: &mut IndexVec<LoopId, Loop>,
    innermost: &IndexVec<LocId, Option<LoopId>>,
    order: &[LocId],
) -> (Vec<LocId>, IndexVec<LocId, u32>) {
    let mut size: IndexVec<LoopId, u32> = loops.iter().map(|_| 0).collect();
    for &loc in order {
        if let Some(l) = innermost[loc] {
            size[l] += 1;
        }
    }
    let members = order.iter().filter(|&&l| innermost[l].is_some()).count();
    for id in loops.indices().rev() {
        if let Some(parent) = loops[id].parent {
            size[parent] += size[id];
        }
    }
    let mut next_root = 0;
    let mut next: IndexVec<LoopId, u32> = size.clone();
    for id in loops.indices() {
        let slot = match loops[id].parent {
            Some(parent) => &mut next[parent],
            None => &mut next_root,
        };
        let start = *slot;
        *slot += size[id];
        loops[id].members = start..start + size[id];
        next[id] = start + 1;
    }
    let mut sequence = vec![LocId::new(0); members];
    let mut position: IndexVec<LocId, u32> = innermost.iter().map(|_| NONE).collect();
    for &loc in order {
        let Some(id) = innermost[loc] else { continue };
        let at = if loops[id].head == loc {
            loops[id].members.start
        } else {
            next[id] += 1;
            next[id] - 1
        };
        sequence[at as usize] = loc;
        position[loc] = at;
    }
    (sequence, position)
}

/// A depth-first search over all functions; numbers are positions in its preorder.
struct Search {
    order: Vec<LocId>,
    parent: Vec<u32>,
    /// `(head, source)` of each back edge.
    back: Vec<(u32, u32)>,
    /// `(source, target)` of the edges that lead neither down the tree nor back...
    cross: Vec<(u32, u32)>,
    /// ...and the last common ancestor of the two, `(ancestor, index into cross)`.
    common: Vec<(u32, u32)>,
}

impl Search {
    fn run(program: &Program) -> Search {
        let cfa = &program.cfa;
        let mut number: IndexVec<LocId, u32> = cfa.locs.iter().map(|_| NONE).collect();
        let mut s =
            Search { order: Vec::new(), parent: Vec::new(), back: vec![], cross: vec![], common: vec![] };
        // A finished location is merged into its parent: the representative of a finished target is then its last
        // ancestor that is still open, which is an ancestor of the source too (Tarjan).
        let mut finished = UnionFind::new(cfa.locs.len());
        let mut open: Vec<bool> = vec![false; cfa.locs.len()];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for body in program.functions.iter().filter_map(|f| f.body) {
            s.enter(body.entry, NONE, &mut number, &mut stack);
            while let Some((from, next)) = stack.last_mut() {
                let (source, loc) = (*from, s.order[*from as usize]);
                open[source as usize] = true;
                let Some(&edge) = cfa.locs[loc].out.get(*next) else {
                    stack.pop();
                    open[source as usize] = false;
                    if s.parent[source as usize] != NONE {
                        finished.merge(source, s.parent[source as usize]);
                    }
                    continue;
                };
                *next += 1;
                let to = cfa.edges[edge].to;
                let target = number[to];
                if target == NONE {
                    s.enter(to, source, &mut number, &mut stack);
                } else if open[target as usize] {
                    s.back.push((target, source));
                } else {
                    s.common.push((finished.find(target), s.cross.len() as u32));
                    s.cross.push((source, target));
                }
            }
        }
        s
    }

    fn enter(
        &mut self,
        loc: LocId,
        parent: u32,
        number: &mut IndexVec<LocId, u32>,
        stack: &mut Vec<(u32, usize)>,
    ) {
        let n = self.order.len() as u32;
        number[loc] = n;
        self.order.push(loc);
        self.parent.push(parent);
        stack.push((n, 0));
    }

    /// From the innermost loop outwards, collapses each loop into its head. Gives the head of the innermost loop
    /// around each location (not its own, for a head) and which locations are heads.
    fn collapse(&self) -> (Vec<u32>, Vec<bool>) {
        let n = self.order.len();
        let back = Graph::new(n, &self.back);
        let common = Graph::new(n, &self.common);
        let mut loops = UnionFind::new(n);
        let mut heads = vec![NONE; n];
        let mut is_head = vec![false; n];
        // Cross edges by the collapsed loop that they lead to, as linked lists.
        let mut first = vec![NONE; n];
        let mut next = vec![NONE; self.cross.len()];
        let mut work = Vec::new();
        for head in (0..n as u32).rev() {
            for &edge in common.successors(head) {
                let target = loops.find(self.cross[edge as usize].1);
                next[edge as usize] = std::mem::replace(&mut first[target as usize], edge);
            }
            is_head[head as usize] = !back.successors(head).is_empty();
            let mut take = |from: u32, loops: &mut UnionFind, work: &mut Vec<u32>| {
                let from = loops.find(from);
                if from != head {
                    loops.merge(from, head);
                    heads[from as usize] = head;
                    work.push(from);
                }
            };
            for &from in back.successors(head) {
                take(from, &mut loops, &mut work);
            }
            while let Some(member) = work.pop() {
                take(self.parent[member as usize], &mut loops, &mut work);
                let mut edge = first[member as usize];
                while edge != NONE {
                    take(self.cross[edge as usize].0, &mut loops, &mut work);
                    edge = next[edge as usize];
                }
            }
        }
        (heads, is_head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::{Sample, chain, sample};

    /// One line per loop: indentation by depth, head, members, entries and exits.
    fn show(s: &Sample) -> String {
        let (loops, cfa) = (Loops::of(&s.program), &s.program.cfa);
        let mut lines = Vec::new();
        for (id, l) in loops.iter() {
            let mut members = loops.members(id).to_vec();
            assert_eq!(members[0], l.head);
            members.sort_unstable_by_key(|&l| s.name(l));
            let edges = |ids: Vec<EdgeId>| {
                let mut ids = ids;
                ids.sort_unstable();
                let show =
                    |e: &EdgeId| format!("{}->{}", s.name(cfa.edges[*e].from), s.name(cfa.edges[*e].to));
                ids.iter().map(show).collect::<Vec<_>>().join(" ")
            };
            lines.push(format!(
                "{}{}{}: {} | in {} | out {} | back {}",
                "  ".repeat(l.depth as usize - 1),
                s.name(l.head),
                if l.reducible { "" } else { " irreducible" },
                s.names(&members),
                edges(loops.entry_edges(cfa, id).collect()),
                edges(loops.exit_edges(cfa, id).collect()),
                edges(loops.back_edges(cfa, id).collect()),
            ));
        }
        lines.join("\n")
    }

    fn check(text: &str, expect: &str) {
        let s = sample(text);
        assert_eq!(show(&s), expect);
        every_cycle_has_a_head(&s.program);
    }

    /// Without the heads, no reachable cycle is left.
    fn every_cycle_has_a_head(program: &Program) {
        let (loops, order) = (Loops::of(program), super::super::Order::of(program));
        let edges: Vec<_> = program
            .cfa
            .edges
            .iter()
            .filter(|e| order.is_reachable(e.from))
            .filter(|e| !loops.is_head(e.from) && !loops.is_head(e.to))
            .map(|e| (e.from.index() as u32, e.to.index() as u32))
            .collect();
        assert!(edges.iter().all(|(a, b)| a != b));
        let graph = Graph::new(program.cfa.locs.len(), &edges);
        assert!(graph.components().iter().all(|c| c.len() == 1));
    }

    #[test]
    fn natural_loops_nest() {
        check(
            "fn main(): 1->2; 2->3; 2->9; 3->4; 4->3; 4->5; 5->2; 3->6; 6->exit; 9->exit",
            "2: 2 3 4 5 | in 1->2 | out 2->9 3->6 | back 5->2\n  3: 3 4 | in 2->3 | out 4->5 3->6 | back 4->3",
        );
    }

    #[test]
    fn two_back_edges_to_one_head_are_one_loop() {
        check(
            "fn main(): 1->2; 2->3; 2->4; 3->2; 4->2; 2->exit",
            "2: 2 3 4 | in 1->2 | out 2->exit | back 3->2 4->2",
        );
    }

    #[test]
    fn a_location_can_be_its_own_loop() {
        check("fn main(): 1->1; 1->exit", "1: 1 | in  | out 1->exit | back 1->1");
    }

    #[test]
    fn loops_one_after_the_other_are_apart() {
        check(
            "fn main(): 1->2; 2->1; 2->3; 3->3; 3->exit",
            "1: 1 2 | in  | out 2->3 | back 2->1\n3: 3 | in 2->3 | out 3->exit | back 3->3",
        );
    }

    #[test]
    fn an_irreducible_loop_has_the_head_seen_first() {
        check(
            "fn main(): 1->2; 1->3; 2->3; 3->2; 3->exit",
            "2 irreducible: 2 3 | in 1->2 1->3 | out 3->exit | back 3->2",
        );
    }

    #[test]
    fn a_jump_into_an_inner_loop_makes_both_irreducible() {
        check(
            "fn main(): 1->2; 1->4; 2->3; 3->4; 4->3; 4->5; 5->2; 5->exit",
            "2 irreducible: 2 3 4 5 | in 1->2 1->4 | out 5->exit | back 5->2\n  \
             3 irreducible: 3 4 | in 1->4 2->3 | out 4->5 | back 4->3",
        );
    }

    #[test]
    fn a_jump_to_an_inner_head_makes_only_the_outer_loop_irreducible() {
        check(
            "fn main(): 1->2; 1->3; 2->3; 3->3; 3->2; 3->exit",
            "2 irreducible: 2 3 | in 1->2 1->3 | out 3->exit | back 3->2\n  \
             3: 3 | in 1->3 2->3 | out 3->2 3->exit | back 3->3",
        );
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let n = 2 + round % 12;
            let mut text = format!("fn main(): 0->{}", random(n));
            for _ in 0..random(3 * n) {
                text += &format!("; {}->{}", random(n), random(n));
            }
            let s = sample(&text);
            every_cycle_has_a_head(&s.program);
            agrees_with_definition(&s.program, &text);
        }
    }

    /// The loop of a head is its strongly connected region among the locations that the search saw below it.
    fn agrees_with_definition(program: &Program, text: &str) {
        let search = Search::run(program);
        let loops = Loops::of(program);
        let n = search.order.len();
        let below = |top: u32, mut x: u32| {
            while x != NONE && x != top {
                x = search.parent[x as usize];
            }
            x == top
        };
        let number = |l: LocId| search.order.iter().position(|&o| o == l);
        for top in 0..n as u32 {
            let inside: Vec<(u32, u32)> = program
                .cfa
                .edges
                .iter()
                .filter_map(|e| Some((number(e.from)? as u32, number(e.to)? as u32)))
                .filter(|&(a, b)| below(top, a) && below(top, b))
                .collect();
            let (forward, backward) = (Graph::new(n, &inside), Graph::new(n, &inside).reversed());
            let (to, from) = (forward.reachable([top]), backward.reachable([top]));
            let head = inside.iter().any(|e| e.1 == top);
            let loc = search.order[top as usize];
            assert_eq!(loops.is_head(loc), head, "{text}");
            if let Some(id) = loops.innermost(loc).filter(|_| head) {
                for x in 0..n {
                    let expected = to[x] && from[x] && below(top, x as u32);
                    assert_eq!(loops.contains(id, search.order[x]), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn ten_thousands_of_nested_loops_are_quick() {
        // Location i has an edge back to n - i: the loops lie in each other like shells.
        let n = 100_000;
        let program = chain(n, |i| (i > n / 2 && i < n - 1).then(|| n - i));
        let loops = Loops::of(&program);
        assert_eq!(loops.len(), n / 2 - 2);
        assert_eq!(loops.iter().map(|(_, l)| l.depth).max(), Some(n as u32 / 2 - 2));
    }
}
