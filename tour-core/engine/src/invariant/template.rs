//! Candidates for invariants: bounds, relations between two variables, sums, linear equations, parity.
//!
//! Constants come from the program: those that a variable is compared with, and the values it has when the loop is
//! reached for the first time.

use super::affine::{self, Space};
use super::houdini::Candidates;
use super::samples::Samples;
use super::{Effort, linear, memory};
use crate::context::Engine;
use std::collections::{BTreeMap, BTreeSet};
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::Rule;
use tour_logic::term::{Base, BaseId, Sort, TermId, Terms};
use tour_model::block::{Known, NodeId, Target};
use tour_model::encode::PointerState;

/// Where one of these is checked, candidates about memory are worth their time.
const MEMORY: [Rule; 6] = [
    Rule::NullDeref,
    Rule::OutOfBounds,
    Rule::UseAfterFree,
    Rule::DoubleFree,
    Rule::InvalidFree,
    Rule::MemoryLeak,
];

/// Candidates at each node but the start.
pub fn candidates(
    engine: &mut Engine,
    nodes: &[NodeId],
    effort: Effort,
) -> Result<Candidates, UnknownReason> {
    let limits = engine.heuristics.invariants.templates;
    let start = engine.blocks.unfolding.start();
    let about_memory = engine.program().checks.iter().any(|check| MEMORY.contains(&check.rule));
    // What each node's blocks speak of, and the constants in comparisons.
    let mut variables: BTreeMap<NodeId, BTreeSet<BaseId>> = BTreeMap::new();
    let mut constants: BTreeMap<BaseId, BTreeSet<TermId>> = BTreeMap::new();
    let mut with_arrays: BTreeSet<NodeId> = BTreeSet::new();
    for &node in nodes {
        engine.check_interrupt()?;
        let block = engine.block(node, &Known::default());
        for exit in &block.exits {
            let own = variables.entry(node).or_default();
            for symbol in engine.terms.free_symbols(exit.formula) {
                match engine.terms.base(symbol.base).sort {
                    Sort::BitVec(2..) => {
                        own.insert(symbol.base);
                    }
                    Sort::Array { .. } => {
                        with_arrays.insert(node);
                    }
                    _ => {}
                }
            }
            compared(&engine.terms, exit.formula, &mut constants);
            if let Target::Node(_) = exit.to {
                for (base, _) in exit.path.ssa.written() {
                    if let Some(value) = exit.path.ssa.known(base) {
                        constants.entry(base).or_default().insert(value);
                    }
                }
            }
        }
    }
    // All constants of a sort.
    let mut pooled: BTreeMap<Sort, BTreeSet<TermId>> = BTreeMap::new();
    for value in constants.values().flatten() {
        pooled.entry(engine.terms.sort(*value)).or_default().insert(*value);
    }
    let mut equations = match effort {
        Effort::Quick => BTreeMap::new(),
        Effort::Thorough => {
            let spaces = spaces(engine, &variables, start);
            affine::equations(engine, spaces)?
        }
    };
    let samples = Samples::draw(engine, nodes);
    let mut candidates = Candidates::new();
    for (node, variables) in variables {
        if Some(node) == start {
            continue;
        }
        let variables: Vec<BaseId> = variables.into_iter().take(limits.max_variables).collect();
        let mut found = equations.remove(&node).unwrap_or_default();
        for &variable in &variables {
            let values = constants.get(&variable).into_iter().flatten().copied();
            unary(&mut engine.terms, variable, values.take(limits.max_constants), &mut found);
        }
        for (i, &a) in variables.iter().take(limits.max_related).enumerate() {
            for &b in variables.iter().take(limits.max_related).skip(i + 1) {
                binary(&mut engine.terms, a, b, &mut found);
            }
        }
        if effort == Effort::Thorough {
            sums(engine, &variables, &constants, &mut found);
        }
        let (mut pointers, numbers) = pointers(engine, &variables);
        if !about_memory {
            pointers.clear();
        }
        memory::candidates(&mut engine.terms, &limits, &pointers, &numbers, &mut found);
        // Sizes and indices come from numbers that are bounded far away.
        for &number in &numbers {
            let values = pooled.get(&engine.terms.base(number).sort).into_iter().flatten().copied();
            if !pointers.is_empty() {
                unary(&mut engine.terms, number, values.take(limits.max_constants), &mut found);
            } else if with_arrays.contains(&node) {
                upper(&mut engine.terms, number, values.take(limits.max_constants), &mut found);
            }
        }
        let (yes, no) = (engine.terms.yes(), engine.terms.no());
        let mut seen = BTreeSet::new();
        found.retain(|f| *f != yes && *f != no && seen.insert(*f));
        samples.filter(engine, node, &mut found);
        candidates.insert(node, found);
    }
    Ok(candidates)
}

/// Candidates about sums of the numbers among variables.
fn sums(
    engine: &mut Engine,
    variables: &[BaseId],
    constants: &BTreeMap<BaseId, BTreeSet<TermId>>,
    found: &mut Vec<TermId>,
) {
    let numbers: Vec<BaseId> =
        variables.iter().copied().filter(|v| engine.blocks.encoder.is_number(*v)).collect();
    let compared: Vec<TermId> = numbers.iter().filter_map(|v| constants.get(v)).flatten().copied().collect();
    let limits = engine.heuristics.invariants.templates;
    linear::candidates(&mut engine.terms, &limits, &numbers, &compared, found);
}

