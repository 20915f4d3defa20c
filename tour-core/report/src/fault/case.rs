//! What every technique is given: the failing run, the program unrolled around it, the solver, and a budget.

use super::Options;
use super::closest::Successful;
use super::failures::{Failure, failures};
use super::run::{CheckStatement, Run, counts, execute, is_branch, line_of};
use super::unrolled::{Followed, Hop, PointId, Unrolled};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tour_engine::confirm::FromWalk;
use tour_engine::context::{BlockEncoding, Context, Engine};
use tour_engine::heuristics::FaultLimits;
use tour_evidence::verdict::Violation;
use tour_interp::interp::{Image, Inputs, Outcome};
use tour_ir::budget::Budget;
use tour_ir::cfa::{EdgeId, LocId, LocKind, Loops};
use tour_ir::limits::Interrupt;
use tour_ir::prepared::Prepared;
use tour_ir::program::{CheckId, HavocOrigin, Op};
use tour_model::block::{NodeId, Walk};

/// Why a technique found nothing, for people.
pub type Found<T> = Result<T, String>;

/// The points of the unrolled program in topological order, with the steps that leave each.
pub type Graph = Rc<Vec<(PointId, Vec<Hop>)>>;

/// A failure to be explained.
pub struct Case<'p> {
    /// The program.
    pub program: &'p Prepared,
    /// To execute it.
    pub image: Image<'p>,
    /// The violated check.
    pub check: CheckId,
    /// The failing run, cut at the check.
    pub run: Run,
    /// The same as a path.
    pub path: Followed,
    /// The statement of the check.
    pub statement: CheckStatement,
    /// Formulas and the solver.
    pub engine: Engine<'p>,
    /// The program around the run.
    pub unrolled: Unrolled,
    /// Where runs have passed the check.
    pub passed: FxHashSet<PointId>,
    /// Where they are in its statement.
    pub checking: FxHashSet<PointId>,
    /// What the user chose.
    pub options: Options,
    /// What is looked at.
    pub limits: FaultLimits,
    /// Steps that were encoded for the current technique.
    pub encoded: usize,
    /// Stops everything.
    pub interrupt: Interrupt,
    graph: Option<Graph>,
    successful: Option<Found<Successful>>,
    failures: Option<Rc<Vec<Failure>>>,
}

