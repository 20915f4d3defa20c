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

mod search;
#[cfg(test)]
mod tests;

use super::{Cfa, EdgeId, LocId};
use crate::prepared::{Fact, Prepared};
use crate::program::{FnId, Program};
use index_vec::IndexVec;
use search::Search;
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
    /// Some loop around it, itself if there is none: a chain of these climbs any nest in logarithmic time (Myers, "An
    /// Applicative Random-Access Stack", 1983).
    jump: LoopId,
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

impl Fact for Loops {
    fn of(program: &Prepared) -> Loops {
        Loops::of(program as &Program)
    }
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
                let next = LoopId::new(loops.len());
                let id = loops.push(Loop {
                    function: cfa.locs[loc].function,
                    head: loc,
                    parent: around,
                    depth: around.map_or(1, |l| loops[l].depth + 1),
                    reducible: true,
                    members: 0..0,
                    jump: around.map_or(next, |l| jump_above(&loops, l)),
                });
                loop_at[number] = Some(id);
                innermost[loc] = Some(id);
            }
        }
        let (sequence, position) = arrange(&mut loops, &innermost, &search.order);
        let mut result = Loops { loops, innermost, sequence, position };
        result.mark_irreducible(cfa, &search.order);
        result
    }

    /// A loop is irreducible if an edge from outside leads past its head. An edge enters a chain of nested loops, from
    /// the outermost that it enters to the innermost around its target; it can lead to the head of the last one only.
    /// Each chain is counted up at its inner end and down above its outer end, then the counts are summed outwards.
    fn mark_irreducible(&mut self, cfa: &Cfa, reachable: &[LocId]) {
        let mut entered: IndexVec<LoopId, i32> = self.loops.iter().map(|_| 0).collect();
        for &loc in reachable {
            for (_, edge) in cfa.successors(loc) {
                let Some(outermost) = self.left_by(edge.to, loc) else { continue };
                let mut inner = self.innermost[edge.to];
                if self.is_head(edge.to) {
                    inner = inner.and_then(|l| self.loops[l].parent);
                }
                // Where the edge leads to the head of the only loop that it enters, the two cancel out.
                if let Some(inner) = inner {
                    entered[inner] += 1;
                }
                if let Some(outside) = self.loops[outermost].parent {
                    entered[outside] -= 1;
                }
            }
        }
        for id in self.loops.indices().rev() {
            self.loops[id].reducible = entered[id] == 0;
            if let Some(parent) = self.loops[id].parent {
                entered[parent] += entered[id];
            }
        }
    }

    /// All loops, outer ones before those in them.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter_enumerated()
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

    /// The edges that leave a loop.
    pub fn exit_edges<'a>(&'a self, cfa: &'a Cfa, id: LoopId) -> impl Iterator<Item = EdgeId> + 'a {
        let edges = self.members(id).iter().flat_map(move |&l| cfa.successors(l));
        edges.filter(move |(_, e)| !self.contains(id, e.to)).map(|(e, _)| e)
    }

    /// The innermost loop that contains both locations.
    pub fn around(&self, a: LocId, b: LocId) -> Option<LoopId> {
        match self.left_by(a, b) {
            Some(left) => self.loops[left].parent,
            None => self.innermost[a],
        }
    }

    /// The outermost loop that an edge from `from` to `to` leaves.
    pub fn left_by(&self, from: LocId, to: LocId) -> Option<LoopId> {
        let mut left = self.innermost[from].filter(|&l| !self.contains(l, to))?;
        while let Some(outer) = self.loops[left].parent.filter(|&l| !self.contains(l, to)) {
            let far = self.loops[left].jump;
            left = if self.contains(far, to) { outer } else { far };
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

/// The jump of a loop directly inside `parent`.
fn jump_above(loops: &IndexVec<LoopId, Loop>, parent: LoopId) -> LoopId {
    let near = loops[parent].jump;
    let far = loops[near].jump;
    let (top, middle, bottom) = (loops[far].depth, loops[near].depth, loops[parent].depth);
    if bottom - middle == middle - top && near != far { far } else { parent }
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
