//! Into a nested block and back: the level of a call or of a loop is found, and its exits are expanded for all who use
//! it. Expansion puts back what reduction took out: all that the block does not write is as it was.

use super::call::Call;
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use super::unit::Unit;
use crate::cegar::{ArgId, Arrival};
use crate::context::Site;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::LoopId;
use tour_logic::term::TermId;
use tour_model::block::{Exit, Target};
use tour_model::encode::{Path, instantiate};

impl<D: Reducer> Bam<'_, '_, D> {
    /// Adds a call. Its callee is entered when it is the call's turn.
    pub(super) fn add_call(&mut self, level: LevelId, at: Target, state: D::State, arrival: Arrival) {
        let of = &self.levels[level];
        let again = (of.arg.node(arrival.parent).children.iter()).any(|&sibling| {
            let sibling = of.arg.node(sibling);
            sibling.arrival == Some(arrival) && sibling.state == state
        });
        if again {
            return;
        }
        let stamp = self.stamp_of(at);
        let node = self.levels[level].arg.add(at, state, Some(arrival), stamp);
        self.emit_reached(level, node);
        self.wait(level, node);
    }

    /// Finds the level of the callee of a call.
    pub(super) fn enter(&mut self, level: LevelId, node: ArgId, call: Call) -> Result<(), UnknownReason> {
        let relevant = self.effects[call.callee].relevant.clone();
        let state = &self.levels[level].arg.node(node).state;
        let reduced = self.domain.reduce(&self.engine.terms, state, &|base| relevant.contains(&base));
        let Some(body) = self.engine.program().functions[call.callee].body else { return Ok(()) };
        let stack = self.engine.blocks.unfolding.root(call.callee);
        let entry = self.engine.blocks.unfolding.at(stack, body.entry);
        let callee = self.level_of(Unit { stack, function: call.callee, within: None }, entry, reduced);
        if let Some(tour) = &mut self.tour {
            tour.enter(self.engine.program(), level, call.edge, callee);
        }
        self.nest(level, node, callee)
    }

    /// Finds the level of a loop that a state enters.
    pub(super) fn enter_loop(
        &mut self,
        level: LevelId,
        node: ArgId,
        id: LoopId,
    ) -> Result<(), UnknownReason> {
        let (Target::Node(at), Some(effects)) =
            (self.levels[level].arg.node(node).at, self.loops.effects(id))
        else {
            return Ok(());
        };
        let state = &self.levels[level].arg.node(node).state;
        let keep = |base| effects.relevant.contains(&base);
        let reduced = self.domain.reduce(&self.engine.terms, state, &keep);
        let unit = Unit { within: Some(id), ..self.levels[level].unit };
        let nested = self.level_of(unit, at, reduced);
        if let Some(tour) = &mut self.tour {
            tour.step(level, nested);
        }
        self.nest(level, node, nested)
    }

    /// A state of a level uses a nested one, with the exits that it has and those that are still to come.
    fn nest(&mut self, level: LevelId, node: ArgId, callee: LevelId) -> Result<(), UnknownReason> {
        self.levels[level].calls.insert(node, callee);
        self.levels[callee].users.insert((level, node));
        if let Some(live) = &mut self.live {
            live.resize(self.levels.len(), false);
            let was = std::mem::replace(&mut live[callee.index()], true);
            if !was && !self.levels[callee].calls.is_empty() {
                // It was given up, and with it perhaps what it calls.
                self.users_changed();
            }
        }
        if self.levels[callee].has_work() {
            self.open(callee);
        }
        for exit in self.levels[callee].exits.clone() {
            self.come_back(level, node, exit)?;
        }
        Ok(())
    }

    /// A state in which a level is left: its users go on with it.
    pub(super) fn leave(&mut self, level: LevelId, exit: ArgId) -> Result<(), UnknownReason> {
        self.levels[level].exits.push(exit);
        for (user, call) in self.levels[level].users.clone() {
            // A user that is still worked on inside of this level.
            let above = self.stack.iter().rev().take_while(|l| **l != level).any(|l| *l == user);
            self.counts.iterations += u64::from(user == level || above);
            self.come_back(user, call, exit)?;
        }
        Ok(())
    }

    /// The way through a nested block: the state that it begins in, and the ways to where the exit leads.
    pub(super) fn round_trip(
        &mut self,
        level: LevelId,
        node: ArgId,
        exit: ArgId,
    ) -> Option<(D::State, Vec<Exit>)> {
        let nested = self.levels[level].calls[&node];
        let end = self.domain.formula(&mut self.engine.terms, &self.levels[nested].arg.node(exit).state);
        if let Some(id) = self.levels[nested].unit.within {
            let kept = self.kept(level, node, id)?;
            let way = self.through_loop(&kept, id, self.levels[nested].arg.node(exit).at, end)?;
            return Some((kept, vec![way]));
        }
        let of = &self.levels[level];
        let Arrival { parent, target } = of.arg.node(node).arrival?;
        let Target::Node(entry) = of.arg.node(node).at else { return None };
        let (call, block) = (Call::at(self.engine, entry)?, self.block(level, parent)?);
        let into = self.way(level, parent, &block.exits[target as usize]);
        let begin = self.domain.formula(&mut self.engine.terms, &self.levels[level].arg.node(node).state);
        let stack = self.levels[level].unit.stack;
        let to = self.engine.program().cfa.edges[call.edge].to;
        let back = self.engine.blocks.unfolding.at(stack, to);
        let ways = call.through(self.engine, &into, &self.effects[call.callee], begin, end, back);
        Some((self.levels[level].arg.node(parent).state.clone(), ways))
    }

    /// What a state says of variables that a loop does not write: it holds all through the loop, and behind it.
    pub(super) fn kept(&mut self, level: LevelId, node: ArgId, id: LoopId) -> Option<D::State> {
        let effects = self.loops.effects(id)?;
        let state = &self.levels[level].arg.node(node).state;
        Some(self.domain.frame(&self.engine.terms, state, &|base| effects.written.contains(&base)))
    }

    /// What is kept, and the state in which a loop is left, as a way of the program.
    fn through_loop(&mut self, kept: &D::State, id: LoopId, to: Target, end: TermId) -> Option<Exit> {
        let effects = self.loops.effects(id)?;
        let terms = &mut self.engine.terms;
        let mut path = Path::default();
        for fact in self.domain.known(kept).facts(terms) {
            path.add(terms, fact);
        }
        for &base in &effects.written {
            path.ssa.bump(base);
        }
        let end = instantiate(terms, end, &path.ssa);
        for fact in terms.conjuncts(end) {
            path.add(terms, fact);
        }
        let formula = path.formula(terms);
        Some(Exit { to, path, formula })
    }

    /// Expands an exit of a callee: adds the states after the call.
    pub(super) fn come_back(
        &mut self,
        level: LevelId,
        node: ArgId,
        exit: ArgId,
    ) -> Result<(), UnknownReason> {
        let Some((state, ways)) = self.round_trip(level, node, exit) else { return Ok(()) };
        let arrival = Arrival { parent: node, target: 0 };
        for way in ways {
            match way.to {
                Target::Node(_) => {
                    let site: Option<Site> = self.engine.site(way.to);
                    for successor in self.post(&state, &way, site)? {
                        self.add(level, way.to, successor, arrival, Some(exit));
                    }
                }
                Target::Error(_) | Target::Unsupported(_) => {
                    self.levels[level].doubts.push((node, exit));
                    self.wake(level);
                }
            }
        }
        Ok(())
    }
}
