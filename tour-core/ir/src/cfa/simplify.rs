//! Clean-up of automata before the analyses: fewer locations, the same paths.
//!
//! Conditions that are constant go, and with them the edges that can't be taken; locations that no path leads to go;
//! a location whose only way on is an edge without an operation becomes one with the next. Entries, exits and error
//! locations stay, as do edges to exits, so that every function still says where it returns. Ids are packed again, in the
//! old order.

use super::{Cfa, LocId, LocKind, Order};
use crate::program::{Op, Program};
use index_vec::IndexVec;

/// Simplifies the automata of a program. Linear, and a second run changes nothing.
pub fn simplify(program: &mut Program) {
    settle_constants(program);
    let keep = collapse(program);
    rebuild(program, &keep);
}

/// Leaves out edges that are not linked, and locations that no path leads to.
pub fn compact(program: &mut Program) {
    let mut cfa = std::mem::take(&mut program.cfa);
    let linked: Vec<_> = cfa.locs.iter_mut().flat_map(|loc| std::mem::take(&mut loc.out)).collect();
    cfa.locs.iter_mut().for_each(|loc| loc.into.clear());
    let old = std::mem::take(&mut cfa.edges);
    for id in linked {
        let edge = &old[id];
        cfa.add_edge(edge.from, edge.to, edge.op.clone(), edge.span);
    }
    program.cfa = cfa;
    let order = Order::of(program);
    let stays = |(loc, of): (LocId, &super::Loc)| {
        (of.kind != LocKind::Plain || order.is_reachable(loc)).then_some(loc)
    };
    let keep = program.cfa.locs.iter_enumerated().map(stays).collect();
    rebuild(program, &keep);
}

/// Conditions that always hold become no operation; edges whose conditions never hold are removed.
fn settle_constants(program: &mut Program) {
    let cfa = std::mem::take(&mut program.cfa);
    let mut result = Cfa { locs: cfa.locs, edges: IndexVec::with_capacity(cfa.edges.len()) };
    for loc in &mut result.locs {
        loc.out.clear();
        loc.into.clear();
    }
    for edge in cfa.edges {
        let op = match edge.op {
            Op::Assume { cond, truth } => match program.const_value(cond) {
                Some(value) if (value != 0) == truth => Op::Nop,
                Some(_) => continue,
                None => edge.op,
            },
            op => op,
        };
        result.add_edge(edge.from, edge.to, op, edge.span);
    }
    program.cfa = result;
}

/// For each location the one that takes its place; `None` if it goes.
fn collapse(program: &Program) -> IndexVec<LocId, Option<LocId>> {
    let cfa = &program.cfa;
    let order = Order::of(program);
    // Where a location that does nothing but go on leads to.
    let onward = |loc: LocId| {
        let node = &cfa.locs[loc];
        let [edge] = node.out[..] else { return None };
        let edge = &cfa.edges[edge];
        let goes = node.kind == LocKind::Plain
            && edge.op == Op::Nop
            && cfa.locs[edge.to].kind != LocKind::Exit
            && edge.to != loc;
        goes.then_some(edge.to)
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done(LocId),
    }
    let mut marks: IndexVec<LocId, Mark> = cfa.locs.iter().map(|_| Mark::New).collect();
    let mut path = Vec::new();
    for start in cfa.locs.indices() {
        let mut at = start;
        let end = loop {
            match marks[at] {
                Mark::Done(end) => break end,
                // A cycle without an operation: an endless loop, which stays at this location.
                Mark::OnPath => break at,
                Mark::New => {}
            }
            marks[at] = Mark::OnPath;
            path.push(at);
            match onward(at) {
                Some(next) => at = next,
                None => break at,
            }
        };
        for loc in path.drain(..) {
            marks[loc] = Mark::Done(end);
        }
    }
    let stays = |loc: LocId| match cfa.locs[loc].kind {
        LocKind::Entry | LocKind::Exit | LocKind::Error(_) => true,
        LocKind::Plain | LocKind::End => order.is_reachable(loc),
    };
    cfa.locs
        .indices()
        .map(|loc| match marks[loc] {
            Mark::Done(end) if stays(loc) => Some(end),
            _ => None,
        })
        .collect()
}

