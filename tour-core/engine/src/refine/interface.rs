//! Which variables an infeasible path needs at which block boundary: the unsatisfiable core of its interfaces.
//!
//! Each block speaks of copies of its own of the variables that come from before it, and an assumption says that the copies
//! of two blocks are equal, where none between them speaks of the variable. The assumptions in an unsatisfiable core are
//! what has to be known at the boundaries.

use crate::context::{Engine, unknown};
use crate::path::AbstractPath;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, SatResult};
use tour_logic::term::{BaseId, Symbol, TermId};

/// The variables that must be known at the end of each block but the last.
pub fn interface_core(
    engine: &mut Engine,
    path: &AbstractPath,
) -> Result<Vec<BTreeSet<BaseId>>, UnknownReason> {
    let blocks = path.formulas.len();
    // The blocks that mention each symbol: between them it goes through boundaries unseen.
    let mut mentions: BTreeMap<Symbol, Vec<usize>> = BTreeMap::new();
    for (k, &formula) in path.formulas.iter().enumerate() {
        for symbol in engine.terms.free_symbols(formula) {
            mentions.entry(symbol).or_default().push(k);
        }
    }
    // Copies of an instance have indices so far apart.
    let stride = mentions.keys().map(|s| s.index + 1).max().unwrap_or(1);
    let copy = |symbol: Symbol, block: usize| {
        let first = mentions.get(&symbol).map_or(0, |blocks| blocks[0]);
        symbol.with_index(symbol.index + (block - first) as u32 * stride)
    };
    let mut solver = engine.smt.solver(Purpose::Refinement);
    for (k, &formula) in path.formulas.iter().enumerate() {
        let own = engine.terms.rename(formula, |s| copy(s, k));
        solver.assert(&engine.terms, own);
    }
    let mut links: FxHashMap<TermId, (Range<usize>, BaseId)> = FxHashMap::default();
    let mut assumptions = Vec::new();
    for (&symbol, blocks) in &mentions {
        for pair in blocks.windows(2) {
            let left = engine.terms.symbol(copy(symbol, pair[0]));
            let right = engine.terms.symbol(copy(symbol, pair[1]));
            let link = engine.terms.eq(left, right);
            links.insert(link, (pair[0]..pair[1], symbol.base));
            assumptions.push(link);
        }
    }
    let mut core = match solver.check(&engine.terms, &assumptions) {
        SatResult::Unsat => solver.unsat_core(&engine.terms),
        SatResult::Sat => return Err(UnknownReason::Internal("an infeasible path became feasible".into())),
        SatResult::Unknown(why) => return Err(unknown(why)),
    };
    // Fewer variables are better than fewer places: leave out one variable after the other.
    let variables: BTreeSet<BaseId> = core.iter().map(|link| links[link].1).collect();
    for variable in variables.into_iter().take(engine.heuristics.refinement.max_dropped_variables) {
        engine.check_interrupt()?;
        let rest: Vec<TermId> = core.iter().copied().filter(|link| links[link].1 != variable).collect();
        if rest.len() < core.len() && solver.check(&engine.terms, &rest) == SatResult::Unsat {
            core = solver.unsat_core(&engine.terms);
        }
    }
    let mut needed = vec![BTreeSet::new(); blocks.saturating_sub(1)];
    for link in core {
        let (boundaries, base) = &links[&link];
        needed[boundaries.clone()].iter_mut().for_each(|needed| _ = needed.insert(*base));
    }
    Ok(needed)
}
