//! Interpolants from Z3's Horn-clause engine Spacer.
//!
//! Formulas `f0 … fn` become a chain of rules over relations `p1 … pn`: `f0 -> p1(s1)`, `pk(sk) && fk -> p(k+1)(s(k+1))`,
//! `pn(sn) && fn -> false`, where `sk` are the symbols that are shared across boundary `k`. If the chain is
//! unsatisfiable, Spacer's solution for `pk` is the interpolant at boundary `k`.

use super::context::{Context, Param};
use super::version::Ability;
use super::{Shared, back};
use crate::smt::{QueryLimits, Unknown};
use crate::term::{Op, Sort, Symbol, TermId, Terms};
use std::collections::BTreeMap;
use z3_sys::*;

/// A fixed-point engine with a reference of its own.
struct Fixedpoint<'c> {
    raw: Z3_fixedpoint,
    context: &'c Context,
}

impl Drop for Fixedpoint<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw(), self.raw) };
    }
}

/// A relation and its arguments at one boundary.
struct Relation {
    decl: Z3_func_decl,
    /// The relation applied to the symbols.
    atom: Z3_ast,
    symbols: Vec<Z3_ast>,
}

pub fn interpolate(
    shared: &Shared,
    terms: &mut Terms,
    formulas: &[TermId],
    limits: QueryLimits,
) -> Result<Option<Vec<TermId>>, Unknown> {
    if let Some(reason) = shared.meter.interrupt.reason() {
        return Err(Unknown::Stopped(reason));
    }
    if formulas.len() < 2 {
        return Err(Unknown::Error("interpolants need two formulas".into()));
    }
    arrays_can_be_projected(terms, formulas)?;
    let context = shared.context()?;
    let c = context.raw();
    // SAFETY: see `context`.
    let engine = unsafe {
        let raw = context.ok(Z3_mk_fixedpoint(c))?;
        Z3_fixedpoint_inc_ref(c, raw);
        Fixedpoint { raw, context }
    };
    // The preprocessing that is switched off would inline the very relations that are asked for.
    let mut params = vec![
        ("engine", Param::Symbol("spacer")),
        ("xform.slice", Param::Bool(false)),
        ("xform.inline_linear", Param::Bool(false)),
        ("xform.inline_eager", Param::Bool(false)),
    ];
    // The engine counts no steps: its limit is the time in which a solver makes about that many.
    let per_millisecond = shared.meter.tuning.steps_per_millisecond;
    params.extend(limits.steps.map(|steps| ("timeout", Param::Uint(steps.div_ceil(per_millisecond)))));
    let params = context.params(&params)?;
    // SAFETY: see `context`.
    unsafe { Z3_fixedpoint_set_params(c, engine.raw, params.raw) };
    context.check()?;

    let mut relations = Vec::new();
    for (k, symbols) in shared_symbols(terms, formulas).into_iter().enumerate() {
        relations.push(relation(shared, context, &engine, terms, k + 1, &symbols)?);
    }
    let error = relation(shared, context, &engine, terms, 0, &[])?;
    // That weaker formulas have a model says nothing of these.
    shared.translation.borrow_mut().refuses_coarse = true;
    for (k, &formula) in formulas.iter().enumerate() {
        let body = shared.translation.borrow_mut().term(context, terms, formula)?;
        let from = k.checked_sub(1).map(|k| &relations[k]);
        let to = relations.get(k).unwrap_or(&error);
        let mut bound = Vec::new();
        for symbol in terms.free_symbols(formula) {
            let variable = terms.symbol(symbol);
            bound.push(shared.translation.borrow_mut().term(context, terms, variable)?);
        }
        let passed = from.into_iter().chain([to]).flat_map(|relation| relation.symbols.iter().copied());
        bound.extend(passed);
        bound.sort_unstable();
        bound.dedup();
        rule(context, &engine, k, from, body, to, &bound)?;
    }

    // SAFETY: see `context`.
    let answer = context.asking(|| unsafe { Z3_fixedpoint_query(c, engine.raw, error.atom) });
    context.check()?;
    match answer {
        Z3_L_TRUE => return Ok(None),
        Z3_L_FALSE => {}
        _ => {
            // SAFETY: see `context`.
            let why = unsafe { context.text(Z3_fixedpoint_get_reason_unknown(c, engine.raw)) };
            return Err(match limits.steps {
                Some(_) if why.is_empty() || why == "unknown" => Unknown::Limit,
                _ => context.unknown(why),
            });
        }
    }
    let mut interpolants = Vec::with_capacity(relations.len());
    for relation in &relations {
        interpolants.push(solution(shared, context, &engine, terms, relation)?);
    }
    Ok(Some(interpolants))
}

