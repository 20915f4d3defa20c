//! From events to measures, visits, times and predicates.

use super::lanes::Lanes;
use super::measure::{self, Growth, Marks, Measure};
use super::result::{Coverage, Predicate};
use super::series::Sampler;
use super::{Universe, result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tour_engine::context::observe::{GraphState, MAX_GRAPH};
use tour_engine::context::{Event, Findings, Observer};
use tour_ir::cfa::Visit;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Program, VarId};

/// How many predicates are kept as text.
const MAX_PREDICATES: usize = 5_000;

/// How coverage is collected.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Predicate-relevant variables are this share of the variables in predicates.
    pub relevant: f64,
    /// The abstract reachability graph is kept too.
    pub graph: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { relevant: 0.75, graph: false }
    }
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Glance {
    /// The share that each measure covers, with its id.
    pub measures: Vec<(&'static str, f64)>,
    /// Refinements so far.
    pub refinements: u64,
    /// Predicates so far.
    pub predicates: u64,
    /// Abstract states that are left.
    pub states: u64,
}

/// Collects coverage while analyses run.
pub struct Collector {
    universe: Universe,
    settings: Settings,
    start: Instant,
    state: Mutex<State>,
}

/// What was collected so far.
pub(super) struct State {
    pub measures: Vec<Box<dyn Measure>>,
    /// How often an edge was followed.
    pub visits: Vec<u32>,
    /// Locations that an edge led to or came from.
    pub visited: Marks,
    /// Calls whose callee was entered, and calls that returned, were seen: an edge is news twice.
    entered: Marks,
    pub lanes: Lanes,
    pub sampler: Sampler,
    grown: bool,
    pub predicates: Vec<Predicate>,
    /// The last graph of an analysis.
    pub graph: Vec<GraphState>,
    /// Time that collecting took.
    pub cost: Duration,
}

impl Collector {
    /// Of a program, from now on.
    pub fn new(program: &Prepared, settings: Settings) -> Arc<Collector> {
        let universe = Universe::of(program);
        let measures = measure::all(&universe, settings.relevant);
        let state = State {
            sampler: Sampler::new(measures.len()),
            measures,
            visits: vec![0; universe.from.len()],
            visited: Marks::new(universe.locations.len()),
            entered: Marks::new(universe.from.len()),
            lanes: Lanes::default(),
            grown: false,
            predicates: Vec::new(),
            graph: Vec::new(),
            cost: Duration::ZERO,
        };
        Arc::new(Collector { universe, settings, start: Instant::now(), state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far it is at this moment.
    pub fn glance(&self) -> Glance {
        let state = self.lock();
        let share = |m: &dyn Measure| (m.id(), share(m.count(), m.kind().total(&self.universe)));
        let lanes = &state.lanes.0;
        Glance {
            measures: state.measures.iter().map(|m| share(m.as_ref())).collect(),
            refinements: lanes.iter().map(|lane| lane.refinements).sum(),
            predicates: state.predicates.len() as u64,
            states: lanes.iter().map(|lane| lane.live).sum(),
        }
    }

    /// The coverage so far. What was found tells what became of checks.
    pub fn coverage(&self, program: &Program, findings: &Findings) -> Coverage {
        let mut state = self.lock();
        let now = self.start.elapsed();
        state.sample(&self.universe, now);
        result::of(program, &self.universe, &state, findings, now)
    }

    /// The abstract reachability graph of the analysis that ended last, if it was asked for.
    pub fn graph(&self) -> Vec<GraphState> {
        self.lock().graph.clone()
    }

    /// The time that collecting took.
    pub fn cost(&self) -> Duration {
        self.lock().cost
    }
}

impl Observer for Collector {
    fn observe(&self, who: &'static str, event: &Event) {
        let before = Instant::now();
        let now = before - self.start;
        let mut state = self.lock();
        state.lanes.observe(who, &self.universe, event, now);
        state.observe(&self.universe, event);
        if state.grown && state.sampler.is_due(now) {
            state.sample(&self.universe, now);
        }
        state.cost += before.elapsed();
    }

    fn wants_graph(&self) -> bool {
        self.settings.graph
    }
}

impl State {
    fn observe(&mut self, universe: &Universe, event: &Event) {
        match event {
            Event::Visited { visits } => visits.iter().for_each(|visit| self.visit(universe, *visit)),
            // Only what the transfer relation followed counts as visited, but a run is more than that.
            Event::Abstraction { variables, .. } => self.abstraction(universe, variables),
            Event::Predicate { at, text, variables } => {
                self.grow(universe, &Growth::Precision(&first(universe, variables)));
                if self.predicates.len() < MAX_PREDICATES {
                    self.predicates.push(Predicate { location: at.index() as u32, text: (*text).to_owned() });
                }
            }
            Event::Tracked { variables, .. } => {
                self.grow(universe, &Growth::Precision(&first(universe, variables)));
                self.abstraction(universe, variables);
            }
            Event::Graph { states } => self.graph = states.iter().take(MAX_GRAPH).cloned().collect(),
            Event::Begins
            | Event::Ends { .. }
            | Event::Reached { .. }
            | Event::Expanded { .. }
            | Event::Covered { .. }
            | Event::Removed { .. }
            | Event::Refinement { .. }
            | Event::Depth { .. } => {}
        }
    }

    fn visit(&mut self, universe: &Universe, visit: Visit) {
        let edge = visit.edge.index();
        self.visits[edge] = self.visits[edge].saturating_add(1);
        let into_callee = visit.to.is_some_and(|to| to != universe.to[visit.edge]);
        let is_new = match into_callee {
            true => self.entered.add(edge),
            false => self.visits[edge] == 1 || visit.to.is_some_and(|to| !self.visited.contains(to.index())),
        };
        if !is_new {
            return;
        }
        self.visited.add(universe.from[visit.edge].index());
        if let Some(to) = visit.to {
            self.visited.add(to.index());
        }
        self.grow(universe, &Growth::Edge(visit));
    }

    fn abstraction(&mut self, universe: &Universe, variables: &[VarId]) {
        for var in first(universe, variables) {
            self.grow(universe, &Growth::Abstraction(var));
        }
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        self.grown = true;
        for measure in &mut self.measures {
            measure.grow(universe, growth);
        }
    }

    fn sample(&mut self, universe: &Universe, now: Duration) {
        self.grown = false;
        for measure in &mut self.measures {
            measure.settle(universe);
        }
        self.sampler.add(now, self.measures.iter().map(|m| m.count()));
    }
}

/// Threads have copies of variables: the first counts.
fn first(universe: &Universe, variables: &[VarId]) -> Vec<VarId> {
    variables.iter().map(|var| universe.first[*var]).collect()
}

/// Of nothing, everything is covered.
pub(super) fn share(count: usize, total: usize) -> f64 {
    if total == 0 { 1.0 } else { count as f64 / total as f64 }
}