impl<'p> Case<'p> {
    /// Prepares a violation.
    pub fn new(
        program: &'p Prepared,
        violation: &Violation,
        context: &Context,
        options: &Options,
    ) -> Found<Case<'p>> {
        let limits = context.heuristics.fault;
        let (steps, max) = (violation.trace.len(), limits.max_run);
        if steps > max {
            return Err(format!("the failing run has {steps} steps, more than {max}"));
        }
        // No single question takes all of the budget.
        let own =
            Context { budget: Budget::fixed(options.budget / limits.question_share), ..context.clone() };
        let mut engine =
            Engine::new(program, &own, BlockEncoding::LOOPS).map_err(|reason| reason.to_string())?;
        let mut statement = CheckStatement::of(program, violation.check, &violation.trace);
        statement.with_loop(program, &program.fact::<Loops>(), &violation.trace);
        let run =
            Run { steps: violation.trace.clone(), inputs: violation.inputs.clone(), cut: statement.first };
        let mut unrolled = Unrolled::new(program, &limits);
        let unfolding = &mut engine.blocks.unfolding;
        let path = unrolled.follow(unfolding, &run.steps).ok_or("the failing run can't be followed")?;
        unrolled.bound_by(unfolding, &path.points);
        let mut case = Case {
            program,
            image: Image::of(program),
            check: violation.check,
            run,
            path,
            statement,
            engine,
            unrolled,
            passed: FxHashSet::default(),
            checking: FxHashSet::default(),
            options: options.clone(),
            limits,
            encoded: 0,
            interrupt: context.interrupt.clone(),
            graph: None,
            successful: None,
            failures: None,
        };
        (case.passed, case.checking) = case.beyond();
        Ok(case)
    }

    /// The points where the check's statement is behind, by way of the point where it begins in the failing run; and
    /// those of the statement itself.
    fn beyond(&mut self) -> (FxHashSet<PointId>, FxHashSet<PointId>) {
        let mut ends = FxHashSet::default();
        let Some(&first) = self.path.points.get(self.statement.first) else {
            return (ends, FxHashSet::default());
        };
        let max_points = self.limits.max_statement_points;
        let unfolding = &mut self.engine.blocks.unfolding;
        let own = unfolding.get(self.unrolled.node(first)).stack;
        let mut seen = FxHashSet::from_iter([first]);
        let mut work = vec![first];
        while let Some(point) = work.pop() {
            for hop in self.unrolled.hops(unfolding, point) {
                if !seen.insert(hop.to) {
                    continue;
                }
                match self.unrolled.kind(unfolding, hop.to) {
                    LocKind::Error(_) | LocKind::End => continue,
                    LocKind::Plain | LocKind::Entry | LocKind::Exit => {}
                }
                let at = unfolding.get(self.unrolled.node(hop.to));
                let inside = at.stack != own
                    || (self.program.cfa.successors(at.loc))
                        .any(|(edge, _)| self.statement.contains(self.program, edge));
                if inside && seen.len() < max_points {
                    work.push(hop.to);
                } else {
                    ends.insert(hop.to);
                }
            }
        }
        seen.retain(|point| !ends.contains(point));
        (ends, seen)
    }

    /// The unrolled program.
    pub fn graph(&mut self) -> Found<Graph> {
        if self.graph.is_none() {
            let made = self.unrolled.topological(&mut self.engine.blocks.unfolding, &self.passed);
            self.graph = Some(Rc::new(made.ok_or("the program around the failing run is too large")?));
        }
        self.graph.clone().ok_or_else(String::new)
    }

    /// The successful runs; to be given back with [`Case::keep`].
    pub fn successful_runs(&mut self) -> Found<Successful> {
        match self.successful.take() {
            Some(Ok(runs)) => Ok(runs),
            Some(Err(why)) => {
                self.successful = Some(Err(why.clone()));
                Err(why)
            }
            None => Successful::new(self).inspect_err(|why| self.successful = Some(Err(why.clone()))),
        }
    }

    /// Keeps the successful runs for the next technique.
    pub fn keep(&mut self, runs: Successful) {
        self.successful = Some(Ok(runs));
    }

    /// Runs that violate the check, this one first.
    pub fn failures(&mut self) -> Rc<Vec<Failure>> {
        if let Some(found) = &self.failures {
            return found.clone();
        }
        let found = Rc::new(failures(self));
        self.failures = Some(found.clone());
        found
    }

    /// Each technique has the same budget.
    pub fn renew_budget(&mut self) {
        self.engine.extend_budget(self.options.budget);
        self.encoded = 0;
    }

    /// Stops when the budget is used up.
    pub fn go_on(&mut self) -> Found<()> {
        if self.encoded > self.limits.max_encoded {
            return Err(
                "the program around the failing run is too large to be encoded again and again".into()
            );
        }
        self.engine.check_interrupt().map_err(|_| "the budget is used up".to_owned())
    }

    /// Executes what a walk describes. It counts only if it gets past the check.
    pub fn successful(&mut self, walk: &Walk) -> Found<(Run, Followed)> {
        self.past_check(Box::new(FromWalk::new(walk)))
    }

    /// Executes the program. It counts only if it gets past the check.
    pub fn past_check(&mut self, inputs: Box<dyn Inputs>) -> Found<(Run, Followed)> {
        let (outcome, mut run) = execute(&self.image, inputs, self.limits.max_run_steps);
        let followed = self.unrolled.follow(&mut self.engine.blocks.unfolding, &run.steps);
        let followed = followed.ok_or("a successful run can't be followed")?;
        let check = self.path.points.get(self.statement.first);
        run.cut = followed.points.iter().position(|p| Some(p) == check).unwrap_or(run.steps.len());
        let passed = followed.points.iter().any(|p| self.passed.contains(p));
        match outcome {
            _ if passed => Ok((run, followed)),
            Outcome::Exited(_) => Ok((run, followed)),
            _ => Err("a run that should succeed does not".into()),
        }
    }

    /// The edges of the failing run before the check, by the points that they leave.
    pub fn failing_edges(&self) -> FxHashMap<PointId, usize> {
        (0..self.run.before_check().len()).map(|i| (self.path.points[i], i)).collect()
    }

    /// The decisions of the failing run before the check: indices of steps.
    pub fn decisions(&self) -> Vec<usize> {
        let steps = self.run.before_check();
        let decides = |edge| is_branch(self.program, edge) && !self.statement.evaluates(self.program, edge);
        (0..steps.len()).filter(|&i| decides(steps[i].edge)).collect()
    }

    /// Where the statements stand that the failing run executes before the check, first executed first.
    pub fn statements(&self) -> Vec<LocId> {
        let mut seen = FxHashSet::default();
        let edges = self.run.before_check().iter().map(|s| s.edge);
        let counted =
            edges.filter(|&edge| counts(self.program, edge) && !self.statement.evaluates(self.program, edge));
        counted.map(|edge| self.program.cfa.edges[edge].from).filter(|&loc| seen.insert(loc)).collect()
    }

    /// The edge stands on the line of an input, or of an assumption about inputs: to take others corrects every
    /// failure, and is seldom what is meant.
    pub fn is_given(&self, edge: EdgeId) -> bool {
        let line = line_of(self.program, edge);
        let gives = |edge: EdgeId| match self.program.cfa.edges[edge].op {
            Op::Assume { .. } => !is_branch(self.program, edge),
            Op::Havoc(_, HavocOrigin::Input) => true,
            _ => false,
        };
        let mut steps = self.run.before_check().iter().map(|step| step.edge);
        steps.any(|edge| gives(edge) && line_of(self.program, edge) == line)
    }

    /// The node of a point.
    pub fn node(&self, point: PointId) -> NodeId {
        self.unrolled.node(point)
    }
}
