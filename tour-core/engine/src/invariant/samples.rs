//! States that runs of the program really reach. A candidate that is false in one of them needs no solver to be dropped.

use crate::context::Engine;
use crate::heuristics::SampleLimits;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use tour_interp::interp::{Dest, Image, Inputs, Observer, Options, Random, Request, Write};
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::prepared::Prepared;
use tour_ir::program::{PlaceKind, VarId};
use tour_logic::term::{Assignment, Sort, Symbol, TermId, Value};
use tour_model::block::NodeId;

/// The variables that have been written, with their bits.
type State = BTreeMap<VarId, u128>;

/// States that were reached, by place.
pub struct Samples(BTreeMap<LocId, Vec<State>>);

impl Samples {
    /// Runs the program with some inputs, and notes the states at the places of these nodes.
    pub fn draw(engine: &Engine, nodes: &[NodeId]) -> Samples {
        let program = engine.program();
        let places = nodes.iter().map(|node| (engine.place(*node).0, Vec::new())).collect();
        let image = Image::of(program);
        let limits = engine.heuristics.invariants.samples;
        let mut watcher = Watcher { program, states: places, ..Watcher::empty(program, limits) };
        for seed in 0..limits.runs {
            let (max_steps, max_depth) = (limits.max_run_steps, limits.max_run_depth);
            let options = Options { max_steps, max_depth, ..Options::default() };
            let mut inputs = Small {
                random: Random::new(seed),
                below: (seed % 2 == 0).then_some(limits.max_input.into()),
            };
            image.run(&mut inputs, &options, &mut watcher);
            watcher.end_of_run();
        }
        Samples(watcher.states)
    }

    /// Drops the formulas that are false in a state that was reached at a node.
    pub fn filter(&self, engine: &Engine, node: NodeId, formulas: &mut Vec<TermId>) {
        let Some(states) = self.0.get(&engine.place(node).0) else { return };
        let symbols: BTreeSet<Symbol> = formulas.iter().flat_map(|f| engine.terms.free_symbols(*f)).collect();
        let variable = |symbol: &Symbol| {
            let Sort::BitVec(bits) = engine.terms.base(symbol.base).sort else { return None };
            Some((*symbol, engine.blocks.encoder.scalar(symbol.base)?, bits))
        };
        let variables: Vec<(Symbol, VarId, u32)> = symbols.iter().filter_map(variable).collect();
        let mut assignments = Vec::with_capacity(states.len());
        for state in states {
            let mut assignment = Assignment::default();
            for (symbol, variable, bits) in &variables {
                if let Some(value) = state.get(variable) {
                    assignment.set(*symbol, Value::bv(*bits, *value));
                }
            }
            assignments.push(assignment);
        }
        formulas.retain(|formula| {
            let symbols = engine.terms.free_symbols(*formula);
            assignments.iter().all(|assignment| {
                let known = symbols.iter().all(|symbol| assignment.get(*symbol).is_some());
                !known || engine.terms.holds(*formula, assignment) != Some(false)
            })
        });
    }
}

/// Inputs that loops can count up to, always or now and then.
struct Small {
    random: Random,
    below: Option<u128>,
}

impl Inputs for Small {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let value = self.random.next(request)?;
        Some(self.below.map_or(value, |bound| value % bound))
    }
}

/// Keeps the values of variables, and notes them at the places.
struct Watcher<'p> {
    program: &'p Prepared,
    limits: SampleLimits,
    states: BTreeMap<LocId, Vec<State>>,
    now: FxHashMap<VarId, u128>,
    visits: FxHashMap<LocId, usize>,
    /// The place that was reached last: the writes of the edge are told after the edge.
    reached: Option<LocId>,
}

impl<'p> Watcher<'p> {
    fn empty(program: &'p Prepared, limits: SampleLimits) -> Watcher<'p> {
        let (states, now, visits) = (BTreeMap::new(), FxHashMap::default(), FxHashMap::default());
        Watcher { program, limits, states, now, visits, reached: None }
    }

    fn note(&mut self) {
        let Some(states) = self.reached.take().and_then(|loc| self.states.get_mut(&loc)) else { return };
        states.push(self.now.iter().map(|(var, bits)| (*var, *bits)).collect());
    }

    fn end_of_run(&mut self) {
        self.note();
        self.now.clear();
        self.visits.clear();
    }
}

impl Observer for Watcher<'_> {
    const WRITES: bool = true;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.note();
        let to = self.program.cfa.edges[edge].to;
        if self.states.get(&to).is_some_and(|states| states.len() < self.limits.max_states) {
            let visits = self.visits.entry(to).or_default();
            *visits += 1;
            // The first ones, and a few later ones.
            if *visits < self.limits.max_run_states || visits.is_power_of_two() {
                self.reached = Some(to);
            }
        }
    }

    fn write(&mut self, write: Write) {
        let var = match write.dest {
            Dest::Var(var) => var,
            Dest::Place(place) => match self.program.places[place].kind {
                PlaceKind::Var(var) => var,
                _ => return,
            },
        };
        self.now.insert(var, write.bits);
    }
}
