//! Model-based projection.

use super::model::Model;
use super::spacer::arrays_can_be_projected;
use super::{Shared, back};
use crate::smt::Unknown;
use crate::term::{Assignment, Symbol, TermId, Terms};
use z3_sys::*;

pub fn project(
    shared: &Shared,
    terms: &mut Terms,
    formula: TermId,
    away: &[Symbol],
    assignment: &Assignment,
) -> Result<TermId, Unknown> {
    arrays_can_be_projected(terms, &[formula])?;
    let context = shared.context()?;
    let c = context.raw();
    let mut translation = shared.translation.borrow_mut();
    // What follows from the model of a weaker formula says nothing of this one.
    translation.refuses_coarse = true;
    // Z3 4.8.12 aborts the process if a variable has no value in the model, so all are given one.
    let model = Model::complete(context, &mut translation, terms, formula, assignment)?;
    let body = translation.term(context, terms, formula)?;
    let free = terms.free_symbols(formula);
    let mut bound = Vec::new();
    for &symbol in away.iter().filter(|symbol| free.contains(symbol)) {
        let variable = terms.symbol(symbol);
        let variable = translation.term(context, terms, variable)?;
        // SAFETY: see `context`.
        bound.push(context.ok(unsafe { Z3_to_app(c, variable) })?);
    }
    // SAFETY: see `context`.
    let projected = context
        .hold(unsafe { Z3_qe_model_project(c, model.raw, bound.len() as u32, bound.as_ptr(), body) })?;
    context.check()?;
    let result = back::term(context, &translation, terms, projected.ast)?;
    if terms.free_symbols(result).iter().any(|symbol| away.contains(symbol)) {
        return Err(Unknown::Incomplete("a variable could not be projected away".into()));
    }
    Ok(result)
}
