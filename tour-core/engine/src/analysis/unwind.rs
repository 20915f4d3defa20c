//! Unwinding: symbolic execution of all runs at once, in which no loop makes more rounds than a bound.
//!
//! Runs that meet are merged, and who goes on first is chosen so that they meet wherever they can (see [`Turns`]).
//! Values are terms over inputs (see [`Path::functional`]), so that what all runs agree on stays a constant: a loop that
//! counts to a constant needs no solver.

use crate::context::{Engine, Event, unknown};
use crate::heuristics::BmcLimits;
use rustc_hash::FxHashMap;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::{EdgeId, LocId, Turns};
use tour_ir::program::CheckId;
use tour_logic::smt::{Inquiry, Purpose, SatResult};
use tour_logic::term::{Assignment, TermId};
use tour_model::block::{Block, NodeId, Target, Walk};
use tour_model::encode::{Path, Ssa};

/// An unwinding under way.
pub struct Unwinding<'t> {
    turns: &'t Turns,
    limits: BmcLimits,
    /// How many rounds a loop, and how many frames a recursive function may have.
    bound: usize,
    /// Where runs have come to.
    frontier: Vec<Front>,
    /// How many rounds loops have made since they were entered, by their heads.
    rounds: FxHashMap<NodeId, Rounds>,
    /// What was gone through.
    blocks: Vec<Block>,
    /// Ways to errors, and to what is not modelled, that were not asked about yet.
    ends: Vec<(Target, Path)>,
    /// Some run would go on longer.
    pub cut: bool,
}

/// The rounds of a loop.
#[derive(Clone, Copy, Default)]
struct Rounds {
    all: usize,
    /// Those in which no run could leave the loop: it counts to a constant, perhaps.
    forced: usize,
}

impl Rounds {
    /// It is more than the bound allows for.
    fn exceed(self, bound: usize, limits: &BmcLimits) -> bool {
        self.all - self.forced > bound.saturating_add(1)
            || self.forced > bound.saturating_mul(limits.forced_rounds)
    }

    /// Whether to ask if some run makes this round: the longer a loop, the less often. What no run does costs no more
    /// then than half of what was done before.
    fn are_doubtful(self, limits: &BmcLimits) -> bool {
        let high = self.all.checked_ilog2().map_or(0, |log| 1 << log);
        self.all <= limits.always_asked_rounds || self.all == high || self.all == high + high / 2
    }
}

/// Runs that are at one node.
struct Front {
    node: NodeId,
    /// Where that is; see [`Turns::compare`].
    place: Vec<LocId>,
    path: Path,
}

