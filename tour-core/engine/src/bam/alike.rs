//! Posts that are alike are computed once.
//!
//! Many calls of one function differ in nothing but the temporary variables of their call sites. Whether there is a
//! successor, and what the precision says of it, does not depend on the names of variables that the precision does not
//! speak of. So a post is remembered under its formula with such variables renamed to standard ones, which makes a call
//! whose callee is in the cache cheap too.

use super::reducer::Reducer;
use super::search::Bam;
use crate::context::Site;
use rustc_hash::FxHashMap;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::LocId;
use tour_logic::term::{BaseId, Sort, Symbol, TermId};
use tour_model::block::Exit;
use tour_model::encode::{Ssa, instantiate};

/// What the successors of a post depend on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Alike {
    /// The state and the block, renamed.
    formula: TermId,
    /// Where it leads, and how much precision there is; nothing if there is none.
    precision: Option<(LocId, u64)>,
    /// Variables that the precision speaks of which are not at their first instance, and values that are known.
    current: Vec<(BaseId, u32, Option<TermId>)>,
}

impl<D: Reducer> Bam<'_, '_, D> {
    /// The successors of a state through a way out of its block, as [`crate::domain::Domain::post`] has them.
    pub(super) fn post(
        &mut self,
        state: &D::State,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<D::State>, UnknownReason> {
        let key = self.alike(state, exit, site);
        if let Some(known) = self.posts.get(&key) {
            self.counts.alike += 1;
            return Ok(known.clone());
        }
        let states = self.domain.post(self.engine, state, exit, site)?;
        self.posts.insert(key, states.clone());
        Ok(states)
    }

    fn alike(&mut self, state: &D::State, exit: &Exit, site: Option<Site>) -> Alike {
        let before = self.domain.formula(&mut self.engine.terms, state);
        let terms = &mut self.engine.terms;
        let before = instantiate(terms, before, &Ssa::default());
        let whole = terms.and2(before, exit.formula);
        let precision = site.map(|site| (site.loc, self.domain.stamp(site))).filter(|p| p.1 > 0);
        let tracked = |base: &BaseId| precision.is_some() && self.tracked.contains(base);
        let mut names: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        let mut used: FxHashMap<Sort, u32> = FxHashMap::default();
        for symbol in terms.free_symbols(whole).into_iter().filter(|s| !tracked(&s.base)) {
            let sort = terms.base(symbol.base).sort;
            let index = used.entry(sort).or_default();
            *index += 1;
            let base = terms.declare("any", sort, false);
            names.insert(symbol, Symbol { base, index: *index });
        }
        let formula = terms.rename(whole, |symbol| names.get(&symbol).copied().unwrap_or(symbol));
        let ssa = &exit.path.ssa;
        let current = match precision {
            Some(_) => (self.tracked.iter())
                .map(|&base| (base, ssa.index(base), ssa.known(base)))
                .filter(|(_, index, known)| *index > 1 || known.is_some())
                .collect(),
            None => Vec::new(),
        };
        Alike { formula, precision, current }
    }

    /// The precision has changed.
    pub(super) fn find_tracked(&mut self) {
        self.tracked = self.domain.tracked(&self.engine.terms);
    }
}
