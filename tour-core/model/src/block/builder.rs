//! Makes blocks: a walk over the nodes between two block ends in topological order, with paths merged at joins.

use super::operator::BlockOperator;
use super::unfolding::{NodeId, Step, Transition, Unfolding};
use super::{Block, Exit, Followed, Known, Reaches, Target};
use crate::encode::{At, Encode, Encoder, Path};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use tour_ir::cfa::{EdgeId, LocKind, Loops};
use tour_ir::program::{CheckId, HavocOrigin, Op, Unsupported};
use tour_logic::term::{TermId, Terms};
use tour_logic::tuning::InstanceLimits;

/// The blocks of a program, made on demand.
pub struct Blocks<'p> {
    /// The program as one graph.
    pub unfolding: Unfolding<'p>,
    /// From the program to formulas.
    pub encoder: Encoder<'p>,
    loops: Arc<Loops>,
    operator: BlockOperator,
    /// Checks that count; error locations of others are ends.
    checks: FxHashSet<CheckId>,
    /// How often claims about all elements are instantiated.
    pub instances: InstanceLimits,
    made: FxHashMap<(NodeId, Known, Replacements), Rc<Block>>,
    /// The steps of blocks, by their beginning.
    steps: FxHashMap<NodeId, Rc<[(NodeId, Transition)]>>,
    /// State formulas that hold whenever a node is reached.
    invariants: FxHashMap<NodeId, TermId>,
    /// Why edges have no encoding.
    unsupported: FxHashMap<EdgeId, Box<Unsupported>>,
    /// Steps that are taken for others in the block that is being made.
    replaced: Replacements,
}

/// Steps of a block that are replaced.
pub type Replacements = Rc<BTreeMap<Step, Replaced>>;

/// What is taken in place of an assignment [COI §3.2.1].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Replaced {
    /// Nothing happens.
    Nop,
    /// The variable may have any value.
    Havoc,
}