impl<'t> Unwinding<'t> {
    /// Begins with the program.
    pub fn new(engine: &mut Engine, turns: &'t Turns, start: NodeId, bound: usize) -> Unwinding<'t> {
        let path = engine.blocks.encoder.initially(&mut engine.terms, Path::functional());
        let front = Front { node: start, place: place(engine, start), path };
        Unwinding {
            turns,
            limits: engine.heuristics.bmc,
            bound,
            frontier: vec![front],
            rounds: FxHashMap::default(),
            blocks: Vec::new(),
            ends: Vec::new(),
            cut: false,
        }
    }

    /// How many blocks were gone through.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// Goes on where it is whose turn it is. False if no run is left.
    pub fn advance(&mut self, engine: &mut Engine, questions: &mut Questions) -> Result<bool, UnknownReason> {
        let next = (0..self.frontier.len())
            .min_by(|&a, &b| self.turns.compare(&self.frontier[a].place, &self.frontier[b].place));
        let Some(next) = next else { return Ok(false) };
        let Front { node, place, path } = self.frontier.swap_remove(next);
        let rounds = self.rounds.entry(node).or_default();
        rounds.all += 1;
        let is_long = rounds.exceed(self.bound, &self.limits)
            || engine.blocks.unfolding.frame(node).instance as usize > self.bound;
        if (is_long || rounds.are_doubtful(&self.limits)) && !questions.is_feasible(engine, &path)? {
            return Ok(true);
        }
        if is_long {
            self.cut = true;
            return Ok(true);
        }
        let (before, length) = (engine.terms.len(), path.length());
        let block = engine.blocks.continued(&mut engine.terms, node, path);
        engine.spend((engine.terms.len() - before + length) as u64 / 2 + self.limits.block_cost);
        // No run leaves the loop, neither for another place nor for the end of the program.
        let mut is_forced = block.trail(None).is_empty();
        for exit in &block.exits {
            if let Target::Node(to) = exit.to {
                is_forced &= !self.turns.enters(&self::place(engine, to), &place);
            }
            match exit.to {
                Target::Error(_) | Target::Unsupported(_) if !engine.blocks.counts(exit.to) => {}
                Target::Error(_) | Target::Unsupported(_) => self.ends.push((exit.to, exit.path.clone())),
                Target::Node(to) => self.arrive(engine, &place, to, &exit.path),
            }
        }
        if is_forced && let Some(rounds) = self.rounds.get_mut(&node) {
            rounds.forced += 1;
        }
        self.blocks.push(block);
        if engine.watch.is_on() {
            self.emit(engine);
        }
        Ok(true)
    }

    /// Runs have come to a node.
    fn arrive(&mut self, engine: &mut Engine, from: &[LocId], to: NodeId, path: &Path) {
        if let Some(front) = self.frontier.iter_mut().find(|front| front.node == to) {
            front.path = Path::merge(&mut engine.terms, &front.path, path);
            return;
        }
        let place = place(engine, to);
        if self.turns.enters(from, &place) {
            self.rounds.remove(&to);
        }
        self.frontier.push(Front { node: to, place, path: path.clone() });
    }

    /// Tells of the last block.
    fn emit(&self, engine: &Engine) {
        let Some(block) = self.blocks.last() else { return };
        engine.watch.emit(&Event::Visited { visits: &block.visits() });
        let (at, call_depth) = engine.place(block.from);
        let ended = block.trail(None);
        engine.watch.emit(&Event::Expanded { at, call_depth, distance: None, ended: &ended });
        for exit in &block.exits {
            if let Target::Node(node) = exit.to {
                let (at, call_depth) = engine.place(node);
                let trail = block.trail(Some(exit.to));
                engine.watch.emit(&Event::Reached { at, call_depth, trail: &trail });
            }
        }
        engine.watch.emit(&Event::Depth { blocks: self.depth() });
    }

    /// There are as many ways to errors as are asked about at once.
    pub fn is_time_to_ask(&self) -> bool {
        self.ends.len() >= self.limits.max_errors_together
    }

    /// A run to an error, or to what is not modelled. `None` if there is none among the ways found so far, which are
    /// then done with. Those that `is_done` are left out.
    pub fn failing(
        &mut self,
        engine: &mut Engine,
        questions: &mut Questions,
        is_done: impl Fn(&Engine, Target) -> bool,
    ) -> Result<Option<Failing>, UnknownReason> {
        self.ends.retain(|(to, path)| !path.is_false(&engine.terms) && !is_done(engine, *to));
        let guards: Vec<TermId> = self.ends.iter().map(|(_, path)| path.formula(&mut engine.terms)).collect();
        let any = engine.terms.or(&guards);
        let Some(model) = questions.model(engine, any)? else {
            self.ends.clear();
            return Ok(None);
        };
        let taken = guards.iter().position(|guard| engine.terms.holds(*guard, &model) == Some(true));
        let failing = match taken.map(|end| self.ends[end].0) {
            Some(Target::Unsupported(edge)) => Some(Failing::Unsupported(edge)),
            _ => self.walk(engine, &model),
        };
        let internal = || UnknownReason::Internal("a model does not describe a run of the program".into());
        failing.map(Some).ok_or_else(internal)
    }

    /// The run that a model describes.
    fn walk(&self, engine: &mut Engine, model: &Assignment) -> Option<Failing> {
        let Engine { terms, blocks, .. } = engine;
        let mut walk = Walk::from_entry(blocks, terms, model);
        let mut node = self.blocks.first()?.from;
        for block in &self.blocks {
            // Of the blocks at a node, the next one is where runs go on that have come there.
            if block.from != node {
                continue;
            }
            match walk.follow_anywhere(blocks, terms, block, &Ssa::default(), model)? {
                Target::Node(next) => node = next,
                Target::Error(check) => return Some(Failing::Error(check, walk)),
                Target::Unsupported(edge) => return Some(Failing::Unsupported(edge)),
            }
        }
        None
    }
}

/// What a run comes to.
pub enum Failing {
    /// The violation of a check.
    Error(CheckId, Walk),
    /// Something that is not modelled.
    Unsupported(EdgeId),
}

/// Where a node is: the locations of the calls on its stack, and its own.
fn place(engine: &Engine, node: NodeId) -> Vec<LocId> {
    let unfolding = &engine.blocks.unfolding;
    let mut place = vec![unfolding.loc(node)];
    let mut frame = unfolding.frame(node);
    while let Some((stack, call)) = frame.caller {
        place.push(engine.program().cfa.edges[call].from);
        frame = unfolding.frame_of(stack);
    }
    place.reverse();
    place
}

/// Questions about paths.
pub struct Questions {
    inquiry: Inquiry,
}

impl Questions {
    /// Nothing was asked yet.
    pub fn new(engine: &Engine) -> Questions {
        Questions { inquiry: Inquiry::new(engine.smt.as_ref(), Purpose::Feasibility) }
    }

    /// Does some run take the path?
    fn is_feasible(&mut self, engine: &mut Engine, path: &Path) -> Result<bool, UnknownReason> {
        let formula = path.formula(&mut engine.terms);
        self.ask(engine, formula)
    }

    /// A model of a formula.
    fn model(&mut self, engine: &mut Engine, formula: TermId) -> Result<Option<Assignment>, UnknownReason> {
        if !self.ask(engine, formula)? {
            return Ok(None);
        }
        if formula == engine.terms.yes() {
            return Ok(Some(Assignment::default()));
        }
        self.inquiry.model(&engine.terms).map(Some).map_err(unknown)
    }

    fn ask(&mut self, engine: &mut Engine, formula: TermId) -> Result<bool, UnknownReason> {
        if formula == engine.terms.yes() || formula == engine.terms.no() {
            return Ok(formula == engine.terms.yes());
        }
        loop {
            match self.inquiry.check(&mut engine.terms, formula) {
                SatResult::Sat => return Ok(true),
                SatResult::Unsat => return Ok(false),
                SatResult::Unknown(why) => match unknown(why) {
                    // It was too hard for what is granted: it waits for more, and asks again.
                    UnknownReason::Inconclusive => engine.check_interrupt()?,
                    reason => return Err(reason),
                },
            }
        }
    }
}
