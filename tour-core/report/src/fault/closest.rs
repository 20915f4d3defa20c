//! The closest successful run, found by the solver [FAULT §3.2]; of those that go the same way, one whose inputs differ from
//! the failing run's in as few places as possible.

use super::case::{Case, Found};
use super::measure::Measure;
use super::run::Run;
use super::symbolic::{Question, Runs, encode};
use super::unrolled::Followed;
use tour_engine::confirm::Again;
use tour_logic::smt::{SatResult, Solver};
use tour_logic::term::{Assignment, TermId};
use tour_model::block::Walk;
use tour_model::encode::Path;

/// The successful runs, with their distances from the failing one.
pub struct Successful {
    runs: Runs,
    measure: Measure,
    path: Path,
    solver: Box<dyn Solver>,
    /// The failing run's decisions, in order: its step, and whether a run decides otherwise.
    flips: Vec<(usize, TermId)>,
    /// For each decision, a run that makes it alone otherwise; `None` until they are asked for.
    alone: Option<Vec<Option<Assignment>>>,
}

/// A successful run.
#[derive(Clone, Debug)]
pub struct Success {
    /// The run, as the interpreter executed it.
    pub run: Run,
    /// The same as a path.
    pub path: Followed,
}

impl Successful {
    /// All successful runs around the failing one.
    pub fn new(case: &mut Case) -> Found<Successful> {
        let measure = Measure::new(case);
        let runs = encode(case, &Question { measure: Some(&measure), ..Question::default() })?;
        let path = runs.passed.clone().ok_or("no run passes the check")?;
        let solver = runs.solver(case, true).ok_or("no run passes the check")?;
        let flips = measure.flips(&mut case.engine.terms, &path);
        if flips.is_empty() {
            return Err("the failing run decides nothing before the check".into());
        }
        Ok(Successful { runs, measure, path, solver, flips, alone: None })
    }

    /// How many decisions the failing run makes.
    fn decisions(&self) -> usize {
        self.flips.len()
    }

    /// Some of the decisions is made otherwise.
    fn some(&self, case: &mut Case, decisions: std::ops::Range<usize>) -> TermId {
        let flips: Vec<TermId> = self.flips[decisions].iter().map(|(_, flip)| *flip).collect();
        case.engine.terms.or(&flips)
    }

    /// None of the decisions is.
    fn none(&self, case: &mut Case, decisions: std::ops::Range<usize>) -> TermId {
        let some = self.some(case, decisions);
        case.engine.terms.not(some)
    }

    fn ask(&mut self, case: &mut Case, assumptions: &[TermId]) -> Found<Option<Assignment>> {
        case.go_on()?;
        match self.solver.check(&case.engine.terms, assumptions) {
            SatResult::Sat => self.solver.model(&case.engine.terms).map(Some).map_err(|why| why.to_string()),
            SatResult::Unsat => Ok(None),
            SatResult::Unknown(why) => Err(why.to_string()),
        }
    }

    /// One decision is made otherwise, and no other.
    fn only(&self, case: &mut Case, one: usize) -> [TermId; 3] {
        [self.flips[one].1, self.none(case, 0..one), self.none(case, one + 1..self.decisions())]
    }

    /// Runs that make just one decision otherwise: they are easy to find, and bound what is left to be asked.
    fn alone(&mut self, case: &mut Case) -> Vec<Option<Assignment>> {
        if self.alone.is_none() {
            let mut found = Vec::new();
            for one in 0..self.decisions() {
                let asked = self.only(case, one);
                found.push(self.ask(case, &asked).ok().flatten());
            }
            self.alone = Some(found);
        }
        self.alone.clone().unwrap_or_default()
    }

