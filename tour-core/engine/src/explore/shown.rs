//! What observers are told of the graph. It is written down, so that what a refinement removes can be taken back.

use super::{Explorer, Move, What};
use crate::cegar::ArgId;
use crate::cegar::emit::{self, Place};
use crate::context::Event;
use crate::domain::Domain;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tour_ir::cfa::{EdgeId, LocId, Visit};
use tour_ir::program::{Builtin, Program, ThreadId};
use tour_model::block::{Block, Target};
use tour_model::threads::{TupleId, builtin_of, graph};

/// The edges of blocks that lead to their targets; `None`: those that lead to none. With each block, so that it stays where
/// it is.
type Trails = FxHashMap<(*const Block, Option<Target>), (Rc<Block>, Rc<[Visit]>)>;

/// What observers were told.
#[derive(Default)]
pub(super) struct Shown {
    trails: Trails,
    /// Nodes that were reached.
    reached: FxHashMap<ArgId, (LocId, Rc<[Visit]>)>,
    /// Nodes that were expanded: where, edges that end there, and successors that were not added.
    expanded: FxHashMap<ArgId, Expanded>,
}

struct Expanded {
    at: LocId,
    ended: Rc<[Visit]>,
    dropped: Vec<(LocId, Rc<[Visit]>)>,
}

impl<D: Domain> Explorer<'_, '_, D> {
    /// Where a thread of a tuple is.
    fn place(&self, tuple: TupleId, thread: ThreadId) -> Option<LocId> {
        self.threads.position(&self.engine.blocks, &self.threads.get(tuple), thread)
    }

    fn trail(&mut self, block: &Rc<Block>, to: Option<Target>) -> Rc<[Visit]> {
        let found = self.shown.trails.entry((Rc::as_ptr(block), to));
        found.or_insert_with(|| (block.clone(), block.trail(to).into())).1.clone()
    }

    /// A block was gone through.
    pub(super) fn emit_block(&self, block: &Block) {
        if self.engine.watch.is_on() {
            self.engine.watch.emit(&Event::Visited { visits: &block.visits() });
        }
    }

    /// The successors of a state are computed.
    pub(super) fn emit_expanded(
        &mut self,
        node: ArgId,
        tuple: TupleId,
        explored: &[ThreadId],
        blocks: &[Rc<Block>],
    ) {
        if !self.engine.watch.is_on() {
            return;
        }
        let Some(at) = explored.first().and_then(|thread| self.place(tuple, *thread)) else { return };
        let ended: Rc<[Visit]> = match blocks {
            [block] => self.trail(block, None),
            _ => blocks.iter().flat_map(|block| self.trail(block, None).to_vec()).collect(),
        };
        emit::expanded(self.engine, Place { at, call_depth: 0 }, None, &ended);
        self.shown.expanded.insert(node, Expanded { at, ended, dropped: Vec::new() });
    }

    /// A move led to a node.
    pub(super) fn emit_reached(&mut self, node: ArgId, to: TupleId, moved: &Move, block: Option<&Rc<Block>>) {
        if let Some(reached) = self.emit_move(to, moved, block) {
            self.shown.reached.insert(node, reached);
        }
    }

    /// A move led to a state that is not added to the graph.
    pub(super) fn emit_dropped(&mut self, from: ArgId, to: TupleId, moved: &Move, block: Option<&Rc<Block>>) {
        if let Some(reached) = self.emit_move(to, moved, block)
            && let Some(expanded) = self.shown.expanded.get_mut(&from)
        {
            expanded.dropped.push(reached);
        }
    }

    fn emit_move(
        &mut self,
        to: TupleId,
        moved: &Move,
        block: Option<&Rc<Block>>,
    ) -> Option<(LocId, Rc<[Visit]>)> {
        if !self.engine.watch.is_on() {
            return None;
        }
        let at = self.place(to, moved.thread)?;
        let trail = match (&moved.what, block) {
            (What::Exit { target, .. }, Some(block)) => self.trail(block, Some(*target)),
            (What::Control(edge), _) => {
                let visits = control(self.engine.program(), *edge);
                self.engine.watch.emit(&Event::Visited { visits: &visits });
                visits.into()
            }
            (What::Exit { .. }, None) => Rc::default(),
        };
        emit::reached(self.engine, Place { at, call_depth: 0 }, &trail);
        Some((at, trail))
    }

    /// A node is removed.
    pub(super) fn emit_removed(&mut self, node: ArgId) {
        if let Some((at, trail)) = self.shown.reached.remove(&node) {
            emit::removed(self.engine, Place { at, call_depth: 0 }, &trail, &[]);
        }
        self.emit_taken_back(node);
    }

    /// A node is not expanded any more.
    pub(super) fn emit_taken_back(&mut self, node: ArgId) {
        let Some(Expanded { at, ended, dropped }) = self.shown.expanded.remove(&node) else { return };
        emit::removed(self.engine, Place { at, call_depth: 0 }, &[], &ended);
        for (at, trail) in dropped {
            emit::removed(self.engine, Place { at, call_depth: 0 }, &trail, &[]);
        }
    }

    /// The graph is thrown away.
    pub(super) fn emit_all_removed(&mut self) {
        let all: Vec<ArgId> = self.arg.nodes().map(|(id, _)| id).collect();
        for node in all {
            self.emit_removed(node);
        }
    }

    /// Shows the graph to who wants to see it.
    pub fn emit_graph(&mut self) {
        let Explorer { engine, domain, arg, threads, moves, .. } = self;
        emit::graph(engine, *domain, arg, |engine, id| {
            let tuple = Self::tuple_of(arg.node(id).at)?;
            let thread = moves.get(&id).map_or(ThreadId::new(0), |moved| moved.thread);
            let at = threads.position(&engine.blocks, &threads.get(tuple), thread)?;
            Some(Place { at, call_depth: 0 })
        });
    }
}

/// A step of control. The start of a thread leads to its beginning too.
fn control(program: &Program, edge: EdgeId) -> Vec<Visit> {
    let op = &program.cfa.edges[edge].op;
    let mut visits = vec![Visit { edge, to: Some(program.cfa.edges[edge].to) }];
    if builtin_of(program, op) == Some(Builtin::ThreadStart)
        && let Some(thread) = graph::about(program, edge, 0)
        && let Some(body) = program.functions[program.threads.all[thread].root].body
    {
        visits.push(Visit { edge, to: Some(body.entry) });
    }
    visits
}