/// Formulas with arrays are a matter of the version. Where a part of an array is replaced by another, Z3 knows less than they say.
pub(super) fn arrays_can_be_projected(terms: &Terms, formulas: &[TermId]) -> Result<(), Unknown> {
    let (mut has_array, mut has_splice) = (false, false);
    for term in terms.postorder(formulas) {
        has_array |= matches!(terms.sort(term), Sort::Array { .. });
        has_splice |= terms.op(term) == Op::Splice;
    }
    match (has_array, has_splice) {
        (_, true) => Err(Unknown::Incomplete("a part of an array is replaced by another".into())),
        (true, false) => Ability::ArrayProjection.check(),
        (false, false) => Ok(()),
    }
}

/// For each boundary, the symbols that are on both of its sides, in order.
fn shared_symbols(terms: &Terms, formulas: &[TermId]) -> Vec<Vec<Symbol>> {
    let mut range: BTreeMap<Symbol, (usize, usize)> = BTreeMap::new();
    for (k, &formula) in formulas.iter().enumerate() {
        for symbol in terms.free_symbols(formula) {
            range.entry(symbol).or_insert((k, k)).1 = k;
        }
    }
    (1..formulas.len())
        .map(|k| {
            range.iter().filter(|(_, (first, last))| *first < k && k <= *last).map(|(s, _)| *s).collect()
        })
        .collect()
}

fn relation(
    shared: &Shared,
    context: &Context,
    engine: &Fixedpoint,
    terms: &mut Terms,
    number: usize,
    symbols: &[Symbol],
) -> Result<Relation, Unknown> {
    let c = context.raw();
    let mut translation = shared.translation.borrow_mut();
    let (mut args, mut sorts) = (Vec::new(), Vec::new());
    for &symbol in symbols {
        let variable = terms.symbol(symbol);
        args.push(translation.term(context, terms, variable)?);
        sorts.push(translation.sort(context, terms.base(symbol.base).sort)?);
    }
    let bool_sort = translation.sort(context, Sort::Bool)?;
    let name = context.symbol(&format!("p{number}"))?;
    let count = args.len() as u32;
    // SAFETY: see `context`; the declaration is kept by the atom.
    unsafe {
        let decl = context.ok(Z3_mk_func_decl(c, name, count, sorts.as_ptr(), bool_sort))?;
        context.keep(Z3_func_decl_to_ast(c, decl))?;
        let atom = context.keep(Z3_mk_app(c, decl, count, args.as_ptr()))?;
        Z3_fixedpoint_register_relation(c, engine.raw, decl);
        context.check()?;
        Ok(Relation { decl, atom, symbols: args })
    }
}

fn rule(
    context: &Context,
    engine: &Fixedpoint,
    number: usize,
    from: Option<&Relation>,
    body: Z3_ast,
    to: &Relation,
    bound: &[Z3_ast],
) -> Result<(), Unknown> {
    let c = context.raw();
    // SAFETY: see `context`.
    unsafe {
        let premises: Vec<Z3_ast> = from.map(|relation| relation.atom).into_iter().chain([body]).collect();
        let premise = context.hold(Z3_mk_and(c, premises.len() as u32, premises.as_ptr()))?;
        let mut clause = context.hold(Z3_mk_implies(c, premise.ast, to.atom))?;
        if !bound.is_empty() {
            let apps: Result<Vec<Z3_app>, Unknown> =
                bound.iter().map(|&ast| context.ok(Z3_to_app(c, ast))).collect();
            let apps = apps?;
            clause = context.hold(Z3_mk_forall_const(
                c,
                0,
                apps.len() as u32,
                apps.as_ptr(),
                0,
                std::ptr::null(),
                clause.ast,
            ))?;
        }
        let name = context.symbol(&format!("rule{number}"))?;
        Z3_fixedpoint_add_rule(c, engine.raw, clause.ast, Some(name));
    }
    context.check()
}

/// The solution for a relation, over the symbols at its boundary.
fn solution(
    shared: &Shared,
    context: &Context,
    engine: &Fixedpoint,
    terms: &mut Terms,
    relation: &Relation,
) -> Result<TermId, Unknown> {
    let c = context.raw();
    // SAFETY: see `context`. Level -1 is what holds at all levels.
    let cover = context.hold(unsafe { Z3_fixedpoint_get_cover_delta(c, engine.raw, -1, relation.decl) })?;
    // SAFETY: see `context`. The arguments of the relation are its bound variables, in this order.
    let solved = context.hold(unsafe {
        Z3_substitute_vars(c, cover.ast, relation.symbols.len() as u32, relation.symbols.as_ptr())
    })?;
    back::term(context, &shared.translation.borrow(), terms, solved.ast)
}
