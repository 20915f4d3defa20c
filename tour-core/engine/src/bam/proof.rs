//! A proof: what was found out about each function, as summaries.
//!
//! A summary speaks of all locations of a function. Those of a loop that is a block of its own are in other levels, whose
//! states say nothing of variables that do not concern the loop. What the function's states say of variables that the
//! loop does not write holds all through the loop: together they are what holds there.

use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tour_evidence::evidence::{Contract, Summaries};
use tour_ir::cfa::LocId;
use tour_logic::term::TermId;

impl<D: Reducer> Bam<'_, '_, D> {
    /// The summaries of all functions that the program's entry uses.
    pub fn summaries(&mut self) -> Summaries {
        let mut contracts = Vec::new();
        for level in self.live_levels() {
            if self.levels[level].unit.within.is_some() {
                continue;
            }
            let entry = self.levels[level].entry().clone();
            let entry = self.domain.formula(&mut self.engine.terms, &entry);
            let at = self.claims(level).into_iter();
            let at = at.map(|(loc, states)| (loc, self.engine.terms.or(&states))).collect();
            let function = self.levels[level].unit.function;
            contracts.push(Contract { function, main: level.index() == 0, entry, at });
        }
        crate::cegar::certificate::summaries(self.engine, contracts)
    }

    /// What holds at the locations of a function, one formula a state.
    fn claims(&mut self, level: LevelId) -> BTreeMap<LocId, Vec<TermId>> {
        let mut claims: BTreeMap<LocId, Vec<TermId>> = BTreeMap::new();
        let mut work = vec![(level, self.engine.terms.yes())];
        let mut seen: FxHashSet<(LevelId, TermId)> = work.iter().copied().collect();
        while let Some((level, around)) = work.pop() {
            let nodes: Vec<_> =
                self.levels[level].arg.nodes().map(|(id, n)| (id, n.at, n.state.clone())).collect();
            for (id, target, state) in nodes {
                if let Some(&nested) = self.levels[level].calls.get(&id) {
                    // A function that is called has summaries of its own.
                    let Some(within) = self.levels[nested].unit.within else { continue };
                    let Some(kept) = self.kept(level, id, within) else { continue };
                    let kept = self.domain.formula(&mut self.engine.terms, &kept);
                    let inside = (nested, self.engine.terms.and2(around, kept));
                    if seen.insert(inside) {
                        work.push(inside);
                    }
                }
                let Some(site) = self.engine.site(target) else { continue };
                let formula = self.domain.formula(&mut self.engine.terms, &state);
                let claim = self.engine.terms.and2(around, formula);
                claims.entry(site.loc).or_default().push(claim);
            }
        }
        claims
    }
}
