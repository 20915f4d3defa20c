//! What the analyses of the engine share: terms, solver, blocks, the interrupt.

use super::observe::Watch;
use super::{BlockEncoding, BlockEnd, Context, Site};
use crate::heuristics::{Heuristics, PortfolioBudgets};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::budget::{Budget, Refused};
use tour_ir::cfa::{CallGraph, EdgeId, LocId};
use tour_ir::limits::Interrupt;
use tour_ir::prepared::Prepared;
use tour_ir::program::VarId;
use tour_logic::smt::{Purpose, QueryLimits, Smt, Solver, Unknown};
use tour_logic::term::{BaseId, TermId, Terms};
use tour_model::block::{Block, BlockOperator, Blocks, Known, NodeId, Target, Unfolding, Visible};
use tour_model::encode::Encoder;

/// The engine's state during one analysis.
pub struct Engine<'p> {
    program: &'p Prepared,
    /// All formulas.
    pub terms: Terms,
    /// The solver.
    pub smt: Box<dyn Smt>,
    /// The blocks of the program.
    pub blocks: Blocks<'p>,
    /// Solvers that hold the formula of a block, the one used last at the end: several questions are asked about each.
    solvers: Vec<(TermId, Box<dyn Solver>)>,
    /// Who is told what the analysis does.
    pub watch: Watch,
    /// The numbers that it is tuned by.
    pub heuristics: Arc<Heuristics>,
    interrupt: Interrupt,
    /// Steps that the solver may make.
    budget: Budget,
    /// What else has to be paid for, in steps of the solver.
    spent: u64,
    /// It has waited for its budget since that was last asked.
    waited: bool,
    /// How many steps of the solver a single question may take.
    cap: Option<u32>,
}

