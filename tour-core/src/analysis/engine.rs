//! What the analyses of the engine share: terms, solver, blocks, the interrupt.

use super::Context;
use super::observe::Watch;
use super::waitlist::Rank;
use crate::block::{Block, BlockOperator, Blocks, Known, NodeId, Target, Unfolding, Visible};
use crate::cfa::{CallGraph, EdgeId, LocId, Loops, Order};
use crate::domain::Site;
use crate::encode::Encoder;
use crate::limits::Interrupt;
use crate::program::{Program, VarId};
use crate::smt::{Purpose, QueryLimits, Smt, Solver, Unknown, Z3};
use crate::term::{BaseId, TermId, Terms};
use crate::verdict::UnknownReason;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How blocks are chosen; see [`BlockOperator`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BlockEncoding {
    /// Single-block encoding: every edge.
    Sbe,
    /// Large-block encoding by summarisation of the automaton (adjustable blocks where that would be infinite).
    Lbe,
    /// Adjustable-block encoding: loop heads.
    #[default]
    Abe,
}

/// The engine's state during one analysis.
pub struct Engine<'p> {
    /// All formulas.
    pub terms: Terms,
    /// The solver.
    pub smt: Z3,
    /// The blocks of the program.
    pub blocks: Blocks<'p>,
    /// Solvers that hold the formula of a block, the one used last at the end: several questions are asked about each.
    solvers: Vec<(TermId, Box<dyn Solver>)>,
    /// Who is told what the analysis does.
    pub watch: Watch,
    interrupt: Interrupt,
    /// Steps that the solver may make.
    budget: Option<u64>,
    order: Order,
}

/// So many solvers are kept.
const MAX_SOLVERS: usize = 24;

impl<'p> Engine<'p> {
    /// An engine for a program.
    pub fn new(program: &'p Program, context: &Context, encoding: BlockEncoding) -> Engine<'p> {
        let mut unfolding = Unfolding::new(program, &CallGraph::of(program));
        let operator = match encoding {
            BlockEncoding::Sbe => BlockOperator::Single,
            BlockEncoding::Abe => BlockOperator::LoopHeads,
            BlockEncoding::Lbe => {
                BlockOperator::summarised(&mut unfolding).unwrap_or(BlockOperator::LoopHeads)
            }
        };
        Engine::with_operator(program, context, unfolding, operator)
    }

    /// An engine for a program with threads, whose blocks end where other threads are concerned.
    pub fn for_threads(program: &'p Program, context: &Context, visible: Rc<Visible>) -> Engine<'p> {
        let unfolding = Unfolding::new(program, &CallGraph::of(program));
        Engine::with_operator(program, context, unfolding, BlockOperator::Visible(visible))
    }

    fn with_operator(
        program: &'p Program,
        context: &Context,
        unfolding: Unfolding<'p>,
        operator: BlockOperator,
    ) -> Engine<'p> {
        let checks = program.checks.indices();
        // No single question takes all of the budget.
        let steps = context.budget.map(|budget| (budget / 2).min(u64::from(u32::MAX)) as u32);
        Engine {
            terms: Terms::new(),
            smt: Z3::new(QueryLimits { steps }, context.interrupt.clone()),
            blocks: Blocks::new(unfolding, Encoder::new(program), Loops::of(program), operator, checks),
            solvers: Vec::new(),
            watch: context.watch.clone(),
            interrupt: context.interrupt.clone(),
            budget: context.budget,
            order: Order::of(program),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.blocks.unfolding.program()
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
                let mut solver = self.smt.solver(Purpose::Abstraction);
                solver.assert(&self.terms, block);
                solver
            }
        };
        solver.push();
        let answer = ask(self, solver.as_mut());
        solver.pop();
        if self.solvers.len() >= MAX_SOLVERS {
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

    /// What waitlist orders look at.
    pub fn rank(&self, target: Target) -> Rank {
        match target {
            Target::Node(node) => Rank {
                rpo: self.order.number(self.blocks.unfolding.loc(node)).unwrap_or(u32::MAX),
                call_depth: self.blocks.unfolding.frame(node).depth,
                recursion: self.blocks.unfolding.frame(node).instance,
            },
            Target::Error(_) | Target::Unsupported(_) => Rank::default(),
        }
    }

    /// Why reaching an edge ends without a verdict.
    pub fn unsupported(&self, edge: EdgeId) -> UnknownReason {
        let (kind, message) = match self.blocks.why_unsupported(edge) {
            Some(what) => (what.kind.to_owned(), what.message.clone()),
            None => ("unknown".to_owned(), String::new()),
        };
        UnknownReason::Unsupported { kind, message, span: self.program().cfa.edges[edge].span }
    }

    /// Stops here if the run is to stop, or the budget is used up.
    pub fn check_interrupt(&self) -> Result<(), UnknownReason> {
        if self.budget.is_some_and(|budget| self.smt.spent() > budget) {
            return Err(UnknownReason::Inconclusive);
        }
        self.interrupt.check().map_err(UnknownReason::Stopped)
    }
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