    /// The runs with the least distance (Definition 10) among those that go another way: runs that do not have nothing
    /// to report, as if their distance were zero. Several may be equally close: of those that make one decision
    /// otherwise, all are told, the latest decision first.
    ///
    /// Runs that make just one decision otherwise are asked for first. If the solver gives up on a bound, the closest
    /// run so far stands.
    pub fn by_distance(&mut self, case: &mut Case) -> Found<(u64, Vec<Success>)> {
        let mut best = None;
        let mut single = None;
        for (one, model) in self.alone(case).into_iter().enumerate().rev() {
            let Some(model) = model else { continue };
            if self.nearer(case, &mut best, model) {
                single = Some(one);
            }
        }
        let differs = self.some(case, 0..self.decisions());
        if best.is_none() {
            let model = self.ask(case, &[differs])?.ok_or("no successful run goes another way")?;
            self.nearer(case, &mut best, model);
        }
        // Every decision that is made otherwise leaves a step unaligned in either run.
        let mut least = 2 * u64::from(case.options.weight_unaligned);
        while let Some((most, _)) = &best
            && least < *most
        {
            let middle = least + (*most - least) / 2;
            let bound = self.measure.at_most(&mut case.engine.terms, &self.path, middle);
            match self.ask(case, &[differs, bound]) {
                Ok(Some(model)) => {
                    self.nearer(case, &mut best, model);
                    single = None;
                }
                Ok(None) => least = middle + 1,
                Err(_) => break,
            }
        }
        let (distance, model) = best.ok_or("no successful run goes another way")?;
        let mut closest = vec![(single, self.success(case, &model)?)];
        let bound = self.measure.at_most(&mut case.engine.terms, &self.path, distance);
        for one in (0..self.decisions()).rev() {
            if closest.len() >= case.limits.max_equally_close {
                break;
            }
            let asked: Vec<TermId> = self.only(case, one).into_iter().chain([bound]).collect();
            if single != Some(one)
                && let Ok(Some(model)) = self.ask(case, &asked)
                && let Ok(success) = self.success(case, &model)
                && closest.iter().all(|(_, known)| known.path.points != success.path.points)
            {
                closest.push((Some(one), success));
            }
        }
        closest.sort_by_key(|(one, _)| std::cmp::Reverse(*one));
        Ok((distance, closest.into_iter().map(|(_, success)| success).collect()))
    }

    /// True if the run of a model is nearer than the best so far: it is the best now.
    fn nearer(&self, case: &mut Case, best: &mut Option<(u64, Assignment)>, model: Assignment) -> bool {
        let distance = self.distance_in(case, &model);
        let is_nearer = best.as_ref().is_none_or(|(old, _)| distance < *old);
        if is_nearer {
            *best = Some((distance, model));
        }
        is_nearer
    }

    fn distance_in(&self, case: &mut Case, model: &Assignment) -> u64 {
        let distance = self.measure.distance(&mut case.engine.terms, &self.path);
        let value = case.engine.terms.eval(distance, model).and_then(|v| v.as_bv());
        value.map_or(0, |bv| bv.value as u64)
    }

    /// The run that comes first in the order of Definition 7, among those that satisfy `given`: its last decision
    /// that is made otherwise is as late as possible, then the one before, and no more of them than needed.
    ///
    /// What the solver gives up on is left out. So that little depends on that, `known` is such a run with its only
    /// decision that is made otherwise, if there is one: only later decisions can be better.
    fn by_control_flow(
        &mut self,
        case: &mut Case,
        given: &[TermId],
        mut known: Option<(usize, Assignment)>,
    ) -> Found<Option<Success>> {
        let mut fixed = given.to_vec();
        let mut before = self.decisions();
        let mut best = None;
        loop {
            if best.is_some() {
                let none = self.none(case, 0..before);
                let assumptions: Vec<TermId> = fixed.iter().copied().chain([none]).collect();
                match self.ask(case, &assumptions) {
                    Ok(Some(model)) => {
                        best = Some(model);
                        break;
                    }
                    Ok(None) => {}
                    Err(_) => break,
                }
            }
            let from = known.as_ref().map_or(0, |(one, _)| one + 1);
            let Some(last) = self.latest(case, &fixed, from..before, &mut best) else {
                best = known.map(|(_, model)| model).or(best);
                break;
            };
            fixed.push(self.flips[last].1);
            fixed.push(self.none(case, last + 1..before));
            before = last;
            known = None;
        }
        best.map(|model| self.success(case, &model)).transpose()
    }

    /// The run of Definition 7.
    pub fn by_decisions(&mut self, case: &mut Case) -> Found<Option<Success>> {
        let alone = self.alone(case).into_iter().enumerate();
        let known = alone.rev().find_map(|(one, model)| Some((one, model?)));
        self.by_control_flow(case, &[], known)
    }

