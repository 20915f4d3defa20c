//! From a model of a path formula to the run that it describes: which steps are taken, and which values the program is
//! given on the way.

use super::builder::Blocks;
use super::unfolding::Step;
use super::{Block, Target};
use crate::encode::{Cell, Part, Path, Ssa};
use std::collections::BTreeSet;
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{Op, VarId};
use tour_logic::term::{Assignment, BaseId, Bv, Sort, Symbol, Terms, Value};

/// An address that no object has.
const WILD: u128 = 0x7fff_0000;

/// A value that the run was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The edge that asked for it: a havoc, or the declaration of a variable; `None` for the entry's parameters.
    pub edge: Option<EdgeId>,
    /// The variable, for a declaration or a parameter.
    pub declared: Option<VarId>,
    /// Its bit pattern.
    pub bits: u128,
}

/// A run through one or more blocks.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The steps.
    pub steps: Vec<Step>,
    /// The values that were asked for, in order.
    pub asked: Vec<Asked>,
    /// What memory held that was read before anything was written there, in order, as far as that is known.
    pub unwritten: Vec<Asked>,
    /// Parts of memory that were read or written.
    touched: BTreeSet<BaseId>,
}

impl Walk {
    /// A walk from the entry, whose parameters have the values of the model.
    pub fn from_entry(blocks: &mut Blocks, terms: &mut Terms, model: &Assignment) -> Walk {
        let program = blocks.unfolding.program();
        let mut walk = Walk::default();
        for &param in &program.functions[program.entry].params {
            let Ok(leaves) = blocks.encoder.leaves_of(terms, param, 0) else { continue };
            for leaf in leaves.into_iter().filter(|leaf| leaf.pointer.is_none()) {
                if let Some(bits) = bits_of(terms, Symbol { base: leaf.base, index: 1 }, model) {
                    walk.asked.push(Asked { edge: None, declared: Some(param), bits });
                }
            }
        }
        walk
    }

    /// Follows a model through a block to one of its targets. The symbols of the model continue `before`. Returns
    /// false if the model does not describe a run (which would be a bug in the encoding).
    pub fn follow(
        &mut self,
        blocks: &mut Blocks,
        terms: &mut Terms,
        block: &Block,
        to: Target,
        before: &Ssa,
        model: &Assignment,
    ) -> bool {
        self.through(blocks, terms, block, Some(to), before, model) == Some(to)
    }

    /// Follows a model through a block to wherever it leads.
    pub fn follow_anywhere(
        &mut self,
        blocks: &mut Blocks,
        terms: &mut Terms,
        block: &Block,
        before: &Ssa,
        model: &Assignment,
    ) -> Option<Target> {
        self.through(blocks, terms, block, None, before, model)
    }

    fn through(
        &mut self,
        blocks: &mut Blocks,
        terms: &mut Terms,
        block: &Block,
        to: Option<Target>,
        before: &Ssa,
        model: &Assignment,
    ) -> Option<Target> {
        let unsupported = |step: Step| {
            let here = Target::Unsupported(step.edge());
            (to == Some(here)).then_some(here)
        };
        let mut node = block.from;
        loop {
            let path = block.inner.get(&node)?.clone();
            let mut next = None;
            let mut transitions = blocks.unfolding.successors(node).to_vec();
            // What is not modelled may be one of several things that can happen here.
            transitions.sort_by_key(|transition| unsupported(transition.step).is_none());
            for transition in transitions {
                let mut after = path.clone();
                let step = transition.step;
                if blocks.step(terms, &mut after, node, step).is_err() {
                    if let Some(here) = unsupported(step) {
                        return Some(here);
                    }
                    continue;
                }
                blocks.encoder.take_obligations();
                if !holds_since(terms, &path, &after, before, model) {
                    // Outside of its array, perhaps: no run can be followed further.
                    if let Some(here) = unsupported(step) {
                        return Some(here);
                    }
                    continue;
                }
                next = Some((transition, after));
                break;
            }
            let (transition, after) = next?;
            self.steps.push(transition.step);
            self.note_memory(blocks, terms, transition.step.edge(), (&path, &after), before, model);
            if let Step::Edge(edge) = transition.step {
                let program = blocks.unfolding.program();
                let declared = match program.cfa.edges[edge].op {
                    Op::Havoc(..) => Some(None),
                    Op::Declare(var) if program.types.is_scalar(program.vars[var].ty.ty) => Some(Some(var)),
                    _ => None,
                };
                if let Some(declared) = declared {
                    // Values only: numbers of objects and pointers mean nothing to the interpreter.
                    let new: Vec<Symbol> = (after.ssa.written())
                        .filter(|(base, index)| path.ssa.index(*base) != *index)
                        .filter(|(base, _)| blocks.encoder.is_value(*base))
                        .map(|(base, index)| before.shift(Symbol { base, index }))
                        .collect();
                    self.record(terms, edge, declared, &new, model);
                }
            }
            let Some(reached) = transition.to else { return unsupported(transition.step) };
            match blocks.unfolding.program().cfa.locs[blocks.unfolding.loc(reached)].kind {
                LocKind::Error(check) => return Some(Target::Error(check)),
                LocKind::End => return None,
                LocKind::Plain | LocKind::Entry | LocKind::Exit => {}
            }
            if reached == block.from || !block.inner.contains_key(&reached) {
                return Some(Target::Node(reached));
            }
            node = reached;
        }
    }

