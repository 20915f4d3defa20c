//! The automaton of one function while it is built.
//!
//! Lowering is free to make locations early and to join them with empty edges. [`Graph::finish`] then merges what
//! empty edges join, drops what cannot be reached, and adds the rest to the program in order of creation.

use super::blocks::Blocks;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{Body, Check, FnId, Op, Program, Rule, VarId};
use tour_ir::source::Span;

/// A location of the function under construction.
pub(crate) type Point = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Entry,
    Exit,
    /// Index into `checks`.
    Error(usize),
    End,
    /// No execution gets here: edges to it are dropped.
    Blocked,
}

#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) from: Point,
    pub(super) to: Point,
    pub(super) op: Op,
    pub(super) span: Span,
}

#[derive(Debug)]
struct Pending {
    rule: Rule,
    message: String,
    span: Span,
}

/// Locations and edges of one function. Location 0 is its entry, location 1 its exit.
#[derive(Debug)]
pub struct Graph {
    kinds: Vec<Kind>,
    pub(super) arrows: Vec<Arrow>,
    checks: Vec<Pending>,
    end: Option<Point>,
    pub(super) blocks: Blocks,
}

/// The entry of every graph.
pub(crate) const ENTRY: Point = 0;
/// The exit of every graph.
pub(crate) const EXIT: Point = 1;

impl Graph {
    pub(crate) fn new() -> Graph {
        let mut blocks = Blocks::new(ENTRY);
        blocks.stand(ENTRY);
        Graph {
            kinds: vec![Kind::Entry, Kind::Exit],
            arrows: Vec::new(),
            checks: Vec::new(),
            end: None,
            blocks,
        }
    }

    /// How many locations there are.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// A new location.
    pub(crate) fn point(&mut self) -> Point {
        self.kinds.push(Kind::Plain);
        self.kinds.len() - 1
    }

    /// A new location in the block of another one.
    pub(crate) fn point_beside(&mut self, other: Point) -> Point {
        let point = self.point();
        self.blocks.stand_with(point, other);
        point
    }

    /// A new error location.
    pub(crate) fn error(&mut self, rule: Rule, message: String, span: Span) -> Point {
        self.checks.push(Pending { rule, message, span });
        self.kinds.push(Kind::Error(self.checks.len() - 1));
        self.kinds.len() - 1
    }

    /// Says where an error location really is, once that is known.
    pub(crate) fn move_error(&mut self, point: Point, span: Span) {
        if let Some(Kind::Error(index)) = self.kinds.get(point).copied() {
            self.checks[index].span = span;
        }
    }

    /// The location where the program ends.
    pub(crate) fn end(&mut self) -> Point {
        if let Some(end) = self.end {
            return end;
        }
        self.kinds.push(Kind::End);
        self.end = Some(self.kinds.len() - 1);
        self.kinds.len() - 1
    }

    /// A location that no execution reaches: the other side of an assumption.
    pub fn blocked(&mut self) -> Point {
        self.kinds.push(Kind::Blocked);
        self.kinds.len() - 1
    }

    pub(crate) fn edge(&mut self, from: Point, to: Point, op: Op, span: Span) {
        self.arrows.push(Arrow { from, to, op, span });
    }

    /// Lowering goes on from a location.
    pub(crate) fn stand(&mut self, point: Point) {
        self.blocks.stand(point);
    }

    /// A block begins here: where it goes on.
    pub(crate) fn enter_block(&mut self, at: Option<Point>, span: Span) -> Option<Point> {
        let head = self.point();
        self.blocks.enter(head);
        self.moved(at, head, span)
    }

    /// The innermost block ends here: where it goes on.
    pub(crate) fn leave_block(&mut self, at: Option<Point>, span: Span) -> Option<Point> {
        let end = self.point();
        self.blocks.leave();
        self.moved(at, end, span)
    }

    fn moved(&mut self, at: Option<Point>, to: Point, span: Span) -> Option<Point> {
        self.edge(at?, to, Op::Nop, span);
        self.stand(to);
        Some(to)
    }

    /// The innermost block declares a variable.
    pub(crate) fn declare(&mut self, var: VarId) {
        self.blocks.declare(var);
    }