    /// The last of the decisions that can be made otherwise; `best` is a model of that.
    fn latest(
        &mut self,
        case: &mut Case,
        fixed: &[TermId],
        decisions: std::ops::Range<usize>,
        best: &mut Option<Assignment>,
    ) -> Option<usize> {
        let mut from = |this: &mut Successful, case: &mut Case, first: usize| {
            let some = this.some(case, first..decisions.end);
            let assumptions: Vec<TermId> = fixed.iter().copied().chain([some]).collect();
            let model = this.ask(case, &assumptions).ok().flatten();
            let found = model.is_some();
            *best = model.or(best.take());
            found
        };
        if decisions.is_empty() || !from(self, case, decisions.start) {
            return None;
        }
        let (mut last, mut beyond) = (decisions.start, decisions.end);
        while beyond - last > 1 {
            let middle = last + (beyond - last) / 2;
            if from(self, case, middle) { last = middle } else { beyond = middle }
        }
        Some(last)
    }

    /// Path generation [FAULT §3.2.5]: the last decision that can be made otherwise, with all before it as they were, so
    /// that some run succeeds; of these runs, the first in the order of Definition 7.
    pub fn by_generation(&mut self, case: &mut Case) -> Found<Option<Success>> {
        let mut alone = self.alone(case);
        for last in (0..self.decisions()).rev() {
            let given = [self.none(case, 0..last), self.flips[last].1];
            let known = alone[last].take().map(|model| (last, model));
            if known.is_some() || matches!(self.ask(case, &given), Ok(Some(_))) {
                return self.by_control_flow(case, &given, known);
            }
        }
        Ok(None)
    }

    /// Other runs that violate the check: each decides otherwise than the failing run and those before it.
    pub fn failing(&mut self, case: &mut Case, most: usize) -> Vec<Walk> {
        let (Some(path), Some(mut solver)) = (self.runs.failed.clone(), self.runs.solver(case, false)) else {
            return Vec::new();
        };
        let flips = self.measure.flips(&mut case.engine.terms, &path);
        let mut walks = Vec::new();
        let mut old: Vec<TermId> = flips.iter().map(|_| case.engine.terms.no()).collect();
        while walks.len() < most && case.go_on().is_ok() {
            let terms = &mut case.engine.terms;
            let same: Vec<TermId> =
                flips.iter().zip(&old).map(|((_, flip), old)| terms.eq(*flip, *old)).collect();
            let same = terms.and(&same);
            let other = terms.not(same);
            solver.assert(terms, other);
            let SatResult::Sat = solver.check(terms, &[]) else { break };
            let Ok(model) = solver.model(terms) else { break };
            let holds = |flip: TermId| terms.bool(terms.holds(flip, &model) == Some(true));
            old = flips.iter().map(|(_, flip)| holds(*flip)).collect();
            match self.runs.walk(case, &model) {
                Some(walk) => walks.push(walk),
                None => break,
            }
        }
        walks
    }

    fn success(&self, case: &mut Case, model: &Assignment) -> Found<Success> {
        let walk = self.runs.walk(case, model).ok_or("a model describes no run")?;
        let (run, path) = case.successful(&walk)?;
        Ok(with_inputs_of_failure(case, Success { run, path }))
    }
}

/// The run with as many of the failing run's inputs as possible, one after the other: the interpreter has to go the same way.
/// All tries together take as many steps as one run may.
fn with_inputs_of_failure(case: &mut Case, success: Success) -> Success {
    let mut best = success;
    let mut steps = case.limits.max_run_steps;
    for at in 0..best.run.inputs.len() {
        let Some(bits) = same_input(&case.run, &best.run, at) else { continue };
        let Some(left) = steps.checked_sub(best.run.steps.len() as u64) else { break };
        steps = left;
        let mut inputs = best.run.inputs.clone();
        inputs[at].bits = bits;
        let Ok((run, path)) = case.past_check(Box::new(Again::new(inputs))) else { continue };
        let goes_the_same_way =
            run.steps.iter().map(|step| step.edge).eq(best.run.steps.iter().map(|step| step.edge));
        if goes_the_same_way && run.inputs.len() == best.run.inputs.len() {
            best = Success { run, path };
        }
    }
    best
}

/// What the failing run took where a run takes another value: at the same edge, as often before.
fn same_input(failing: &Run, run: &Run, at: usize) -> Option<u128> {
    let input = &run.inputs[at];
    let before =
        run.inputs[..at].iter().filter(|other| other.edge == input.edge && other.ty == input.ty).count();
    let same =
        failing.inputs.iter().filter(|other| other.edge == input.edge && other.ty == input.ty).nth(before)?;
    (same.bits != input.bits).then_some(same.bits)
}
