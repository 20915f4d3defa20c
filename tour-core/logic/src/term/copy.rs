//! Terms of one arena in another.

use super::arena::{BaseId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Copies terms from one arena to another.
#[derive(Default)]
pub struct Copy {
    terms: FxHashMap<TermId, TermId>,
    /// Which variable became which.
    pub bases: BTreeMap<BaseId, BaseId>,
    /// What is added to the names of variables.
    mark: &'static str,
}

impl Copy {
    /// Copies whose variables have names with a mark at the end: the other arena has variables of its own.
    pub fn marked(mark: &'static str) -> Copy {
        Copy { mark, ..Copy::default() }
    }

    /// The term in the other arena.
    pub fn term(&mut self, from: &Terms, to: &mut Terms, term: TermId) -> TermId {
        if let Some(&known) = self.terms.get(&term) {
            return known;
        }
        // The flag says that the arguments have been visited.
        let mut stack = vec![(term, false)];
        while let Some((node, visited)) = stack.pop() {
            if self.terms.contains_key(&node) {
                continue;
            }
            let new = if let Some(symbol) = from.as_symbol(node) {
                let base = from.base(symbol.base);
                let copied = *self.bases.entry(symbol.base).or_insert_with(|| {
                    to.declare(&format!("{}{}", base.name, self.mark), base.sort, base.signed)
                });
                to.var(copied, symbol.index)
            } else if let Some(value) = from.value(node) {
                to.constant(value.clone())
            } else if visited {
                let args: Vec<TermId> = from.args(node).iter().map(|a| self.terms[a]).collect();
                to.build(from.op(node), &args)
            } else {
                stack.push((node, true));
                stack.extend(from.args(node).iter().map(|arg| (*arg, false)));
                continue;
            };
            self.terms.insert(node, new);
        }
        self.terms[&term]
    }
}
