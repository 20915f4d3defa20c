//! What is explored from a state: the next actions of the threads in its source set.

use super::{Explorer, Move, What};
use crate::cegar::{ArgId, Arrival};
use crate::domain::Domain;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Instant;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::EdgeId;
use tour_ir::program::ThreadId;
use tour_model::block::{Block, Known, NodeId, Replacements, Target};
use tour_model::threads::footprint::Bits;
use tour_model::threads::{Coi, Por, TupleId, rules};

/// The ways out of a state.
pub struct Expansion<S> {
    tuple: TupleId,
    state: S,
    explored: Rc<[ThreadId]>,
    asleep: Bits,
    blocks: Vec<Rc<Block>>,
    /// Ways to errors.
    errors: Vec<(Move, Rc<Block>, usize)>,
    /// Ways to other tuples.
    successors: Vec<(Move, TupleId, Option<Through>)>,
}

/// A way out of a block, with the values that its block does not look at.
struct Through {
    block: Rc<Block>,
    exit: usize,
    rest: Known,
}

/// A way from a state to an error.
pub enum Way {
    /// A step of a thread.
    Exit {
        /// The step.
        arrival: Move,
        /// Its block.
        block: Rc<Block>,
        /// The way out of it.
        exit: usize,
    },
    /// Data races and deadlocks that the tuple allows.
    Rules(Vec<rules::Broken>),
    /// An access that takes several steps may race.
    Torn(EdgeId),
}

impl<S> Expansion<S> {
    /// The ways to errors; with `modelled`, without those to what is not modelled.
    pub fn errors(&self, modelled: bool) -> Vec<Way> {
        let wanted =
            |to: Target| matches!(to, Target::Error(_)) || matches!(to, Target::Unsupported(_)) && !modelled;
        (self.errors.iter())
            .filter(|(_, block, exit)| wanted(block.exits[*exit].to))
            .map(|(arrival, block, exit)| Way::Exit {
                arrival: arrival.clone(),
                block: block.clone(),
                exit: *exit,
            })
            .collect()
    }
}

impl<D: Domain> Explorer<'_, '_, D> {
    /// What is explored from a state.
    pub(super) fn expansion(&mut self, node: ArgId, tuple: TupleId) -> Expansion<D::State> {
        let standstill = self.threads.is_standstill(&self.engine.blocks, tuple);
        let clock = Instant::now();
        let (explored, replaced) = self.explored(tuple);
        let asleep = self.asleep(node, &explored);
        self.counts.reduction += clock.elapsed();
        let state = self.arg.node(node).state.clone();
        let (blocks, errors, successors) = Default::default();
        let mut all = Expansion { tuple, state, explored, asleep, blocks, errors, successors };
        for &thread in all.explored.clone().iter() {
            let Some(at) = self.threads.get(tuple)[thread.index()] else { continue };
            if all.asleep.contains(thread.index() as u32) {
                continue;
            }
            let next = self.threads.next(&mut self.engine.blocks, at);
            if next.control && !standstill {
                for (edge, to) in self.threads.control_steps(&mut self.engine.blocks, tuple, thread) {
                    all.successors.push((Move { thread, what: What::Control(edge) }, to, None));
                }
                continue;
            }
            let (known, rest) = self.looked_at(at, &all.state);
            let steps = replaced.get(&thread).cloned().unwrap_or_default();
            self.count(at, &steps);
            let block = self.simplified_block(at, &known, steps);
            self.emit_block(&block);
            all.blocks.push(block.clone());
            for (exit, way) in block.exits.iter().enumerate() {
                let arrival = Move { thread, what: What::Exit { from: at, target: way.to } };
                match way.to {
                    // The others only wait.
                    Target::Node(to) if standstill && !self.threads.waits_at(&self.engine.blocks, to) => {}
                    Target::Error(_) | Target::Unsupported(_) if standstill => {}
                    Target::Node(to) => {
                        let to = self.threads.moved(tuple, thread, to);
                        let through = Through { block: block.clone(), exit, rest: rest.clone() };
                        all.successors.push((arrival, to, Some(through)));
                    }
                    Target::Error(_) | Target::Unsupported(_) => {
                        all.errors.push((arrival, block.clone(), exit));
                    }
                }
            }
        }
        all
    }

    /// The threads that are explored from a tuple, and the steps of them that are replaced.
    fn explored(&mut self, tuple: TupleId) -> (Rc<[ThreadId]>, FxHashMap<ThreadId, Replacements>) {
        let mut explored = self.threads.explored(&mut self.engine.blocks, tuple, self.reductions.por);
        let mut replaced: FxHashMap<ThreadId, Replacements> = FxHashMap::default();
        if self.flows.is_some() {
            for &thread in explored.iter() {
                let steps = self.simplified(tuple, thread);
                replaced.insert(thread, steps);
            }
            let both = self.reductions.coi == Coi::PorCoi && self.reductions.por != Por::None;
            if both && explored.len() > 1 && !self.has_rules() {
                explored = self.explored_again(tuple, &explored, &replaced);
            }
        }
        (explored, replaced)
    }

    /// Adds the successors of a state to the graph.
    pub(super) fn add_successors(
        &mut self,
        node: ArgId,
        expansion: Expansion<D::State>,
    ) -> Result<(), UnknownReason> {
        let Expansion { tuple, state, explored, asleep, blocks, successors, .. } = expansion;
        self.arg.node_mut(node).expanded = true;
        self.emit_expanded(node, tuple, &explored, &blocks);
        for (arrival, to, through) in successors {
            let states = match &through {
                None => vec![state.clone()],
                Some(Through { block, exit, rest }) => {
                    let wanted = self.wanted(to);
                    let states = self.successors(&state, block, *exit, &wanted)?;
                    states.into_iter().map(|s| self.still_read(self.domain.keep(s, rest), &wanted)).collect()
                }
            };
            let block = through.as_ref().map(|through| &through.block);
            for successor in states {
                if let Some(by) = self.dropped_for(to, &successor) {
                    self.dropped.entry(by).or_default().push(node);
                    self.emit_dropped(node, to, &arrival, block);
                    continue;
                }
                let at = Target::Node(NodeId::new(to.index()));
                let stamp = self.stamp(&arrival);
                let child = self.arg.add(at, successor, Some(Arrival { parent: node, target: 0 }), stamp);
                self.put_to_sleep(child, tuple, &explored, &asleep, arrival.thread);
                self.emit_reached(child, to, &arrival, block);
                self.moves.insert(child, arrival.clone());
                if !crate::cegar::System::is_covered(self, child) {
                    self.wait(child);
                }
            }
        }
        Ok(())
    }

    /// The node that covers a state, so that it need not be added to the graph: unless threads sleep, or somebody looks
    /// at the graph.
    fn dropped_for(&mut self, tuple: TupleId, state: &D::State) -> Option<ArgId> {
        if self.reductions.por == Por::Sleep || self.engine.watch.wants_graph() {
            return None;
        }
        let known = self.domain.known(state);
        self.reached.candidates(tuple, &known).into_iter().find(|candidate| {
            let by = self.arg.node(*candidate);
            by.covered_by.is_none() && self.domain.covers(&by.state, state)
        })
    }
}
