//! What the exploration tells to an observer. A refinement throws the graph away: what was reached is taken back then.

use super::{Explorer, Move, What};
use crate::analysis::observe::{GraphPlace, GraphState, MAX_GRAPH};
use crate::analysis::{ArgId, Event};
use crate::domain::Domain;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tour_ir::cfa::Visit;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Builtin, Program, ThreadId};
use tour_model::block::{Block, Target};
use tour_model::threads::{TupleId, builtin_of, graph};

/// A state that was told.
pub(super) struct Told {
    at: LocId,
    trail: Rc<[Visit]>,
    ended: Rc<[Visit]>,
}

/// The edges of blocks that lead to their targets; `None`: those that lead to none. With each block, so that it stays where
/// it is.
pub(super) type Trails = FxHashMap<(*const Block, Option<Target>), (Rc<Block>, Rc<[Visit]>)>;

impl<D: Domain> Explorer<'_, '_, D> {
    /// Where the threads' steps from a state begin: at the first of those that move.
    fn place(&self, tuple: TupleId, thread: ThreadId) -> Option<LocId> {
        self.threads.position(&self.engine.blocks, &self.threads.get(tuple), thread)
    }

    fn trail(&mut self, block: &Rc<Block>, to: Option<Target>) -> Rc<[Visit]> {
        let found = self.trails.entry((Rc::as_ptr(block), to));
        found.or_insert_with(|| (block.clone(), block.trail(to).into())).1.clone()
    }

    /// A block was gone through.
    pub(super) fn tell_block(&self, block: &Block) {
        if self.engine.watch.is_on() {
            self.engine.watch.tell(&Event::Visited { visits: &block.visits() });
        }
    }

    /// The successors of a state are computed.
    pub(super) fn tell_expanded(&mut self, tuple: TupleId, explored: &[ThreadId], blocks: &[Rc<Block>]) {
        let Some(at) = explored.first().and_then(|thread| self.place(tuple, *thread)) else { return };
        if self.engine.watch.is_on() {
            let ended: Rc<[Visit]> = match blocks {
                [block] => self.trail(block, None),
                _ => blocks.iter().flat_map(|block| self.trail(block, None).to_vec()).collect(),
            };
            self.engine.watch.tell(&Event::Expanded { at, call_depth: 0, distance: None, ended: &ended });
            self.told.push(Told { at, trail: Rc::default(), ended });
        }
    }

    /// A move led to a state.
    pub(super) fn tell_reached(&mut self, to: TupleId, moved: &Move, block: Option<&Rc<Block>>) {
        let (true, Some(at)) = (self.engine.watch.is_on(), self.place(to, moved.thread)) else { return };
        let trail = match (&moved.what, block) {
            (What::Exit { target, .. }, Some(block)) => self.trail(block, Some(*target)),
            (What::Control(edge), _) => {
                let visits = control(self.engine.program(), *edge);
                self.engine.watch.tell(&Event::Visited { visits: &visits });
                visits.into()
            }
            (What::Exit { .. }, None) => Rc::default(),
        };
        self.engine.watch.tell(&Event::Reached { at, call_depth: 0, trail: &trail });
        self.told.push(Told { at, trail, ended: Rc::default() });
    }

    /// The graph is thrown away.
    pub(super) fn tell_removed(&mut self) {
        for Told { at, trail, ended } in std::mem::take(&mut self.told) {
            self.engine.watch.tell(&Event::Removed { at, trail: &trail, ended: &ended });
        }
    }

    /// The graph as it is now.
    pub(super) fn tell_graph(&mut self) {
        if !self.engine.watch.wants_graph() {
            return;
        }
        let ids: Vec<ArgId> = self.arg.nodes().map(|(id, _)| id).take(MAX_GRAPH).collect();
        let mut states = Vec::with_capacity(ids.len());
        for id in ids {
            let node = self.arg.node(id);
            let thread = self.moves.get(&id).map_or(ThreadId::new(0), |moved| moved.thread);
            let at = match node.at {
                Target::Node(_) => {
                    let tuple = Self::tuple_of(node.at);
                    let Some(loc) = tuple.and_then(|tuple| self.place(tuple, thread)) else { continue };
                    GraphPlace::Loc(loc, 0)
                }
                Target::Error(check) => GraphPlace::Error(check),
                Target::Unsupported(edge) => GraphPlace::Unsupported(edge),
            };
            let number = |id: ArgId| id.index() as u32;
            let mut state = GraphState {
                id: number(id),
                parent: node.arrival.map(|arrival| number(arrival.parent)),
                covered_by: node.covered_by.map(number),
                at,
                expanded: node.expanded,
                formula: String::new(),
            };
            let data = node.state.clone();
            let formula = self.domain.formula(&mut self.engine.terms, &data);
            state.formula = self.engine.terms.show(formula);
            states.push(state);
        }
        self.engine.watch.tell(&Event::Graph { states: &states });
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
