//! Z3's circuits: a formula of words as clauses, by its tactics for bit-blasting and Tseitin's encoding.

use super::Shared;
use super::context::Context;
use crate::smt::Unknown;
use crate::term::{TermId, Terms};
use std::ffi::CStr;
use z3_sys::*;

/// What makes clauses of a formula, one tactic after the other. The second `simplify` takes constants away, which the last
/// tactic would take for variables.
const TACTICS: [&CStr; 6] =
    [c"simplify", c"propagate-values", c"max-bv-sharing", c"bit-blast", c"simplify", c"tseitin-cnf"];

/// Clauses, which are not satisfiable together only if the formula is not.
pub fn clauses(shared: &Shared, terms: &Terms, formula: TermId) -> Result<Vec<Vec<i32>>, Unknown> {
    let context = shared.context()?;
    let ast = shared.translation.borrow_mut().term(context, terms, formula)?;
    let tactic = Tactic::all(context, &TACTICS)?;
    let c = context.raw();
    // SAFETY: see `context`: goal, result and subgoal hold a reference each until they are dropped by the guard.
    unsafe {
        let goal = context.ok(Z3_mk_goal(c, false, false, false))?;
        Z3_goal_inc_ref(c, goal);
        let goal = Goal { raw: goal, context };
        Z3_goal_assert(c, goal.raw, ast);
        context.check()?;
        let result = context.asking(|| Z3_tactic_apply(c, tactic.raw, goal.raw));
        let result = context.ok(result)?;
        Z3_apply_result_inc_ref(c, result);
        let subgoal = match Z3_apply_result_get_num_subgoals(c, result) {
            1 => context.ok(Z3_apply_result_get_subgoal(c, result, 0)),
            _ => Err(Unknown::Error("the circuit is in several pieces".into())),
        };
        let subgoal = subgoal.map(|raw| {
            Z3_goal_inc_ref(c, raw);
            Goal { raw, context }
        });
        Z3_apply_result_dec_ref(c, result);
        let subgoal = subgoal?;
        if Z3_goal_inconsistent(c, subgoal.raw) {
            return Ok(vec![Vec::new()]);
        }
        if Z3_goal_size(c, subgoal.raw) == 0 {
            return Ok(Vec::new());
        }
        let text = Z3_goal_to_dimacs_string(c, subgoal.raw, false);
        context.check()?;
        read(&context.text(text))
    }
}

/// Reads clauses in the DIMACS format.
fn read(text: &str) -> Result<Vec<Vec<i32>>, Unknown> {
    let broken = || Unknown::Error("clauses that can't be read".into());
    let (header, body) = text.split_once('\n').ok_or_else(broken)?;
    let counts = header.strip_prefix("p cnf ").ok_or_else(broken)?;
    let count = counts.split_whitespace().nth(1).and_then(|n| n.parse::<usize>().ok()).ok_or_else(broken)?;
    let mut clauses = Vec::with_capacity(count);
    let mut clause = Vec::new();
    for number in body.as_bytes().split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        match literal(number).ok_or_else(broken)? {
            0 => clauses.push(std::mem::take(&mut clause)),
            literal => clause.push(literal),
        }
    }
    if clauses.len() == count && clause.is_empty() { Ok(clauses) } else { Err(broken()) }
}

fn literal(text: &[u8]) -> Option<i32> {
    let (digits, sign) = match text.strip_prefix(b"-") {
        Some(digits) => (digits, -1),
        None => (text, 1),
    };
    let number = digits.iter().try_fold(0i32, |number, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(digit as i32)
    });
    number.map(|number| sign * number)
}

struct Goal<'c> {
    raw: Z3_goal,
    context: &'c Context,
}

impl Drop for Goal<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_goal_dec_ref(self.context.raw(), self.raw) };
    }
}

/// A tactic with a reference of its own.
pub struct Tactic<'c> {
    pub raw: Z3_tactic,
    context: &'c Context,
}

impl<'c> Tactic<'c> {
    fn hold(context: &'c Context, raw: Option<Z3_tactic>) -> Result<Tactic<'c>, Unknown> {
        let raw = context.ok(raw)?;
        // SAFETY: see `context`.
        unsafe { Z3_tactic_inc_ref(context.raw(), raw) };
        Ok(Tactic { raw, context })
    }

    /// One after the other.
    pub fn all(context: &'c Context, names: &[&CStr]) -> Result<Tactic<'c>, Unknown> {
        let c = context.raw();
        // SAFETY: see `context`.
        let named = |name: &CStr| Tactic::hold(context, unsafe { Z3_mk_tactic(c, name.as_ptr()) });
        let Some((first, others)) = names.split_first() else {
            return Err(Unknown::Error("no tactic".into()));
        };
        others.iter().try_fold(named(first)?, |all, name| {
            let next = named(name)?;
            // SAFETY: see `context`.
            Tactic::hold(context, unsafe { Z3_tactic_and_then(c, all.raw, next.raw) })
        })
    }
}

impl Drop for Tactic<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_tactic_dec_ref(self.context.raw(), self.raw) };
    }
}
