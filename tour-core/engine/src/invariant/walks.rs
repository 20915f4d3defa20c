//! States that runs reach, with all of memory: the blocks are executed one after the other, with values in place of
//! variables. What is left open by then are inputs, for which the solver finds values that lead on.
//!
//! A candidate that is false in one of these states needs no solver to be dropped.

use crate::context::{Engine, unknown};
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_evidence::verdict::UnknownReason;
use tour_interp::interp::Random;
use tour_logic::smt::{Purpose, Unknown};
use tour_logic::term::{
    ArrayValue, Assignment, BaseId, Elem, Memo, Solved, Sort, Symbol, TermId, Terms, Value,
};
use tour_model::block::{Exit, Known, NodeId, Target};
use tour_model::encode::{Cell, Part};
use tour_model::regions::OBJECT_BITS;

/// States by node: instance 0 of every variable.
pub type States = BTreeMap<NodeId, Vec<Assignment>>;

/// Walks through the blocks from the beginning.
pub fn draw(engine: &mut Engine) -> Result<States, UnknownReason> {
    let limits = engine.heuristics.invariants.samples;
    let mut states = States::new();
    let Some(start) = engine.blocks.unfolding.start() else { return Ok(states) };
    for walk in 0..limits.walks {
        let mut random = Random::new(walk);
        let mut state = beginning(engine, &mut random);
        let (mut node, mut rounds) = (start, BTreeMap::new());
        // How likely it is to go round once more.
        let patience = 2 + walk % 3;
        for _ in 0..limits.max_walk_blocks {
            engine.check_interrupt()?;
            let block = engine.block(node, &Known::default());
            let mut exits: Vec<(&Exit, NodeId)> = Vec::new();
            for exit in &block.exits {
                if let Target::Node(to) = exit.to {
                    exits.push((exit, to));
                }
            }
            let again = rounds.entry(node).or_insert(0);
            *again += 1;
            let stay = *again <= limits.max_walk_rounds && random.word() % 4 < patience;
            let turn = random.word() as usize % exits.len().max(1);
            exits.rotate_left(turn);
            exits.sort_by_key(|(_, to)| (*to == node) != stay);
            let mut next = None;
            for (exit, to) in exits {
                if let Some(after) = step(engine, &state, exit, &mut random)? {
                    next = Some((to, after));
                    break;
                }
            }
            let Some((to, after)) = next else { break };
            let kept = states.entry(to).or_default();
            if kept.len() < limits.max_walk_states && !kept.contains(&after) {
                kept.push(after.clone());
            }
            (node, state) = (to, after);
        }
    }
    Ok(states)
}

/// Before the program begins: memory that was never written holds anything.
fn beginning(engine: &Engine, random: &mut Random) -> Assignment {
    let max_objects = u128::from(engine.heuristics.invariants.samples.max_walk_objects);
    let mut state = Assignment::default();
    for base in (0..engine.terms.base_count()).map(BaseId::new) {
        let Some(cell) = engine.blocks.encoder.cell_of(base) else { continue };
        let is_object = match cell {
            Cell::Var { part, .. } | Cell::Slot { part, .. } | Cell::Origin { part, .. } => {
                *part == Part::Object
            }
            Cell::Home { .. } => true,
            _ => false,
        };
        // In an object there may well be a pointer to itself, or to its neighbours.
        let mut scalar = |sort: Sort, object: u128| match sort {
            Sort::BitVec(bits) if is_object => {
                let near = [0, 1, object.saturating_sub(1), object, object + 1];
                Value::bv(bits, near[random.word() as usize % near.len()])
            }
            Sort::BitVec(bits) => Value::bv(bits, u128::from(random.word() % 5)),
            other => Value::zero(other),
        };
        let value = match engine.terms.base(base).sort {
            Sort::Array { index, elem: elem @ Elem::BitVec(_) } => {
                let default = scalar(elem.sort(), 0);
                let objects = 0..if index == OBJECT_BITS { max_objects } else { 0 };
                let entries = objects.map(|object| (object, scalar(elem.sort(), object))).collect();
                Value::Array(Arc::new(ArrayValue { default, entries }))
            }
            sort => scalar(sort, 0),
        };
        state.set(Symbol { base, index: 0 }, value);
    }
    state
}

/// A value as a term.
fn literal(terms: &mut Terms, sort: Sort, value: &Value) -> TermId {
    let (Sort::Array { index, .. }, Value::Array(array)) = (sort, value) else {
        return terms.constant(value.clone());
    };
    let default = terms.constant(array.default.clone());
    let mut whole = terms.const_array(index, default);
    for (&at, element) in &array.entries {
        let (at, element) = (terms.bv(index, at), terms.constant(element.clone()));
        whole = terms.store(whole, at, element);
    }
    whole
}

/// A state at the end of a block that begins in a state; `None` if the block can't be left that way.
fn step(
    engine: &mut Engine,
    state: &Assignment,
    exit: &Exit,
    random: &mut Random,
) -> Result<Option<Assignment>, UnknownReason> {
    let kept_draws = engine.heuristics.invariants.samples.kept_draws;
    let terms = &mut engine.terms;
    let mut memo = Memo::default();
    let known = |terms: &mut Terms, term: TermId| {
        let symbol = terms.as_symbol(term).filter(|symbol| symbol.index == 1)?;
        let value = state.get(symbol.with_index(0))?;
        Some(literal(terms, terms.base(symbol.base).sort, value))
    };
    let formula = terms.substitute(exit.formula, &mut memo, known);
    let mut solved = Solved::of(terms, formula);
    let open: Vec<Symbol> = terms.free_symbols(solved.formula).into_iter().collect();
    let mut all = vec![solved.formula];
    for symbol in open {
        if let Sort::BitVec(bits) = terms.base(symbol.base).sort {
            let (variable, value) = (terms.symbol(symbol), terms.bv(bits, random.draw(bits)));
            all.push(terms.eq(variable, value));
        }
    }
    // Where values that are drawn for all inputs lead nowhere, a few of them are kept.
    let few: Vec<TermId> = (0..kept_draws).map(|_| all[random.word() as usize % all.len()]).collect();
    let few = terms.and(&few);
    let mut model = None;
    for questions in [terms.and(&all), terms.and2(solved.formula, few), solved.formula] {
        model = match engine.smt.find_model(&engine.terms, questions, Purpose::Abstraction) {
            Ok(model) => model,
            Err(why @ Unknown::Stopped(_)) => return Err(unknown(why)),
            Err(_) => None,
        };
        if model.is_some() {
            break;
        }
    }
    let Some(model) = model else { return Ok(None) };
    let mut after = Assignment::default();
    for (symbol, before) in state.iter() {
        let now = exit.path.ssa.symbol(symbol.base);
        let value = match now.index {
            1 => Some(before.clone()),
            _ => {
                let term = engine.terms.symbol(now);
                let term = solved.apply(&mut engine.terms, term);
                match (engine.terms.as_symbol(term), engine.terms.sort(term)) {
                    // Nothing is said of it.
                    (Some(any), Sort::BitVec(bits)) if model.get(any).is_none() => {
                        Some(Value::bv(bits, random.draw(bits)))
                    }
                    _ => engine.terms.eval(term, &model),
                }
            }
        };
        let Some(value) = value else { return Ok(None) };
        after.set(symbol, value);
    }
    Ok(Some(after))
}
