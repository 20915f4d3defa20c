//! Names and tags and their scopes.

use rustc_hash::FxHashMap;
use tour_ir::program::{EnumId, FnId, QualType, RecordId, TypeId, VarId};

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entity {
    /// A variable.
    Var(VarId),
    /// A function.
    Function(FnId),
    /// A typedef name.
    Typedef(QualType),
    /// An enumerator and its value.
    EnumConst(i128, TypeId),
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs)]
pub enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// Nested scopes, the file scope first.
#[derive(Debug)]
pub struct Scopes {
    names: FxHashMap<String, Vec<(u32, Entity)>>,
    tags: FxHashMap<String, Vec<(u32, Tag)>>,
    /// Names and tags to take back when a scope ends.
    trail: Vec<Vec<(bool, String)>>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { names: FxHashMap::default(), tags: FxHashMap::default(), trail: vec![Vec::new()] }
    }
}

impl Scopes {
    /// How deep we are; 0 is the file scope.
    pub fn depth(&self) -> u32 {
        self.trail.len() as u32 - 1
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.trail.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        for (is_tag, name) in self.trail.pop().unwrap_or_default() {
            if is_tag {
                self.tags.get_mut(&name).and_then(Vec::pop);
            } else {
                self.names.get_mut(&name).and_then(Vec::pop);
            }
        }
    }

    /// Declares a name in the innermost scope, hiding outer ones (and replacing one of the same scope).
    pub fn declare(&mut self, name: &str, entity: Entity) {
        let depth = self.depth();
        let stack = self.names.entry(name.to_owned()).or_default();
        match stack.last_mut() {
            Some((d, old)) if *d == depth => *old = entity,
            _ => {
                stack.push((depth, entity));
                self.trail.last_mut().expect("the file scope is never left").push((false, name.to_owned()));
            }
        }
    }

    /// Declares a tag in the innermost scope.
    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        let depth = self.depth();
        let stack = self.tags.entry(name.to_owned()).or_default();
        match stack.last_mut() {
            Some((d, old)) if *d == depth => *old = tag,
            _ => {
                stack.push((depth, tag));
                self.trail.last_mut().expect("the file scope is never left").push((true, name.to_owned()));
            }
        }
    }

    /// What a name stands for.
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        self.names.get(name)?.last().map(|e| e.1)
    }

    /// What a name stands for in the innermost scope alone.
    pub fn lookup_here(&self, name: &str) -> Option<Entity> {
        self.names.get(name)?.last().filter(|e| e.0 == self.depth()).map(|e| e.1)
    }

    /// What a name stands for at file scope.
    pub fn lookup_file(&self, name: &str) -> Option<Entity> {
        self.names.get(name)?.first().filter(|e| e.0 == 0).map(|e| e.1)
    }

    /// What a tag stands for.
    pub fn lookup_tag(&self, name: &str) -> Option<Tag> {
        self.tags.get(name)?.last().map(|e| e.1)
    }

    /// What a tag stands for in the innermost scope alone.
    pub fn lookup_tag_here(&self, name: &str) -> Option<Tag> {
        self.tags.get(name)?.last().filter(|e| e.0 == self.depth()).map(|e| e.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_hide_outer_ones_until_they_end() {
        let mut scopes = Scopes::default();
        let var = |n| Entity::Var(VarId::new(n));
        scopes.declare("x", var(0));
        scopes.enter();
        scopes.declare("x", var(1));
        assert_eq!(scopes.lookup("x"), Some(var(1)));
        scopes.enter();
        assert_eq!(scopes.lookup_here("x"), None);
        scopes.leave();
        scopes.leave();
        assert_eq!(scopes.lookup("x"), Some(var(0)));
    }
}
