//! The program unrolled around a failing run: a finite graph without cycles.
//!
//! A point is a node of the unfolding (a location under a call stack) together with how often each loop around it has
//! come back to its head: an execution index. Two runs that come to the same point are at the same place of the same
//! iteration, which is how their steps are aligned (Definition 1: one to one, and in order, since both are paths of
//! one graph without cycles). Loops go round as often as in the failing run, and a little more.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tour_engine::heuristics::FaultLimits;
use tour_evidence::verdict;
use tour_ir::cfa::{EdgeId, LocKind, LoopId, Loops};
use tour_ir::prepared::Prepared;
use tour_model::block::{NodeId, StackId, Step, Unfolding};

index_vec::define_index_type! {
    /// A point.
    pub struct PointId = u32;
    DEBUG_FORMAT = "point{}";
}

/// A node in a certain iteration of the loops around it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Point {
    node: NodeId,
    /// The loops around it in all open frames, outermost first.
    rounds: Vec<(StackId, LoopId, u32)>,
}

/// The points that were found so far.
pub struct Unrolled {
    loops: Arc<Loops>,
    /// How many rounds more than the failing run.
    more_rounds: u32,
    /// More points are not worth the time.
    max_points: usize,
    points: IndexVec<PointId, Point>,
    ids: FxHashMap<Point, PointId>,
    /// The most rounds of a loop; others are as of a loop that the failing run does not enter.
    rounds: FxHashMap<LoopId, u32>,
    depth: u32,
}

/// A step between points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// What happens.
    pub step: Step,
    /// Where it leads.
    pub to: PointId,
}

/// An executed run as a path.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// The point before each step.
    pub points: Vec<PointId>,
    /// All that happened, returns from functions included.
    pub hops: Vec<(PointId, Step)>,
}

impl Unrolled {
    /// Nothing yet.
    pub fn new(program: &Prepared, limits: &FaultLimits) -> Unrolled {
        Unrolled {
            loops: program.fact(),
            more_rounds: limits.more_rounds,
            max_points: limits.max_points,
            points: IndexVec::new(),
            ids: FxHashMap::default(),
            rounds: FxHashMap::default(),
            depth: 0,
        }
    }

    /// The node of a point.
    pub fn node(&self, point: PointId) -> NodeId {
        self.points[point].node
    }

    fn intern(&mut self, point: Point) -> PointId {
        if let Some(&id) = self.ids.get(&point) {
            return id;
        }
        let id = self.points.push(point.clone());
        self.ids.insert(point, id);
        id
    }

    /// Where the program begins.
    pub fn start(&mut self, unfolding: &mut Unfolding) -> Option<PointId> {
        let node = unfolding.start()?;
        Some(self.arrive(unfolding, &[], None, node))
    }

    /// The point that is reached at a node with these rounds behind.
    fn arrive(
        &mut self,
        unfolding: &Unfolding,
        rounds: &[(StackId, LoopId, u32)],
        left: Option<StackId>,
        node: NodeId,
    ) -> PointId {
        let at = unfolding.get(node);
        let stays = |&(stack, id, _): &(StackId, LoopId, u32)| {
            Some(stack) != left && (stack != at.stack || self.loops.contains(id, at.loc))
        };
        let mut rounds: Vec<_> = rounds.iter().copied().filter(stays).collect();
        if self.loops.is_head(at.loc)
            && let Some(own) = self.loops.innermost(at.loc)
        {
            match rounds.iter_mut().find(|(stack, id, _)| (*stack, *id) == (at.stack, own)) {
                Some((.., round)) => *round += 1,
                None => rounds.push((at.stack, own, 0)),
            }
        }
        self.intern(Point { node, rounds })
    }

    fn hop(&mut self, unfolding: &Unfolding, from: PointId, step: Step, to: NodeId) -> PointId {
        let Point { node, rounds } = self.points[from].clone();
        let left = match step {
            Step::Leave { .. } => Some(unfolding.get(node).stack),
            Step::Edge(_) | Step::Enter { .. } | Step::BadCall(_) => None,
        };
        self.arrive(unfolding, &rounds, left, to)
    }