    /// Notes what memory holds that a step reads and nothing has written.
    fn note_memory(
        &mut self,
        blocks: &Blocks,
        terms: &mut Terms,
        edge: EdgeId,
        (path, after): (&Path, &Path),
        before: &Ssa,
        model: &Assignment,
    ) {
        // A run decides where to go at the first edge that leaves the location.
        let cfa = &blocks.unfolding.program().cfa;
        let edge = cfa.successors(cfa.edges[edge].from).next().map_or(edge, |(first, _)| first);
        for fact in after.since(path) {
            for symbol in terms.free_symbols(fact) {
                let Some(&Cell::Slot { part, .. }) = blocks.encoder.cell_of(symbol.base) else { continue };
                // What the step itself writes has a new instance.
                if matches!(part, Part::Offset | Part::Written)
                    || path.ssa.index(symbol.base) != symbol.index
                    || self.touched.contains(&symbol.base)
                {
                    continue;
                }
                let Some(bits) = bits_of(terms, before.shift(symbol), model) else { continue };
                self.touched.insert(symbol.base);
                // An address that is no object's, far from zero.
                let bits = if part == Part::Object && bits != 0 { WILD } else { bits };
                self.unwritten.push(Asked { edge: Some(edge), declared: None, bits });
            }
        }
        let written = after.ssa.written().filter(|(base, index)| path.ssa.index(*base) != *index);
        let slot = |base: &BaseId| matches!(blocks.encoder.cell_of(*base), Some(Cell::Slot { .. }));
        self.touched.extend(written.map(|(base, _)| base).filter(slot));
    }

    /// Notes the values that an input or a declaration was given: those of the instances that are new.
    fn record(
        &mut self,
        terms: &Terms,
        edge: EdgeId,
        declared: Option<VarId>,
        new: &[Symbol],
        model: &Assignment,
    ) {
        for &symbol in new {
            if let Some(bits) = bits_of(terms, symbol, model) {
                self.asked.push(Asked { edge: Some(edge), declared, bits });
            }
        }
    }
}

/// What `after` says beyond `path` holds in the model, as far as it restricts anything: definitions of new instances
/// hold by themselves.
fn holds_since(terms: &mut Terms, path: &Path, after: &Path, before: &Ssa, model: &Assignment) -> bool {
    after.since(path).into_iter().all(|fact| {
        let fact = terms.rename(fact, |s| before.shift(s));
        terms.holds(fact, model) != Some(false)
    })
}

/// The bit pattern of a number in a model; zero if the model does not say.
pub fn bits_of(terms: &Terms, symbol: Symbol, model: &Assignment) -> Option<u128> {
    match terms.base(symbol.base).sort {
        Sort::BitVec(_) => Some(match model.get(symbol) {
            Some(Value::Bv(Bv { value, .. })) => *value,
            _ => 0,
        }),
        Sort::Float(_) => Some(match model.get(symbol) {
            Some(Value::Float(float)) => u128::from(float.bits()),
            _ => 0,
        }),
        Sort::Bool | Sort::Int | Sort::Array { .. } => None,
    }
}