/// For each node, the numbers between which equations are looked for: those that its own blocks speak of, then others.
fn spaces(
    engine: &Engine,
    variables: &BTreeMap<NodeId, BTreeSet<BaseId>>,
    start: Option<NodeId>,
) -> BTreeMap<NodeId, Space> {
    let width = |v: BaseId| match engine.terms.base(v).sort {
        Sort::BitVec(bits @ 8..) if engine.blocks.encoder.is_number(v) => Some(bits),
        _ => None,
    };
    let all: BTreeSet<BaseId> = variables.values().flatten().copied().collect();
    let mut widths: BTreeMap<u32, usize> = BTreeMap::new();
    for bits in all.iter().filter_map(|v| width(*v)) {
        *widths.entry(bits).or_default() += 1;
    }
    let Some((&bits, _)) = widths.iter().max_by_key(|(_, count)| **count) else { return BTreeMap::new() };
    let nodes = variables.iter().filter(|(node, _)| Some(**node) != start);
    let space = |own: &BTreeSet<BaseId>| {
        let others = all.iter().filter(|v| !own.contains(*v));
        let numbers = own.iter().chain(others).copied().filter(|v| width(*v) == Some(bits));
        Space::new(numbers.take(engine.heuristics.invariants.templates.max_equated).collect(), bits)
    };
    nodes.map(|(node, own)| (*node, space(own))).collect()
}

/// The pointers and the numbers among variables.
fn pointers(engine: &mut Engine, variables: &[BaseId]) -> (Vec<PointerState>, Vec<BaseId>) {
    let (mut pointers, mut numbers) = (Vec::new(), Vec::new());
    for &variable in variables {
        let encoder = &mut engine.blocks.encoder;
        match encoder.pointer_state(&mut engine.terms, variable) {
            Some(pointer) => pointers.push(pointer),
            None if encoder.is_number(variable) => numbers.push(variable),
            None => {}
        }
    }
    (pointers, numbers)
}

/// The constants that variables are compared with in a formula.
pub(super) fn compared(terms: &Terms, formula: TermId, constants: &mut BTreeMap<BaseId, BTreeSet<TermId>>) {
    for atom in terms.atoms(formula) {
        let args = terms.args(atom);
        let &[a, b] = args else { continue };
        for (side, other) in [(a, b), (b, a)] {
            if terms.value(other).is_some() && matches!(terms.sort(other), Sort::BitVec(_)) {
                for symbol in terms.free_symbols(side) {
                    if terms.base(symbol.base).sort == terms.sort(other) {
                        constants.entry(symbol.base).or_default().insert(other);
                    }
                }
            }
        }
    }
}

/// `v == c`, bounds at and next to `c`, parity.
fn unary(
    terms: &mut Terms,
    variable: BaseId,
    constants: impl Iterator<Item = TermId>,
    found: &mut Vec<TermId>,
) {
    let (sort, signed) = (terms.base(variable).sort, terms.base(variable).signed);
    let Sort::BitVec(bits) = sort else { return };
    let v = terms.var(variable, 0);
    let (zero, one) = (terms.bv(bits, 0), terms.bv(bits, 1));
    for c in constants.chain([zero, one]).collect::<BTreeSet<_>>() {
        found.push(terms.eq(v, c));
        let equal = terms.eq(v, c);
        found.push(terms.not(equal));
        let (above, below) = (terms.bv_add(c, one), terms.bv_sub(c, one));
        for bound in [c, above, below] {
            found.push(terms.bv_le(signed, v, bound));
            found.push(terms.bv_le(signed, bound, v));
        }
    }
    let low = terms.extract(v, 0, 0);
    let bit = terms.bv(1, 0);
    let even = terms.eq(low, bit);
    found.push(even);
    found.push(terms.not(even));
}

/// `v <= c` and `v <= c + 1`: an index that goes up to a bound ends at it, or behind it.
fn upper(
    terms: &mut Terms,
    variable: BaseId,
    constants: impl Iterator<Item = TermId>,
    found: &mut Vec<TermId>,
) {
    let &Base { sort: Sort::BitVec(bits), signed, .. } = terms.base(variable) else { return };
    let (v, one) = (terms.var(variable, 0), terms.bv(bits, 1));
    for c in constants {
        found.push(terms.bv_le(signed, v, c));
        let next = terms.bv_add(c, one);
        found.push(terms.bv_le(signed, v, next));
    }
}

/// `a == b`, `a <= b`, `a >= b`, and the same a step apart.
fn binary(terms: &mut Terms, a: BaseId, b: BaseId, found: &mut Vec<TermId>) {
    let (Sort::BitVec(bits), true) = (terms.base(a).sort, terms.base(a).sort == terms.base(b).sort) else {
        return;
    };
    let signed = terms.base(a).signed && terms.base(b).signed;
    let (x, y, one) = (terms.var(a, 0), terms.var(b, 0), terms.bv(bits, 1));
    found.push(terms.eq(x, y));
    found.push(terms.bv_le(signed, x, y));
    found.push(terms.bv_le(signed, y, x));
    let (next_x, next_y) = (terms.bv_add(x, one), terms.bv_add(y, one));
    found.push(terms.eq(next_x, y));
    found.push(terms.eq(x, next_y));
    found.push(terms.bv_le(signed, next_x, y));
    found.push(terms.bv_le(signed, next_y, x));
    let two = terms.bv(bits, 2);
    for (double, other) in [(x, y), (y, x)] {
        let twice = terms.bv_mul(double, two);
        found.push(terms.eq(twice, other));
    }
}
