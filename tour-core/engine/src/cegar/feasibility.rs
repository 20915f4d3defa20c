//! Paths of blocks, checked exactly: the conjunction of their formulas, and the run that a model of it describes.

use crate::context::{Engine, unknown};
use crate::path::{AbstractPath, Scope};
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::EdgeId;
use tour_logic::smt::Purpose;
use tour_logic::term::Assignment;
use tour_model::block::{Block, Step, Target, Walk};
use tour_model::encode::Ssa;

/// A part of a path.
pub enum Part {
    /// Through a block.
    Block {
        /// The block.
        block: Rc<Block>,
        /// Where it is left.
        to: Target,
        /// What can be said there, if not everything.
        scope: Option<Scope>,
    },
    /// An edge that changes no data: a thread is started or joined.
    Control(EdgeId),
}

/// What a path turned out to be.
pub enum Feasibility {
    /// A run, and how many of its steps each part has.
    Feasible(Walk, Vec<u32>),
    /// No run goes along it.
    Infeasible(AbstractPath),
}

/// Checks a path from the program's entry.
pub fn check(engine: &mut Engine, parts: &[Part]) -> Result<Feasibility, UnknownReason> {
    let (path, before) = formulas(engine, parts);
    let whole = engine.terms.and(&path.formulas);
    let model = engine.smt.find_model(&engine.terms, whole, Purpose::Feasibility).map_err(unknown)?;
    match model {
        None => Ok(Feasibility::Infeasible(path)),
        Some(model) => {
            let (walk, counts) = follow(engine, parts, &before, &model)?;
            Ok(Feasibility::Feasible(walk, counts))
        }
    }
}

/// The formulas of a path, and the instances of variables before each of its blocks.
fn formulas(engine: &mut Engine, parts: &[Part]) -> (AbstractPath, Vec<Ssa>) {
    let mut path = AbstractPath::default();
    let mut before = Vec::with_capacity(parts.len());
    let mut ssa = Ssa::default();
    for part in parts {
        let Part::Block { block, to, scope } = part else { continue };
        before.push(ssa.clone());
        match block.exits.iter().find(|exit| exit.to == *to) {
            Some(exit) => {
                path.formulas.push(engine.terms.rename(exit.formula, |s| ssa.shift(s)));
                ssa = ssa.then(&exit.path.ssa);
            }
            // Its formula is `false`.
            None => path.formulas.push(engine.terms.no()),
        }
        path.ssa.push(ssa.clone());
        path.sites.extend(engine.site(*to));
        path.scopes.extend(scope.clone());
    }
    // Nothing is said at the end: there, no state is to be left.
    let inner = path.formulas.len().saturating_sub(1);
    path.sites.truncate(inner);
    path.scopes.truncate(inner);
    (path, before)
}

/// The run that a model describes.
fn follow(
    engine: &mut Engine,
    parts: &[Part],
    before: &[Ssa],
    model: &Assignment,
) -> Result<(Walk, Vec<u32>), UnknownReason> {
    let Engine { terms, blocks, .. } = engine;
    let mut walk = Walk::from_entry(blocks, terms, model);
    let mut counts = Vec::with_capacity(parts.len());
    let mut before = before.iter();
    for part in parts {
        let steps = walk.steps.len();
        match part {
            Part::Control(edge) => walk.steps.push(Step::Edge(*edge)),
            Part::Block { block, to, .. } => {
                let Some(before) = before.next() else { break };
                if !walk.follow(blocks, terms, block, *to, before, model) {
                    let why = "a model does not describe a run of the program";
                    return Err(UnknownReason::Internal(why.into()));
                }
            }
        }
        counts.push((walk.steps.len() - steps) as u32);
    }
    Ok((walk, counts))
}