    /// Lives of variables end with the innermost block.
    pub(crate) fn ends_lives(&self, program: &Program) -> bool {
        self.blocks.ends_lives(program)
    }

    /// Some edge made since there were `since` edges leads there.
    pub(crate) fn is_target(&self, point: Point, since: usize) -> bool {
        self.arrows[since..].iter().any(|arrow| arrow.to == point)
    }

    /// How many edges there are so far.
    pub(crate) fn edge_count(&self) -> usize {
        self.arrows.len()
    }

    /// Puts an edge before all edges that left `at` since there were `since` edges.
    pub(crate) fn insert(&mut self, at: Point, since: usize, op: Op, span: Span) {
        let after = self.point();
        self.blocks.stand_with(after, at);
        for arrow in &mut self.arrows[since..] {
            if arrow.from == at {
                arrow.from = after;
            }
        }
        // It stands where it belongs in the order of edges, too: numbering follows the text.
        self.arrows.insert(since, Arrow { from: at, to: after, op, span });
    }

    /// Adds the automaton to the program.
    pub fn finish(mut self, function: FnId, program: &mut Program) -> Body {
        let kinds = &self.kinds;
        self.arrows.retain(|arrow| kinds[arrow.to] != Kind::Blocked);
        self.end_lives(program);
        self.guard_declarations(function, program);
        let mut kept = self.reached();
        kept[EXIT] = true;
        self.arrows.retain(|arrow| kept[arrow.from]);
        for (point, into) in self.merge_empty_edges().into_iter().enumerate() {
            kept[point] &= into == point;
        }
        let mut ids: Vec<Option<LocId>> = vec![None; self.kinds.len()];
        for (point, kind) in self.kinds.iter().enumerate().filter(|(point, _)| kept[*point]) {
            let loc = program.cfa.add_loc(function, LocKind::Plain);
            program.cfa.locs[loc].kind = match *kind {
                Kind::Plain | Kind::Blocked => LocKind::Plain,
                Kind::Entry => LocKind::Entry,
                Kind::Exit => LocKind::Exit,
                Kind::End => LocKind::End,
                Kind::Error(index) => {
                    let Pending { rule, message, span } = &self.checks[index];
                    let check = Check { rule: *rule, loc, message: message.clone(), span: *span };
                    LocKind::Error(program.checks.push(check))
                }
            };
            ids[point] = Some(loc);
        }
        for arrow in self.arrows {
            if let (Some(from), Some(to)) = (ids[arrow.from], ids[arrow.to]) {
                program.cfa.add_edge(from, to, arrow.op, arrow.span);
            }
        }
        let id = |point: Point| ids[point].expect("entry and exit are kept");
        Body { entry: id(ENTRY), exit: id(EXIT) }
    }

    /// Lets the variables of blocks end their lives where edges leave the blocks.
    fn end_lives(&mut self, program: &Program) {
        let mut arrows = Vec::with_capacity(self.arrows.len());
        for mut arrow in std::mem::take(&mut self.arrows) {
            let crossing = match self.kinds[arrow.to] {
                Kind::Plain => self.blocks.crossing(arrow.from, arrow.to, program),
                // The frame ends, or the program.
                Kind::Entry | Kind::Exit | Kind::Error(_) | Kind::End | Kind::Blocked => Vec::new(),
            };
            for op in crossing {
                let (next, span) = (self.point(), arrow.span);
                let to = std::mem::replace(&mut arrow.to, next);
                arrows.push(std::mem::replace(&mut arrow, Arrow { from: next, to, op, span }));
            }
            arrows.push(arrow);
        }
        self.arrows = arrows;
    }