impl<'p> Engine<'p> {
    /// An engine for a program; an error if the program has no such blocks.
    pub fn new(
        program: &'p Prepared,
        context: &Context,
        encoding: BlockEncoding,
    ) -> Result<Engine<'p>, UnknownReason> {
        let mut unfolding = Unfolding::new(program, &program.fact::<CallGraph>());
        let limits = &context.heuristics.blocks;
        let operator = encoding.operator(limits, &mut unfolding).ok_or_else(|| UnknownReason::Unsupported {
            kind: "block-encoding".to_owned(),
            message: format!(
                "the program with its calls unfolded is recursive or has more than {} locations, and `--block {encoding}` \
                 summarises it as a whole: choose `--block abe:loops`",
                limits.max_summarised_nodes
            ),
            span: program.functions[program.entry].span,
        })?;
        Ok(Engine::with(program, context, unfolding, operator))
    }

    /// An engine whose blocks lie within one function each, and end at these locations too.
    pub fn within_functions(
        program: &'p Prepared,
        context: &Context,
        encoding: BlockEncoding,
        ends: impl IntoIterator<Item = LocId>,
    ) -> Engine<'p> {
        let max_steps = match encoding {
            BlockEncoding::Sbe => 1,
            BlockEncoding::Abe(BlockEnd::Threshold(steps)) => steps,
            BlockEncoding::Abe(BlockEnd::Loops | BlockEnd::Functions) | BlockEncoding::Lbe => u32::MAX,
        };
        let operator = BlockOperator::within_functions(program, ends, max_steps);
        Engine::with(program, context, Unfolding::new(program, &program.fact::<CallGraph>()), operator)
    }

    /// An engine for a program with threads, whose blocks end where other threads are concerned.
    pub fn for_threads(program: &'p Prepared, context: &Context, visible: Rc<Visible>) -> Engine<'p> {
        let unfolding = Unfolding::new(program, &program.fact::<CallGraph>());
        Engine::with(program, context, unfolding, BlockOperator::Visible(visible))
    }

    fn with(
        program: &'p Prepared,
        context: &Context,
        unfolding: Unfolding<'p>,
        operator: BlockOperator,
    ) -> Engine<'p> {
        let checks = program.checks.indices();
        let encoder = Encoder::new(program, context.heuristics.memory);
        let mut blocks = Blocks::new(unfolding, encoder, program.fact(), operator, checks);
        blocks.instances = context.heuristics.invariants.instances;
        let limits = limits(&context.heuristics.portfolio, &context.budget);
        Engine {
            program,
            terms: Terms::new(),
            smt: context.solver.start(context.heuristics.solver, limits, &context.interrupt),
            blocks,
            solvers: Vec::new(),
            watch: context.watch.clone(),
            heuristics: context.heuristics.clone(),
            interrupt: context.interrupt.clone(),
            budget: context.budget.clone(),
            spent: 0,
            waited: false,
            cap: None,
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Prepared {
        self.program
    }

    /// The block that begins at a node, with values that are known there.
    pub fn block(&mut self, node: NodeId, known: &Known) -> Rc<Block> {
        self.blocks.block(&mut self.terms, node, known)
    }

    /// Asks questions of a solver that holds the formula of a block. What is asserted meanwhile is gone afterwards.
    pub fn ask<T>(&mut self, block: TermId, ask: impl FnOnce(&mut Engine<'p>, &mut dyn Solver) -> T) -> T {
        let mut solver = match self.solvers.iter().position(|(formula, _)| *formula == block) {
            Some(i) => self.solvers.remove(i).1,
            None => {
                let mut solver = self.smt.lasting_solver(Purpose::Abstraction);
                solver.assert(&self.terms, block);
                solver
            }
        };
        solver.push();
        let answer = ask(self, solver.as_mut());
        solver.pop();
        if self.solvers.len() >= self.heuristics.abstraction.max_kept_solvers {
            self.solvers.remove(0);
        }
        self.solvers.push((block, solver));
        answer
    }

    /// Where a target lies, for precisions; `None` for errors.
    pub fn site(&self, target: Target) -> Option<Site> {
        match target {
            Target::Node(node) => {
                let loc = self.blocks.unfolding.loc(node);
                Some(Site { loc, function: self.program().cfa.locs[loc].function })
            }
            Target::Error(_) | Target::Unsupported(_) => None,
        }
    }

    /// The variables that a formula speaks of, ascending.
    pub fn variables(&self, formula: TermId) -> Vec<VarId> {
        let bases: BTreeSet<BaseId> = self.terms.free_symbols(formula).iter().map(|s| s.base).collect();
        let found: BTreeSet<VarId> =
            bases.into_iter().flat_map(|base| self.blocks.encoder.variables_of(base)).collect();
        found.into_iter().collect()
    }

    /// The location of a node, and how many calls are open there.
    pub fn place(&self, node: NodeId) -> (LocId, u32) {
        (self.blocks.unfolding.loc(node), self.blocks.unfolding.frame(node).depth)
    }

    /// Why reaching an edge ends without a verdict.
    pub fn unsupported(&self, edge: EdgeId) -> UnknownReason {
        let (kind, message) = match self.blocks.why_unsupported(edge) {
            Some(what) => (what.kind.to_owned(), what.message.clone()),
            None => ("unknown".to_owned(), String::new()),
        };
        UnknownReason::Unsupported { kind, message, span: self.program().cfa.edges[edge].span }
    }

    /// How many steps the solver may make from now on.
    pub fn extend_budget(&mut self, steps: u64) {
        self.budget = Budget::fixed(self.spent() + steps);
    }

    /// What was spent so far, in steps of the solver.
    pub fn spent(&self) -> u64 {
        self.smt.spent() + self.spent
    }

    /// Something was done without the solver that takes about as long as a number of its steps.
    pub fn spend(&mut self, steps: u64) {
        self.spent += steps;
    }

    /// Does something in which each question may take a number of steps of the solver, and no more.
    pub fn limited<T>(&mut self, steps: u32, work: impl FnOnce(&mut Engine<'p>) -> T) -> T {
        let before = self.cap.replace(steps);
        self.set_limits();
        let result = work(self);
        self.cap = before;
        self.set_limits();
        result
    }

    /// What single questions may take: as much as the budget allows for, and no more than the cap.
    fn set_limits(&mut self) {
        let granted = limits(&self.heuristics.portfolio, &self.budget).steps;
        let steps = match (granted, self.cap) {
            (Some(granted), Some(cap)) => Some(granted.min(cap)),
            (one, other) => one.or(other),
        };
        self.smt.set_limits(QueryLimits { steps });
    }

    /// Something is about to be done without the solver that takes about as long as a number of its steps. Stops as
    /// [`Engine::check_interrupt`] does.
    pub fn pay(&mut self, steps: u64) -> Result<(), UnknownReason> {
        self.spend(steps);
        self.check_interrupt()
    }

    /// Stops here if the run is to stop, or the budget is used up; waits if more of it may come.
    pub fn check_interrupt(&mut self) -> Result<(), UnknownReason> {
        match self.budget.wait(self.spent(), &self.interrupt) {
            Ok(false) => {}
            Ok(true) => {
                self.waited = true;
                self.set_limits();
            }
            Err(Refused::Stopped(why)) => return Err(UnknownReason::Stopped(why)),
            Err(Refused::UsedUp) => return Err(UnknownReason::Inconclusive),
        }
        self.interrupt.check().map_err(UnknownReason::Stopped)
    }

    /// It had to wait for its budget since the last time this was asked: the analysis takes long.
    pub fn has_waited(&mut self) -> bool {
        std::mem::take(&mut self.waited)
    }
}

/// A single question may take more than what is granted, as what was spent on it is lost if it is stopped, but not for
/// ever.
fn limits(budgets: &PortfolioBudgets, budget: &Budget) -> QueryLimits {
    let most = |all: u64| all.saturating_mul(budgets.question_share).min(u64::from(u32::MAX)) as u32;
    QueryLimits { steps: budget.granted().map(most) }
}

/// Why there is no verdict when the solver has no answer.
pub fn unknown(why: Unknown) -> UnknownReason {
    match why {
        Unknown::Stopped(reason) => UnknownReason::Stopped(reason),
        // With more steps there may be an answer.
        Unknown::Limit => UnknownReason::Inconclusive,
        Unknown::Incomplete(_) | Unknown::Error(_) => UnknownReason::Solver(why.to_string()),
    }
}
