//! How far runs are from the failing one, as part of their formulas.
//!
//! The distance is a variable of its own that every step adds to, and so are the decisions of the failing run that are
//! made otherwise: the program's formulas then speak of distances, and the closest run is found by the solver.

use super::case::Case;
use super::run::counts;
use super::symbolic::Given;
use super::unrolled::{Hop, PointId};
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::program::{ExprId, Op};
use tour_logic::term::{BaseId, Sort, TermId, Terms};
use tour_model::block::Step;
use tour_model::encode::Path;

/// Bits of a distance.
const WIDTH: u32 = 16;

/// The variables that measure.
pub struct Measure {
    /// What the failing run does at a point, and how many of its steps count before.
    failing: FxHashMap<PointId, (Step, u32)>,
    /// The points of the check, where nothing is measured any more.
    check: FxHashSet<PointId>,
    /// How many steps of the failing run count.
    length: u32,
    distance: BaseId,
    /// The decisions of the failing run, in order, and whether they are made otherwise.
    flips: Vec<(usize, BaseId)>,
    flip_at: FxHashMap<PointId, BaseId>,
    /// Conditions and whether they hold, at the failing run's decisions.
    predicates: FxHashMap<PointId, Vec<(ExprId, bool)>>,
    own: FxHashSet<BaseId>,
    weight_predicate: u32,
    weight_unaligned: u32,
}

impl Measure {
    /// Measures the distance from the failing run.
    pub fn new(case: &mut Case) -> Measure {
        let mut failing = FxHashMap::default();
        let (mut index, mut length) = (0, 0);
        for &(point, step) in &case.path.hops {
            failing.insert(point, (step, length));
            if matches!(step, Step::Leave { .. }) {
                continue;
            }
            if index == case.run.cut {
                break;
            }
            index += 1;
            length += u32::from(counts(case.program, step.edge()));
        }
        let terms = &mut case.engine.terms;
        let distance = terms.declare("fault!distance", Sort::BitVec(WIDTH), false);
        let mut own = FxHashSet::from_iter([distance]);
        let (mut flips, mut flip_at) = (Vec::new(), FxHashMap::default());
        for i in case.decisions() {
            let flip = case.engine.terms.declare(&format!("fault!flip{i}"), Sort::Bool, false);
            own.insert(flip);
            flips.push((i, flip));
            flip_at.insert(case.path.points[i], flip);
        }
        let predicates = predicates(case);
        Measure {
            failing,
            check: case.checking.clone(),
            length,
            distance,
            flips,
            flip_at,
            predicates,
            own,
            weight_predicate: case.options.weight_predicate,
            weight_unaligned: case.options.weight_unaligned,
        }
    }

    /// The variable belongs to the measure.
    pub fn owns(&self, base: BaseId) -> bool {
        self.own.contains(&base)
    }

    /// At first, the runs are the same.
    pub fn begin(&self, terms: &mut Terms, path: &mut Path) {
        let none = terms.bv(WIDTH, 0);
        set(terms, path, self.distance, none);
        for &(_, flip) in &self.flips {
            let no = terms.no();
            set(terms, path, flip, no);
        }
    }

    /// Adds what a step changes. Where both runs do the same, that is nothing but predicates. A run that leaves the
    /// failing one takes away what that has done so far, and adds what it has done where they meet again: together, the
    /// steps of the failing run in between, which are not aligned.
    pub fn step(&self, case: &mut Case, point: PointId, hop: Hop, path: &mut Path) {
        if self.check.contains(&point) {
            return;
        }
        let weight = i64::from(self.weight_unaligned);
        let own = match hop.step {
            Step::Leave { .. } => false,
            Step::Edge(edge) | Step::Enter { call: edge, .. } | Step::BadCall(edge) => {
                counts(case.program, edge)
            }
        };
        let mut more = if own { weight } else { 0 };
        match self.failing.get(&point) {
            Some((step, _)) if *step == hop.step => return self.aligned(case, point, path),
            Some((_, before)) => {
                more -= weight * i64::from(*before);
                if let Some(&flip) = self.flip_at.get(&point) {
                    let yes = case.engine.terms.yes();
                    set(&mut case.engine.terms, path, flip, yes);
                }
            }
            None => {}
        }
        if let Some((_, before)) = self.failing.get(&hop.to) {
            more += weight * i64::from(*before);
        }
        self.add(&mut case.engine.terms, path, more);
    }

    fn add(&self, terms: &mut Terms, path: &mut Path, more: i64) {
        if more != 0 {
            let old = path.ssa.value(terms, self.distance);
            let more = terms.bv(WIDTH, more as u128 & ((1 << WIDTH) - 1));
            let new = terms.bv_add(old, more);
            set(terms, path, self.distance, new);
        }
    }