impl<'p> Blocks<'p> {
    /// No block yet.
    pub fn new(
        unfolding: Unfolding<'p>,
        encoder: Encoder<'p>,
        loops: Arc<Loops>,
        operator: BlockOperator,
        checks: impl IntoIterator<Item = CheckId>,
    ) -> Blocks<'p> {
        Blocks {
            unfolding,
            encoder,
            loops,
            operator,
            checks: checks.into_iter().collect(),
            instances: InstanceLimits::default(),
            made: FxHashMap::default(),
            steps: FxHashMap::default(),
            invariants: FxHashMap::default(),
            unsupported: FxHashMap::default(),
            replaced: Rc::default(),
        }
    }

    /// From now on, a check does not count any more. Blocks that were made before still lead to it.
    pub fn close(&mut self, check: CheckId) {
        self.checks.remove(&check);
    }

    /// The target of a block counts: it is not the error location of a check that does not.
    pub fn counts(&self, target: Target) -> bool {
        match target {
            Target::Error(check) => self.checks.contains(&check),
            Target::Node(_) | Target::Unsupported(_) => true,
        }
    }

    /// Why an edge has no encoding.
    pub fn why_unsupported(&self, edge: EdgeId) -> Option<&Unsupported> {
        self.unsupported.get(&edge).map(|b| &**b)
    }

    /// An edge has no encoding.
    pub fn not_modelled(&mut self, edge: EdgeId, why: Box<Unsupported>) {
        self.unsupported.entry(edge).or_insert(why);
    }

    /// The block that begins at a node, with values that are known there.
    pub fn block(&mut self, terms: &mut Terms, from: NodeId, known: &Known) -> Rc<Block> {
        self.block_with(terms, from, known, Replacements::default())
    }

    /// The same, in which some steps are replaced.
    pub fn block_with(
        &mut self,
        terms: &mut Terms,
        from: NodeId,
        known: &Known,
        replaced: Replacements,
    ) -> Rc<Block> {
        if let Some(block) = self.made_with(from, known, &replaced) {
            return block;
        }
        let key = (from, known.clone(), replaced.clone());
        let mut beginning = self.beginning(terms, from);
        for fact in known.facts(terms) {
            beginning.add(terms, fact);
        }
        self.replaced = replaced;
        let block = Rc::new(self.continued(terms, from, beginning));
        self.replaced = Replacements::default();
        self.made.insert(key, block.clone());
        block
    }

    /// The block, if it was made before.
    pub fn made_with(&self, from: NodeId, known: &Known, replaced: &Replacements) -> Option<Rc<Block>> {
        self.made.get(&(from, known.clone(), replaced.clone())).cloned()
    }

    /// From now on, blocks begin with what always holds where they begin.
    pub fn assume(&mut self, node: NodeId, invariant: TermId) {
        self.invariants.insert(node, invariant);
        self.made.clear();
    }

    /// What always holds at a node, as far as it was found out.
    pub fn invariant(&self, node: NodeId) -> Option<TermId> {
        self.invariants.get(&node).copied()
    }

    /// The path at the beginning of a block: with the initial values if the program begins there.
    pub fn beginning(&mut self, terms: &mut Terms, from: NodeId) -> Path {
        let is_start = Some(from) == self.unfolding.start();
        if is_start { self.encoder.initial(terms) } else { Path::default() }
    }

    /// The block at a node that continues a path.
    pub fn continued(&mut self, terms: &mut Terms, from: NodeId, mut beginning: Path) -> Block {
        let mut facts = Vec::new();
        if let Some(&invariant) = self.invariants.get(&from) {
            let invariant = beginning.ssa.evaluate(terms, invariant);
            facts = terms.conjuncts(invariant);
            for &fact in &facts {
                beginning.add(terms, fact);
            }
        }
        // What holds for all indices holds for those that the block uses.
        facts.retain(|fact| !terms.ghosts(*fact).is_empty());
        let order = self.topological(from);
        let mut paths: FxHashMap<NodeId, Path> = FxHashMap::default();
        paths.insert(from, beginning);
        let mut exits: Vec<(Target, Path)> = Vec::new();
        let mut exit_index: FxHashMap<Target, usize> = FxHashMap::default();
        let mut leave = |terms: &mut Terms, to: Target, path: Path| match exit_index.get(&to) {
            Some(&i) => exits[i].1 = Path::merge(terms, &exits[i].1, &path),
            None => {
                exit_index.insert(to, exits.len());
                exits.push((to, path));
            }
        };
        let inner: FxHashSet<NodeId> = order.iter().copied().collect();
        let mut followed = Vec::new();
        for &node in &order {
            let Some(path) = paths.get(&node).cloned() else { continue };
            if path.is_false(terms) {
                continue;
            }
            for transition in self.unfolding.successors(node).to_vec() {
                let mut after = path.clone();
                let edge = transition.step.edge();
                let loc = transition.to.map(|to| self.unfolding.loc(to));
                let mut follow = |to: Reaches| followed.push(Followed { from: node, edge, loc, to });
                let encoded = self.step(terms, &mut after, node, transition.step);
                let obligations = self.encoder.take_obligations();
                match encoded {
                    Ok(()) if obligations.is_empty() => {}
                    Ok(()) => {
                        // Outside of its object, an access is undefined: nothing is known of what follows.
                        let claims: Vec<TermId> = obligations.iter().map(|of| of.claim).collect();
                        let kept = terms.and(&claims);
                        let broken = terms.not(kept);
                        let mut outside = path.clone();
                        outside.add(terms, broken);
                        let why = || Box::new(crate::encode::broken(&obligations));
                        self.unsupported.entry(edge).or_insert_with(why);
                        leave(terms, Target::Unsupported(edge), outside);
                    }
                    Err(why) => {
                        let mut reached = path.clone();
                        let guarded = self.guard(terms, &mut reached, node, transition.step);
                        self.encoder.take_obligations();
                        if guarded.is_ok() && reached.is_false(terms) {
                            continue;
                        }
                        self.unsupported.entry(edge).or_insert(why);
                        let reached = if guarded.is_ok() { reached } else { path.clone() };
                        leave(terms, Target::Unsupported(edge), reached);
                        follow(Reaches::Out(Target::Unsupported(edge)));
                        continue;
                    }
                }
                if after.is_false(terms) {
                    continue;
                }
                let Some(to) = transition.to else {
                    leave(terms, Target::Unsupported(edge), after);
                    follow(Reaches::Out(Target::Unsupported(edge)));
                    continue;
                };
                match self.unfolding.program().cfa.locs[self.unfolding.loc(to)].kind {
                    LocKind::Error(check) if self.checks.contains(&check) => {
                        leave(terms, Target::Error(check), after);
                        follow(Reaches::Out(Target::Error(check)));
                    }
                    LocKind::Error(_) | LocKind::End => follow(Reaches::End),
                    LocKind::Plain | LocKind::Entry | LocKind::Exit => {
                        if to != from && inner.contains(&to) {
                            let merged = match paths.remove(&to) {
                                Some(old) => Path::merge(terms, &old, &after),
                                None => after,
                            };
                            paths.insert(to, merged);
                            follow(Reaches::Inner(to));
                        } else {
                            leave(terms, Target::Node(to), after);
                            follow(Reaches::Out(Target::Node(to)));
                        }
                    }
                }
            }
        }
        let mut exits: Vec<Exit> = exits
            .into_iter()
            .map(|(to, mut path)| {
                let mut formula = path.formula(terms);
                let instances = terms.instances(&self.instances, &facts, &[formula]);
                if !instances.is_empty() {
                    instances.into_iter().for_each(|instance| path.add(terms, instance));
                    formula = path.formula(terms);
                }
                Exit { to, path, formula }
            })
            .collect();
        exits.retain(|exit| exit.formula != terms.no());
        Block { from, exits, inner: paths, followed }
    }

    /// The nodes inside the block, `from` first, each after all its predecessors inside.
    fn topological(&mut self, from: NodeId) -> Vec<NodeId> {
        let mut post = Vec::new();
        let mut seen = FxHashSet::default();
        seen.insert(from);
        // (node, its inner successors, how many are done)
        let mut stack = vec![(from, self.inner_successors(from, 0), 0usize, 0u32)];
        while let Some((node, successors, done, steps)) = stack.last_mut() {
            match successors.get(*done) {
                Some(&next) => {
                    *done += 1;
                    let steps = *steps + 1;
                    if seen.insert(next) {
                        let successors = self.inner_successors(next, steps);
                        stack.push((next, successors, 0, steps));
                    }
                }
                None => {
                    post.push(*node);
                    stack.pop();
                }
            }
        }
        post.reverse();
        post
    }

    /// The steps of the block that begins at a node, each with the node that it leaves.
    pub fn steps(&mut self, from: NodeId) -> Rc<[(NodeId, Transition)]> {
        if let Some(known) = self.steps.get(&from) {
            return known.clone();
        }
        let mut steps = Vec::new();
        for node in self.topological(from) {
            steps.extend(self.unfolding.successors(node).iter().map(|t| (node, *t)));
        }
        let steps: Rc<[(NodeId, Transition)]> = steps.into();
        self.steps.insert(from, steps.clone());
        steps
    }

    /// A block ends at a node.
    pub fn ends_at(&self, node: NodeId) -> bool {
        self.operator.ends_at(&self.unfolding, &self.loops, node, 1)
    }

    /// The node is at the head of a loop.
    pub fn is_loop_head(&self, node: NodeId) -> bool {
        self.loops.is_head(self.unfolding.loc(node))
    }

    fn inner_successors(&mut self, node: NodeId, steps: u32) -> Vec<NodeId> {
        let targets: Vec<NodeId> =
            self.unfolding.successors(node).iter().filter_map(|t: &Transition| t.to).collect();
        targets
            .into_iter()
            .filter(|&to| !self.operator.ends_at(&self.unfolding, &self.loops, to, steps + 1))
            .filter(|&to| {
                let loc = self.unfolding.loc(to);
                match self.unfolding.program().cfa.locs[loc].kind {
                    LocKind::Plain | LocKind::Entry | LocKind::Exit => true,
                    LocKind::Error(_) | LocKind::End => false,
                }
            })
            .collect()
    }

    /// A step into a function through a pointer is taken only if it points to that function.
    fn guard(&mut self, terms: &mut Terms, path: &mut Path, node: NodeId, step: Step) -> Encode<()> {
        if let Step::Enter { callee, guard: Some(pointer), .. } = step {
            let instance = self.unfolding.frame(node).instance;
            let holds = self.encoder.guard(terms, path, pointer, callee, instance)?;
            path.add(terms, holds);
        }
        Ok(())
    }

    /// Extends a path that has come to `node` by one step.
    pub fn step(&mut self, terms: &mut Terms, path: &mut Path, node: NodeId, step: Step) -> Encode<()> {
        let program = self.unfolding.program();
        let frame = self.unfolding.frame(node);
        let at = At { function: frame.function, instance: frame.instance };
        if let (Some(replaced), Step::Edge(edge)) = (self.replaced.get(&step), step) {
            return match (replaced, &program.cfa.edges[edge].op) {
                (Replaced::Nop, _) => Ok(()),
                (Replaced::Havoc, Op::Assign(place, _) | Op::Havoc(place, _)) => {
                    let havoc = Op::Havoc(*place, HavocOrigin::Indeterminate);
                    self.encoder.op(terms, path, &havoc, at)
                }
                (Replaced::Havoc, op) => self.encoder.op(terms, path, op, at),
            };
        }
        match step {
            Step::Edge(edge) => self.encoder.op(terms, path, &program.cfa.edges[edge].op, at),
            Step::Enter { call, callee, .. } => {
                let Op::Call(op) = &program.cfa.edges[call].op else { return Ok(()) };
                self.guard(terms, path, node, step)?;
                let inner = self.unfolding.instance_of_callee(node, call, callee);
                self.encoder.enter(terms, path, op, callee, frame.instance, inner)
            }
            Step::Leave { call, callee } => {
                let Op::Call(op) = &program.cfa.edges[call].op else { return Ok(()) };
                let outer = frame.caller.map_or(0, |(stack, _)| self.unfolding.frame_of(stack).instance);
                self.encoder.leave(terms, path, op, callee, outer, frame.instance)
            }
            Step::BadCall(call) => {
                let Op::Call(op) = &program.cfa.edges[call].op else { return Ok(()) };
                let tour_ir::program::Callee::Indirect(pointer) = op.callee else { return Ok(()) };
                for callee in self.unfolding.targets(call).to_vec() {
                    let holds = self.encoder.guard(terms, path, pointer, callee, frame.instance)?;
                    let other = terms.not(holds);
                    path.add(terms, other);
                }
                let why = Unsupported {
                    kind: "function-pointer",
                    message: "a call through a pointer to an unknown function".into(),
                };
                self.unsupported.entry(call).or_insert_with(|| Box::new(why));
                Ok(())
            }
        }
    }
}
