//! What a state inside of a function can speak of.

use crate::context::Engine;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use tour_ir::program::FnId;
use tour_logic::term::{BaseId, TermId};

/// The frame that a state of a path lies in. States of a function that is analysed for itself speak of its own frame
/// (always as frame 0 of the function) and of what all functions share; they say nothing of other frames.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The function.
    pub function: FnId,
    /// Which of its frames.
    pub instance: u32,
    /// The variables that the function, or one that it calls, reads or writes.
    pub relevant: Rc<FxHashSet<BaseId>>,
    /// The block at whose end the function was entered; `None` for the entry of the program.
    pub entered: Option<usize>,
}

impl Scope {
    /// The name that a variable has inside of the function; `None` if it has none there.
    pub fn own(&self, engine: &mut Engine, base: BaseId) -> Option<BaseId> {
        let program = engine.program();
        let frame = engine.blocks.encoder.cell_of(base)?.frame(program);
        match frame {
            None => Some(base),
            Some((function, instance)) if (function, instance) == (self.function, self.instance) => {
                Some(engine.blocks.encoder.in_frame(&mut engine.terms, base, 0))
            }
            Some(_) => None,
        }
    }

    /// The name that a variable which matters to the function has there.
    pub fn relevant(&self, engine: &mut Engine, base: BaseId) -> Option<BaseId> {
        self.own(engine, base).filter(|own| self.relevant.contains(own))
    }

    /// A state formula as the function can say it; `None` if it can't, or has nothing to do with it.
    pub fn express(&self, engine: &mut Engine, formula: TermId) -> Option<TermId> {
        let symbols = engine.terms.free_symbols(formula);
        let mut names = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            names.push((symbol.base, self.own(engine, symbol.base)?));
        }
        if !names.iter().any(|(_, own)| self.relevant.contains(own)) {
            return None;
        }
        let own = |base: BaseId| names.iter().find(|n| n.0 == base).map_or(base, |n| n.1);
        Some(engine.terms.rename(formula, |s| tour_logic::term::Symbol { base: own(s.base), index: s.index }))
    }
}