    /// An empty edge that is the only way out of its source, or the only way into its target, joins the two. Entries
    /// keep no edge into them, and a loop of empty edges keeps one. Gives what each location was merged into.
    fn merge_empty_edges(&mut self) -> Vec<Point> {
        let n = self.kinds.len();
        let (mut outs, mut ins) = (vec![0usize; n], vec![0usize; n]);
        for arrow in &self.arrows {
            outs[arrow.from] += 1;
            ins[arrow.to] += 1;
        }
        let mut into: Vec<Point> = (0..n).collect();
        fn find(into: &mut [Point], mut point: Point) -> Point {
            while into[point] != point {
                into[point] = into[into[point]];
                point = into[point];
            }
            point
        }
        let mut kept = Vec::with_capacity(self.arrows.len());
        for arrow in std::mem::take(&mut self.arrows) {
            if arrow.op != Op::Nop {
                kept.push(arrow);
                continue;
            }
            let (from, to) = (find(&mut into, arrow.from), find(&mut into, arrow.to));
            if from != to && self.kinds[from] == Kind::Plain && outs[from] == 1 {
                into[from] = to;
                ins[to] = ins[to] + ins[from] - 1;
            } else if from != to && self.kinds[to] == Kind::Plain && ins[to] == 1 {
                into[to] = from;
                outs[from] = outs[from] + outs[to] - 1;
            } else {
                kept.push(arrow);
            }
        }
        for arrow in &mut kept {
            arrow.from = find(&mut into, arrow.from);
            arrow.to = find(&mut into, arrow.to);
        }
        self.arrows = kept;
        into
    }

    fn reached(&self) -> Vec<bool> {
        let mut outs = vec![Vec::new(); self.kinds.len()];
        for arrow in &self.arrows {
            outs[arrow.from].push(arrow.to);
        }
        let mut reached = vec![false; self.kinds.len()];
        let mut todo = vec![ENTRY];
        reached[ENTRY] = true;
        while let Some(point) = todo.pop() {
            for &next in &outs[point] {
                if !reached[next] {
                    reached[next] = true;
                    todo.push(next);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use tour_ir::program::{DataModel, IntKind};
    use tour_ir::source::UnitId;

    /// A graph from lines like `0 -> 2` (empty) and `2 -> 3 !` (an operation).
    fn check(edges: &[(usize, usize, bool)], want: Expect) {
        let mut program = Program::new(DataModel::Ilp32);
        let span = Span::new(UnitId::new(0), 0, 0);
        let int = program.types.int(IntKind::Int);
        let mut graph = Graph::new();
        for &(from, to, op) in edges {
            while graph.kinds.len() <= from.max(to) {
                graph.point();
            }
            let cond = program.int(graph.arrows.len() as i128, int, span);
            graph.edge(from, to, if op { Op::Assume { cond, truth: true } } else { Op::Nop }, span);
        }
        graph.finish(FnId::new(0), &mut program);
        let text: String = (program.cfa.edges.iter())
            .map(|e| format!("{:?} -> {:?} {}\n", e.from, e.to, program.show_op(&e.op)))
            .collect();
        want.assert_eq(&text);
    }

    #[test]
    fn empty_edges_are_merged_but_loops_and_entries_stay() {
        check(
            &[(0, 2, false), (2, 3, true), (2, 4, true), (3, 5, false), (4, 5, false), (5, 1, true)],
            expect![[r#"
                L0 -> L2 [1]
                L0 -> L2 [2]
                L2 -> L1 [5]
            "#]],
        );
        // A loop head right after the entry keeps the entry free of incoming edges.
        check(
            &[(0, 2, false), (2, 3, true), (3, 2, false), (2, 4, true), (4, 1, true)],
            expect![[r#"
                L0 -> L2 
                L2 -> L2 [1]
                L2 -> L3 [3]
                L3 -> L1 [4]
            "#]],
        );
        // `for (;;);`
        check(
            &[(0, 2, true), (2, 3, false), (3, 2, false)],
            expect![[r#"
                L0 -> L2 [0]
                L2 -> L2 
            "#]],
        );
        // What cannot be reached is dropped.
        check(
            &[(0, 1, true), (2, 3, true), (3, 1, false)],
            expect![[r#"
                L0 -> L1 [0]
            "#]],
        );
    }

    #[test]
    fn an_edge_can_be_put_before_what_followed() {
        let mut graph = Graph::new();
        let span = Span::new(UnitId::new(0), 0, 0);
        let (a, b) = (graph.point(), graph.point());
        graph.edge(ENTRY, a, Op::Nop, span);
        let since = graph.edge_count();
        graph.edge(a, b, Op::Return(None), span);
        graph.insert(a, since, Op::Nop, span);
        let ends: Vec<_> = graph.arrows.iter().map(|a| (a.from, a.to)).collect();
        assert_eq!(ends, [(0, 2), (2, 4), (4, 3)]);
    }
}