/// Builds the automata again from the locations that take their own place.
fn rebuild(program: &mut Program, keep: &IndexVec<LocId, Option<LocId>>) {
    let old = std::mem::take(&mut program.cfa);
    let mut new_ids: IndexVec<LocId, Option<LocId>> = old.locs.iter().map(|_| None).collect();
    let mut result = Cfa::default();
    for (id, loc) in old.locs.iter_enumerated() {
        if keep[id] == Some(id) {
            new_ids[id] = Some(result.add_loc(loc.function, loc.kind));
        }
    }
    let renamed = |loc: LocId| keep[loc].and_then(|loc| new_ids[loc]);
    for edge in old.edges {
        // The edges of a location that goes go with it; one that was merged had just the edge to its successor.
        if keep[edge.from] != Some(edge.from) {
            continue;
        }
        if let (Some(from), Some(to)) = (renamed(edge.from), renamed(edge.to)) {
            result.add_edge(from, to, edge.op, edge.span);
        }
    }
    program.cfa = result;
    for body in program.functions.iter_mut().filter_map(|f| f.body.as_mut()) {
        body.entry = renamed(body.entry).expect("entries stay");
        body.exit = renamed(body.exit).expect("exits stay");
    }
    for check in &mut program.checks {
        check.loc = renamed(check.loc).expect("error locations stay");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::{chain, sample};

    /// The edges after simplification, with locations by their new numbers.
    fn check(text: &str, expect: &str) {
        let mut program = sample(text).program;
        simplify(&mut program);
        let show = |p: &Program| {
            let edge = |e: &crate::cfa::Edge| {
                let end = |l: LocId| match p.cfa.locs[l].kind {
                    LocKind::Entry => "entry".to_string(),
                    LocKind::Exit => "exit".to_string(),
                    LocKind::Error(_) => "error".to_string(),
                    LocKind::End => "end".to_string(),
                    LocKind::Plain => l.index().to_string(),
                };
                format!("{}->{} {}", end(e.from), end(e.to), p.show_op(&e.op)).trim().to_string()
            };
            p.cfa.edges.iter().map(edge).collect::<Vec<_>>().join("; ")
        };
        let once = show(&program);
        assert_eq!(once, expect, "{text}");
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            assert!(
                program.cfa.locs[edge.from].out.contains(&id) && program.cfa.locs[edge.to].into.contains(&id)
            );
        }
        for check in &program.checks {
            assert!(program.cfa.error_at(check.loc).is_some());
        }
        simplify(&mut program);
        assert_eq!(show(&program), once);
    }

    #[test]
    fn chains_without_an_operation_collapse() {
        check(
            "fn main(): 1->2 x = 1; 2->3; 3->4; 4->5 x = 2; 5->exit",
            "entry->2 x = 1; 2->3 x = 2; 3->exit",
        );
    }

    #[test]
    fn constant_conditions_are_settled() {
        check(
            "fn main(): 1->2 [1]; 1->3 [!1]; 3->error; 2->4 [!0]; 2->5 [0]; 4->exit x = 1; 5->error x = 2",
            "entry->3; 3->exit x = 1",
        );
    }

    #[test]
    fn unreachable_code_goes_but_errors_stay() {
        let mut program = sample("fn main(): 1->exit; 2->3 x = 1; 3->error; 3->end").program;
        simplify(&mut program);
        let kinds: Vec<_> = program.cfa.locs.iter().map(|l| l.kind).collect();
        assert_eq!(kinds, [LocKind::Entry, LocKind::Exit, LocKind::Error(crate::program::CheckId::new(0))]);
        assert_eq!(program.cfa.edges.len(), 1);
    }

    #[test]
    fn a_loop_keeps_a_head() {
        check(
            "fn main(): 1->2; 2->3; 3->4 [x < 3]; 4->5 x = x + 1; 5->2; 3->exit [!(x < 3)]",
            "entry->2; 2->3 [x < 3]; 3->2 x = x + 1; 2->exit [!(x < 3)]",
        );
    }

    #[test]
    fn an_endless_loop_stays_endless() {
        check("fn main(): 1->2; 2->3; 3->4; 4->2", "entry->2; 2->2");
        check("fn main(): 1->2 x = 1; 2->2", "entry->2 x = 1; 2->2");
    }

    #[test]
    fn branches_to_one_place_stay_two_edges() {
        check(
            "fn main(): 1->2 [x]; 1->3 [!x]; 2->4; 3->4; 4->exit x = 1",
            "entry->2 [x]; entry->2 [!(x)]; 2->exit x = 1",
        );
    }

    #[test]
    fn errors_and_ends_are_reached_directly() {
        check("fn main(): 1->2 [x]; 2->error; 1->3 [!x]; 3->end", "entry->error [x]; entry->end [!(x)]");
    }

    #[test]
    fn a_hundred_thousand_locations_collapse_at_once() {
        let mut program = chain(100_000, |_| None);
        simplify(&mut program);
        // Entry, the last location before the exit, exit.
        assert_eq!(program.cfa.locs.len(), 3);
    }
}