    /// A run that was executed, as a path; `None` if it is none.
    pub fn follow(&mut self, unfolding: &mut Unfolding, steps: &[verdict::Step]) -> Option<Followed> {
        let mut at = self.start(unfolding)?;
        let mut followed = Followed::default();
        for (i, taken) in steps.iter().enumerate() {
            at = self.returned(unfolding, at, taken.edge, &mut followed)?;
            followed.points.push(at);
            let transitions = unfolding.successors(self.points[at].node).to_vec();
            let mut fitting = transitions.into_iter().filter(|t| t.step.edge() == taken.edge);
            // An indirect call has several callees: the next step tells which.
            let callee = steps.get(i + 1).map(|next| {
                let cfa = &unfolding.program().cfa;
                cfa.locs[cfa.edges[next.edge].from].function
            });
            let chosen = fitting.find(|t| match t.step {
                Step::Enter { callee: f, guard: Some(_), .. } => Some(f) == callee,
                Step::BadCall(_) => false,
                Step::Edge(_) | Step::Enter { .. } | Step::Leave { .. } => true,
            })?;
            followed.hops.push((at, chosen.step));
            at = self.hop(unfolding, at, chosen.step, chosen.to?);
        }
        Some(followed)
    }

    /// Returns from functions until an edge can be taken.
    fn returned(
        &mut self,
        unfolding: &mut Unfolding,
        mut at: PointId,
        edge: EdgeId,
        followed: &mut Followed,
    ) -> Option<PointId> {
        loop {
            let node = self.points[at].node;
            let transitions = unfolding.successors(node).to_vec();
            if transitions.iter().any(|t| t.step.edge() == edge && !matches!(t.step, Step::Leave { .. })) {
                return Some(at);
            }
            let leave = transitions.into_iter().find(|t| matches!(t.step, Step::Leave { .. }))?;
            followed.hops.push((at, leave.step));
            at = self.hop(unfolding, at, leave.step, leave.to?);
        }
    }

    /// From now on, runs are like these: as deep, and as often round.
    pub fn bound_by(&mut self, unfolding: &Unfolding, points: &[PointId]) {
        for &point in points {
            let Point { node, rounds } = &self.points[point];
            self.depth = self.depth.max(unfolding.frame(*node).depth + 1);
            for (_, id, round) in rounds {
                let most = self.rounds.entry(*id).or_default();
                *most = (*most).max(round + self.more_rounds);
            }
        }
    }

    /// The steps that leave a point, within the bounds.
    pub fn hops(&mut self, unfolding: &mut Unfolding, from: PointId) -> Vec<Hop> {
        let node = self.points[from].node;
        let transitions = unfolding.successors(node).to_vec();
        let mut hops = Vec::with_capacity(transitions.len());
        for transition in transitions {
            let Some(to) = transition.to else { continue };
            let to = self.hop(unfolding, from, transition.step, to);
            let Point { node, rounds } = &self.points[to];
            let within = |(_, id, round): &(StackId, LoopId, u32)| {
                *round <= self.rounds.get(id).copied().unwrap_or(1 + self.more_rounds)
            };
            if rounds.iter().all(within) && unfolding.frame(*node).depth <= self.depth {
                hops.push(Hop { step: transition.step, to });
            }
        }
        hops
    }

    /// All points that runs go through up to an end, each after those before it; `None` if they are too many.
    pub fn topological(
        &mut self,
        unfolding: &mut Unfolding,
        ends: &FxHashSet<PointId>,
    ) -> Option<Vec<(PointId, Vec<Hop>)>> {
        let start = self.start(unfolding)?;
        let mut seen = FxHashSet::from_iter([start]);
        let mut post = Vec::new();
        let mut stack = vec![(start, self.hops(unfolding, start), 0usize)];
        while let Some((point, hops, done)) = stack.last_mut() {
            if let Some(hop) = hops.get(*done) {
                *done += 1;
                let to = hop.to;
                if seen.insert(to) {
                    if seen.len() > self.max_points {
                        return None;
                    }
                    let hops = if ends.contains(&to) { Vec::new() } else { self.hops(unfolding, to) };
                    stack.push((to, hops, 0));
                }
            } else {
                post.push((*point, std::mem::take(hops)));
                stack.pop();
            }
        }
        post.reverse();
        Some(post)
    }

    /// What a point is.
    pub fn kind(&self, unfolding: &Unfolding, point: PointId) -> LocKind {
        unfolding.program().cfa.locs[unfolding.loc(self.points[point].node)].kind
    }
}
