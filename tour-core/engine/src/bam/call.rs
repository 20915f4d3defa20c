//! Calls: the state in which the callee begins, and the expansion of its exits to the caller.

use super::effects::Effects;
use crate::context::Engine;
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::FnId;
use tour_logic::term::{BaseId, TermId};
use tour_model::block::{Exit, NodeId, Step, Target};
use tour_model::encode::{Cell, Path, Ssa};

/// A call that a way out of a block makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Its edge.
    pub edge: EdgeId,
    /// Who is called.
    pub callee: FnId,
    /// Which frame of the callee opens, as seen by the caller: 1 if it calls itself.
    pub instance: u32,
}

impl Call {
    /// The call that leads to a node, if the node lies in another frame than that of its block.
    pub fn at(engine: &Engine, node: NodeId) -> Option<Call> {
        let frame = engine.blocks.unfolding.frame(node);
        let (_, edge) = frame.caller?;
        Some(Call { edge, callee: frame.function, instance: frame.instance })
    }

    /// The way into the callee, with the callee's frame as frame 0: what the caller's own frame 0 was is forgotten.
    pub fn entering(self, engine: &mut Engine, exit: &Exit, effects: &Effects, olds: &[BaseId]) -> Exit {
        let mut path = exit.path.clone();
        let Engine { terms, blocks, .. } = engine;
        if self.instance > 0 {
            let renamed: Vec<(BaseId, TermId)> = (effects.frame.iter())
                .map(|&own| {
                    let there = blocks.encoder.in_frame(terms, own, self.instance);
                    (own, path.ssa.value(terms, there))
                })
                .collect();
            for (own, value) in renamed {
                assign(terms, &mut path, own, value);
            }
        }
        for &base in olds {
            let value = path.ssa.value(terms, base);
            let old = blocks.encoder.old(terms, base);
            assign(terms, &mut path, old, value);
        }
        let formula = path.formula(terms);
        Exit { to: exit.to, path, formula }
    }

    /// The ways through the callee: into it in a state `begin`, out of it in a state `end`, and on in the caller. What
    /// the callee does not write is as it was before the call. A return may also lead to an error, or to what is not
    /// modelled.
    pub fn through(
        self,
        engine: &mut Engine,
        into: &Exit,
        effects: &Effects,
        begin: TermId,
        end: TermId,
        back: NodeId,
    ) -> Vec<Exit> {
        let Target::Node(entry) = into.to else { return Vec::new() };
        let program = engine.program();
        let mut path = into.path.clone();
        let before = path.ssa.clone();
        let begin = self.seen_by_caller(engine, begin, &before, &before);
        add(engine, &mut path, begin);
        for &base in &effects.written {
            let base = self.renamed(engine, base);
            path.ssa.bump(base);
        }
        let end = self.seen_by_caller(engine, end, &before, &path.ssa);
        add(engine, &mut path, end);
        let Some(body) = program.functions[self.callee].body else { return Vec::new() };
        let Engine { terms, blocks, .. } = engine;
        let stack = blocks.unfolding.get(entry).stack;
        let exit = blocks.unfolding.at(stack, body.exit);
        let at_exit = path.clone();
        let left = blocks.step(terms, &mut path, exit, Step::Leave { call: self.edge, callee: self.callee });
        let obligations = blocks.encoder.take_obligations();
        let mut ways = Vec::new();
        if let Err(why) = left {
            blocks.not_modelled(self.edge, why);
            ways.push((Target::Unsupported(self.edge), at_exit));
        } else {
            if !obligations.is_empty() {
                let claims: Vec<TermId> = obligations.iter().map(|of| of.claim).collect();
                let kept = terms.and(&claims);
                let broken = terms.not(kept);
                let mut outside = at_exit;
                outside.add(terms, broken);
                let why = tour_model::encode::broken(&obligations);
                blocks.not_modelled(self.edge, Box::new(why));
                ways.push((Target::Unsupported(self.edge), outside));
            }
            // The caller may go wrong, or end, right behind the call.
            match program.cfa.locs[blocks.unfolding.loc(back)].kind {
                LocKind::Error(check) => ways.push((Target::Error(check), path)),
                LocKind::End => {}
                LocKind::Plain | LocKind::Entry | LocKind::Exit => ways.push((Target::Node(back), path)),
            }
        }
        let no = terms.no();
        ways.into_iter()
            .map(|(to, path)| {
                let formula = path.formula(terms);
                Exit { to, path, formula }
            })
            .filter(|way| way.formula != no)
            .collect()
    }

    /// The name that the caller has for a variable of the callee.
    fn renamed(self, engine: &mut Engine, base: BaseId) -> BaseId {
        let program = engine.program();
        let frame = engine.blocks.encoder.cell_of(base).and_then(|cell| cell.frame(program));
        match frame {
            Some((function, 0)) if function == self.callee && self.instance > 0 => {
                engine.blocks.encoder.in_frame(&mut engine.terms, base, self.instance)
            }
            _ => base,
        }
    }

    /// A state formula of the callee over the caller's instances: those at the entry, and those now.
    fn seen_by_caller(self, engine: &mut Engine, formula: TermId, entry: &Ssa, now: &Ssa) -> TermId {
        let mut values = Vec::new();
        for symbol in engine.terms.free_symbols(formula) {
            let value = match engine.blocks.encoder.cell_of(symbol.base).cloned() {
                Some(Cell::Old(cell)) => match engine.blocks.encoder.base_of(&cell) {
                    Some(base) => {
                        let base = self.renamed(engine, base);
                        entry.value(&mut engine.terms, base)
                    }
                    None => continue,
                },
                _ => {
                    let base = self.renamed(engine, symbol.base);
                    now.value(&mut engine.terms, base)
                }
            };
            values.push((symbol, value));
        }
        let mut memo = Default::default();
        engine.terms.substitute(formula, &mut memo, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            values.iter().find(|v| v.0 == symbol).map(|v| v.1)
        })
    }
}

fn add(engine: &Engine, path: &mut Path, formula: TermId) {
    for fact in engine.terms.conjuncts(formula) {
        path.add(&engine.terms, fact);
    }
}

fn assign(terms: &mut tour_logic::term::Terms, path: &mut Path, base: BaseId, value: TermId) {
    let new = path.ssa.bump(base);
    let new = terms.symbol(new);
    let fact = terms.eq(new, value);
    path.add(terms, fact);
}