    /// Predicates that differ: each is missing on either side, and Definition 8 counts both.
    fn aligned(&self, case: &mut Case, point: PointId, path: &mut Path) {
        let before = path.clone();
        for differs in self.differing(case, point, &before) {
            let terms = &mut case.engine.terms;
            let old = path.ssa.value(terms, self.distance);
            let more = terms.bv(WIDTH, 2 * u128::from(self.weight_predicate));
            let sum = terms.bv_add(old, more);
            let new = terms.ite(differs, sum, old);
            set(terms, path, self.distance, new);
        }
    }

    /// The program ends: what is left of the failing run is not aligned.
    pub fn end(&self, terms: &mut Terms, point: PointId, path: &mut Path) {
        let done = self.failing.get(&point).map_or(0, |(_, before)| *before);
        self.add(terms, path, i64::from(self.weight_unaligned) * i64::from(self.length - done));
    }

    /// For each predicate at a point, whether it differs from the failing run.
    fn differing(&self, case: &mut Case, point: PointId, path: &Path) -> Vec<TermId> {
        let instance = case.engine.blocks.unfolding.frame(case.node(point)).instance;
        let mut out = Vec::new();
        for &(cond, truth) in self.predicates.get(&point).into_iter().flatten() {
            if let Some(holds) = condition(case, path, cond, instance) {
                let terms = &mut case.engine.terms;
                out.push(if truth { terms.not(holds) } else { holds });
            }
        }
        out
    }

    /// The distance at the end of a path.
    pub fn distance(&self, terms: &mut Terms, path: &Path) -> TermId {
        path.ssa.value(terms, self.distance)
    }

    /// A bound of the distance.
    pub fn at_most(&self, terms: &mut Terms, path: &Path, bound: u64) -> TermId {
        let distance = self.distance(terms, path);
        let bound = terms.bv(WIDTH, u128::from(bound));
        terms.bv_ule(distance, bound)
    }

    /// The decisions that are made otherwise at the end of a path: the failing run's step, and whether.
    pub fn flips(&self, terms: &mut Terms, path: &Path) -> Vec<(usize, TermId)> {
        self.flips.iter().map(|&(i, flip)| (i, path.ssa.value(terms, flip))).collect()
    }
}

fn set(terms: &mut Terms, path: &mut Path, base: BaseId, value: TermId) {
    let new = path.ssa.bump(base);
    let new = terms.symbol(new);
    let fact = terms.eq(new, value);
    path.add(terms, fact);
}

/// A condition at the end of a path, if it can be said without more.
fn condition(case: &mut Case, path: &Path, cond: ExprId, instance: u32) -> Option<TermId> {
    let mut after = path.clone();
    let engine = &mut case.engine;
    let holds = engine.blocks.encoder.condition(&mut engine.terms, &mut after, cond, instance);
    let obligations = engine.blocks.encoder.take_obligations();
    let plain = obligations.is_empty() && after.since(path).is_empty();
    holds.ok().filter(|_| plain)
}

/// The abstract states of the failing run: at each decision, which conditions of the same frame hold. `[FAULT]` takes
/// predicates from the abstraction; these are the ones that it mines first, and there is no need to have found the
/// violation by abstraction.
fn predicates(case: &mut Case) -> FxHashMap<PointId, Vec<(ExprId, bool)>> {
    let decisions = case.decisions();
    let program = case.program;
    let most = (case.limits.max_predicates / decisions.len().max(1))
        .clamp(1, case.limits.max_predicates_of_point.max(1));
    let mut by_frame: FxHashMap<_, Vec<ExprId>> = FxHashMap::default();
    for &i in &decisions {
        let frame = case.engine.blocks.unfolding.get(case.node(case.path.points[i])).stack;
        if let Op::Assume { cond, .. } = program.cfa.edges[case.run.steps[i].edge].op {
            let conditions = by_frame.entry(frame).or_default();
            if conditions.len() < most && !conditions.contains(&cond) {
                conditions.push(cond);
            }
        }
    }
    let given = Given::of(program, &case.run, &case.path);
    let Some(paths) = super::symbolic::along(case, &given) else { return FxHashMap::default() };
    let mut out = FxHashMap::default();
    for i in decisions {
        let point = case.path.points[i];
        let node = case.node(point);
        let frame = case.engine.blocks.unfolding.get(node).stack;
        let instance = case.engine.blocks.unfolding.frame(node).instance;
        let mut known = Vec::new();
        for cond in by_frame.get(&frame).cloned().unwrap_or_default() {
            let Some(holds) = condition(case, &paths[i], cond, instance) else { continue };
            if holds == case.engine.terms.yes() || holds == case.engine.terms.no() {
                known.push((cond, holds == case.engine.terms.yes()));
            }
        }
        out.insert(point, known);
    }
    out
}
