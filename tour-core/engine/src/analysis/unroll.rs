//! Unrolling: what can happen in a number of blocks, with paths merged by the node that they have come to.

use crate::context::{Engine, Event, unknown};
use std::collections::BTreeMap;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, SatResult, Solver};
use tour_logic::term::{Assignment, TermId, Terms};
use tour_model::block::{Block, NodeId, Target, Walk};
use tour_model::encode::{Path, Ssa};

/// Layers of blocks: the blocks of one layer continue the paths of the one before.
pub struct Unrolling {
    /// The blocks of each layer, by the node where they begin.
    layers: Vec<BTreeMap<NodeId, Block>>,
    /// Where the last layer has led to.
    pub frontier: BTreeMap<NodeId, Path>,
    questions: Questions,
}

impl Unrolling {
    /// Begins at a node with a path.
    pub fn new(from: NodeId, path: Path, purpose: Purpose) -> Unrolling {
        Unrolling {
            layers: Vec::new(),
            frontier: BTreeMap::from([(from, path)]),
            questions: Questions { purpose, asked: None },
        }
    }

    /// How many layers there are.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Adds a layer. Returns the ways to errors and to what is not modelled.
    pub fn unroll(&mut self, engine: &mut Engine) -> Result<Vec<(Target, Path)>, UnknownReason> {
        let mut layer = BTreeMap::new();
        let mut ends = Vec::new();
        let mut next: BTreeMap<NodeId, Path> = BTreeMap::new();
        for (node, path) in std::mem::take(&mut self.frontier) {
            engine.check_interrupt()?;
            let block = engine.blocks.continued(&mut engine.terms, node, path);
            if engine.watch.is_on() {
                engine.watch.emit(&Event::Visited { visits: &block.visits() });
            }
            for exit in &block.exits {
                match exit.to {
                    Target::Error(_) | Target::Unsupported(_) => ends.push((exit.to, exit.path.clone())),
                    Target::Node(to) => {
                        let merged = match next.remove(&to) {
                            Some(old) => Path::merge(&mut engine.terms, &old, &exit.path),
                            None => exit.path.clone(),
                        };
                        next.insert(to, merged);
                    }
                }
            }
            layer.insert(node, block);
        }
        self.layers.push(layer);
        self.frontier = next;
        Ok(ends)
    }

    /// Is a path feasible?
    pub fn is_feasible(&mut self, engine: &Engine, path: &Path) -> Result<bool, UnknownReason> {
        self.questions.ask(engine, path)
    }

    /// Drops paths of the frontier that no run takes.
    pub fn prune(&mut self, engine: &Engine) -> Result<(), UnknownReason> {
        for (node, path) in std::mem::take(&mut self.frontier) {
            if self.questions.ask(engine, &path)? {
                self.frontier.insert(node, path);
            }
        }
        self.emit(engine);
        Ok(())
    }

    /// Tells what the last layer has reached.
    fn emit(&self, engine: &Engine) {
        let (true, Some(layer)) = (engine.watch.is_on(), self.layers.last()) else { return };
        for block in layer.values() {
            let (at, call_depth) = engine.place(block.from);
            let ended = block.trail(None);
            engine.watch.emit(&Event::Expanded { at, call_depth, distance: None, ended: &ended });
            for &node in self.frontier.keys() {
                let trail = block.trail(Some(Target::Node(node)));
                if !trail.is_empty() {
                    let (at, call_depth) = engine.place(node);
                    engine.watch.emit(&Event::Reached { at, call_depth, trail: &trail });
                }
            }
        }
        engine.watch.emit(&Event::Depth { blocks: self.depth() });
    }

    /// A run from the entry that takes a path, which is feasible, to its end.
    pub fn run(&mut self, engine: &mut Engine, path: &Path) -> Result<Walk, UnknownReason> {
        let formula = path.formula(&mut engine.terms);
        let model = engine.smt.find_model(&engine.terms, formula, Purpose::Feasibility).map_err(unknown)?;
        let walk = model.and_then(|model| self.walk(engine, &model));
        walk.ok_or_else(|| UnknownReason::Internal("a model does not describe a run of the program".into()))
    }

    fn walk(&self, engine: &mut Engine, model: &Assignment) -> Option<Walk> {
        let Engine { terms, blocks, .. } = engine;
        let mut walk = Walk::from_entry(blocks, terms, model);
        let mut node = *self.layers.first()?.keys().next()?;
        for layer in &self.layers {
            let block = layer.get(&node)?;
            match walk.follow_anywhere(blocks, terms, block, &Ssa::default(), model)? {
                Target::Node(next) => node = next,
                Target::Error(_) | Target::Unsupported(_) => return Some(walk),
            }
        }
        None
    }
}

/// A solver that keeps what paths have in common.
struct Questions {
    purpose: Purpose,
    asked: Option<(Vec<TermId>, Box<dyn Solver>)>,
}

impl Questions {
    fn ask(&mut self, engine: &Engine, path: &Path) -> Result<bool, UnknownReason> {
        let terms: &Terms = &engine.terms;
        if path.is_false(terms) {
            return Ok(false);
        }
        let conjuncts = path.conjuncts();
        let (asserted, solver) = match &mut self.asked {
            Some((asserted, solver)) if conjuncts.starts_with(asserted) => (asserted, solver),
            other => {
                let solver = engine.smt.solver(self.purpose);
                let (asserted, solver) = other.insert((Vec::new(), solver));
                (asserted, solver)
            }
        };
        // The last conjuncts are of this path alone, most likely; what was there a layer before stays.
        let kept = conjuncts.len().saturating_sub(1);
        for &conjunct in &conjuncts[asserted.len().min(kept)..kept] {
            solver.assert(terms, conjunct);
            asserted.push(conjunct);
        }
        solver.push();
        for &conjunct in &conjuncts[asserted.len()..] {
            solver.assert(terms, conjunct);
        }
        let answer = solver.check(terms, &[]);
        solver.pop();
        match answer {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown(why) => Err(unknown(why)),
        }
    }
}
