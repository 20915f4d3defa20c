//! Which names are types where: C cannot be read without it.

use rustc_hash::FxHashMap;

/// The typedef names in force, by scope.
#[derive(Debug)]
pub struct TypeNames<'a> {
    /// Only names that are or hid a type; others are not types.
    types: FxHashMap<&'a str, bool>,
    /// What to put back when scopes end.
    trail: Vec<(&'a str, Option<bool>)>,
    scopes: Vec<usize>,
}

impl Default for TypeNames<'_> {
    fn default() -> Self {
        let known = ["__builtin_va_list", "__int128_t", "__uint128_t"];
        TypeNames {
            types: known.into_iter().map(|n| (n, true)).collect(),
            trail: Vec::new(),
            scopes: Vec::new(),
        }
    }
}

impl<'a> TypeNames<'a> {
    /// Whether a name is a type here.
    pub fn is_type(&self, name: &str) -> bool {
        self.types.get(name).copied().unwrap_or(false)
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.scopes.push(self.trail.len());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        let keep = self.scopes.pop().unwrap_or(0);
        while self.trail.len() > keep {
            if let Some((name, before)) = self.trail.pop() {
                match before {
                    Some(is_type) => self.types.insert(name, is_type),
                    None => self.types.remove(name),
                };
            }
        }
    }

    /// Declares a name.
    pub fn declare(&mut self, name: &'a str, is_type: bool) {
        let before = self.types.get(name).copied();
        if before.unwrap_or(false) == is_type {
            return;
        }
        self.types.insert(name, is_type);
        if !self.scopes.is_empty() {
            self.trail.push((name, before));
        }
    }

    /// Some name means something else here than at file scope.
    pub fn has_local(&self) -> bool {
        !self.trail.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_types_until_their_scope_ends() {
        let mut names = TypeNames::default();
        names.declare("T", true);
        names.enter();
        names.declare("T", false);
        names.declare("x", false);
        assert!(!names.is_type("T"));
        assert!(names.has_local());
        names.enter();
        names.declare("U", true);
        names.leave();
        assert!(!names.is_type("U"));
        names.leave();
        assert!(names.is_type("T") && !names.has_local());
    }
}
