//! Which external declarations the entry needs, over all units at once.
//!
//! An identifier in a needed item makes the items needed that declare it: in its own unit, and across units where an
//! external name is defined. This looks at tokens alone, so it takes in a little too much (a local variable that
//! is named like a function) and never too little. Time is linear: each name is followed once.

use super::attribute::plain;
use super::library;
use super::scan::Scan;
use super::split::{Item, ItemKind, NO_PARTNER, Role, Split};
use super::token::Kind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A unit that was scanned and split.
#[derive(Clone, Copy)]
pub struct SplitUnit<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its tokens.
    pub scan: &'a Scan,
    /// Its items.
    pub split: &'a Split,
}

/// The items of each unit that are needed from the entries, in the order of the text. Without entries, all items. The
/// first `own` units are the program's, the others the library's.
pub fn reach<'a>(units: &'a [SplitUnit<'a>], own: usize, entries: &'a [String]) -> Vec<Vec<u32>> {
    if entries.is_empty() {
        return units.iter().map(|u| (0..u.split.items.len() as u32).collect()).collect();
    }
    let mut search = Search::new(units, own);
    for unit in 0..own {
        for entry in entries {
            search.mention(unit, false, entry);
        }
        search.run_around_entry(unit);
    }
    while let Some((unit, item)) = search.work.pop() {
        search.item(unit, item as usize);
    }
    search
        .needed
        .iter()
        .map(|flags| flags.iter().enumerate().filter(|(_, n)| **n).map(|(i, _)| i as u32).collect())
        .collect()
}

/// The items that declare a name; mostly a prototype and a definition.
type Items = SmallVec<[u32; 2]>;

struct Search<'a> {
    units: &'a [SplitUnit<'a>],
    /// By unit: the items that declare a name (`true` for tags) which nothing has mentioned yet.
    declared: Vec<FxHashMap<(bool, &'a str), Items>>,
    /// By unit: names that are declared `static`.
    internal: Vec<FxHashSet<&'a str>>,
    /// How many units are the program's.
    own: usize,
    /// The program's units that define an external name.
    defined: FxHashMap<&'a str, SmallVec<[u32; 1]>>,
    /// The library's, whose names are apart from the program's.
    in_library: FxHashMap<&'a str, SmallVec<[u32; 1]>>,
    needed: Vec<Vec<bool>>,
    work: Vec<(usize, u32)>,
}

impl<'a> Search<'a> {
    fn new(units: &'a [SplitUnit<'a>], own: usize) -> Search<'a> {
        let mut search = Search {
            units,
            own,
            in_library: FxHashMap::default(),
            declared: Vec::new(),
            internal: Vec::new(),
            defined: FxHashMap::default(),
            needed: units.iter().map(|u| vec![false; u.split.items.len()]).collect(),
            work: Vec::new(),
        };
        for (index, unit) in units.iter().enumerate() {
            search.index(index, unit);
        }
        search
    }

    fn index(&mut self, index: usize, unit: &SplitUnit<'a>) {
        let mut declared: FxHashMap<(bool, &str), Items> = FxHashMap::default();
        let mut internal = FxHashSet::default();
        declared.reserve(unit.split.names.len());
        for (i, item) in unit.split.items.iter().enumerate() {
            for name in unit.split.names_of(item) {
                let text = unit.scan.tokens[name.token as usize].text(unit.text);
                let items = declared.entry((name.role == Role::Tag, text)).or_default();
                if items.last() != Some(&(i as u32)) {
                    items.push(i as u32);
                }
                if item.is_static && matches!(name.role, Role::Function | Role::Variable) {
                    internal.insert(text);
                }
            }
        }
        let mut here = FxHashSet::default();
        for item in &unit.split.items {
            for name in unit.split.names_of(item) {
                let text = unit.scan.tokens[name.token as usize].text(unit.text);
                if is_definition(item, name.role) {
                    here.insert(text);
                }
                if is_definition(item, name.role) && !internal.contains(text) {
                    let defined = if index < self.own { &mut self.defined } else { &mut self.in_library };
                    defined.entry(text).or_default().push(index as u32);
                }
            }
        }
        for (i, item) in unit.split.items.iter().enumerate() {
            // `int f(void) __asm__("g")`: whoever needs the symbol `g` needs this, and finds it here if `f` is defined here.
            let mut names = unit.split.names_of(item).iter();
            let defines =
                names.any(|name| here.contains(unit.scan.tokens[name.token as usize].text(unit.text)));
            for label in labels(unit, item) {
                declared.entry((false, label)).or_default().push(i as u32);
                if defines {
                    self.defined.entry(label).or_default().push(index as u32);
                }
            }
        }
        let directives = &unit.scan.directives;
        for (name, symbol) in &directives.renames {
            let items = declared.get(&(false, name.as_str())).cloned().unwrap_or_default();
            declared.entry((false, symbol.as_str())).or_default().extend(items);
            self.defined.entry(symbol).or_default().push(index as u32);
        }
        self.declared.push(declared);
        self.internal.push(internal);
    }

    /// A name is mentioned in a needed item.
    fn mention(&mut self, unit: usize, is_tag: bool, name: &'a str) {
        if !is_tag {
            self.follow_directives(unit, name);
        }
        self.need(unit, is_tag, name);
        if !is_tag && !self.internal[unit].contains(name) {
            self.need_definition(unit, name);
        }
        if !is_tag {
            for behind in library::behind(name) {
                self.need_definition(unit, behind);
            }
            for other in library::instead(name) {
                for unit in self.defined.get(other).cloned().unwrap_or_default() {
                    self.need(unit as usize, false, other);
                }
            }
        }
    }

    /// What pragmas say that a name stands for is needed as well.
    fn follow_directives(&mut self, unit: usize, name: &'a str) {
        let directives = &self.units[unit].scan.directives;
        let renamed = directives.renames.iter().filter(|(old, _)| old == name).map(|(_, new)| new);
        let aliases =
            directives.weak.iter().filter(|(weak, _)| weak == name).filter_map(|(_, of)| of.as_ref());
        for other in renamed.chain(aliases).filter(|other| *other != name) {
            self.need(unit, false, other);
            self.need_definition(unit, other);
        }
    }

    /// What defines an external name that a unit mentions is needed.
    fn need_definition(&mut self, unit: usize, name: &'a str) {
        let program = unit < self.own || library::is_replaceable(name);
        let found = if program { self.defined.get(name) } else { None };
        for other in found.or(self.in_library.get(name)).cloned().unwrap_or_default() {
            self.need(other as usize, false, name);
        }
    }

    /// The items of a unit that declare a name are needed.
    fn need(&mut self, unit: usize, is_tag: bool, name: &'a str) {
        for item in self.declared[unit].remove(&(is_tag, name)).unwrap_or_default() {
            self.need_item(unit, item);
        }
    }

    fn need_item(&mut self, unit: usize, item: u32) {
        if !std::mem::replace(&mut self.needed[unit][item as usize], true) {
            self.work.push((unit, item));
        }
    }

    /// What runs before or after the entry is needed like it.
    fn run_around_entry(&mut self, unit: usize) {
        let SplitUnit { text, scan, split } = self.units[unit];
        for (i, token) in scan.tokens.iter().enumerate() {
            let found = match token.kind {
                Kind::Identifier => is_startup(token.text(text)),
                Kind::String => is_startup_section(token.text(text)),
                _ => false,
            };
            if !found {
                continue;
            }
            let item = split.items.partition_point(|item| item.tokens.end <= i as u32);
            let Some(item) = split.items.get(item).filter(|item| is_outside_body(split, item, i)) else {
                continue;
            };
            for name in split.names_of(item) {
                let name = scan.tokens[name.token as usize].text(text);
                self.mention(unit, false, name);
            }
        }
    }

    /// Follows what a needed item mentions.
    fn item(&mut self, unit: usize, item: usize) {
        let SplitUnit { text, scan, split } = self.units[unit];
        let range = split.items[item].tokens.clone();
        let tokens = &scan.tokens[range.start as usize..range.end as usize];
        let mut before = Kind::Eof;
        for (i, token) in tokens.iter().enumerate() {
            if token.kind == Kind::Identifier {
                let name = token.text(text);
                match before {
                    // The names of members are their structure's own.
                    Kind::Dot | Kind::Arrow => {}
                    Kind::Struct | Kind::Union | Kind::Enum => self.mention(unit, true, name),
                    // An attribute can stand before a tag.
                    Kind::RightParen => {
                        self.mention(unit, true, name);
                        self.mention(unit, false, name);
                    }
                    _ => self.mention(unit, false, name),
                }
                if matches!(plain(name), "alias" | "weakref" | "ifunc")
                    && let [paren, string, ..] = &tokens[i + 1..]
                    && (paren.kind, string.kind) == (Kind::LeftParen, Kind::String)
                {
                    self.mention(unit, false, string.text(text).trim_matches('"'));
                }
            }
            before = token.kind;
        }
        for label in labels(&self.units[unit], &split.items[item]) {
            self.mention(unit, false, label);
        }
    }
}

/// An attribute that makes a function run before or after the entry.
fn is_startup(name: &str) -> bool {
    // Most names are told apart by their length.
    matches!(name.len(), 10 | 11 | 14 | 15) && matches!(plain(name), "constructor" | "destructor")
}

/// A section (as a literal) that holds what runs before or after the entry.
fn is_startup_section(literal: &str) -> bool {
    let name = literal.trim_matches('"');
    name.starts_with('.')
        && [".init", ".fini", ".preinit", ".ctors", ".dtors"].iter().any(|start| name.starts_with(start))
}

/// A token of an item stands in no block of it.
fn is_outside_body(split: &Split, item: &Item, token: usize) -> bool {
    let body = (item.tokens.end as usize).checked_sub(1).and_then(|last| split.partners.get(last));
    item.kind != ItemKind::Function || body.is_none_or(|&open| token < open as usize)
}

/// The names of symbols that `__asm__("…")` gives what an item declares.
fn labels<'a>(unit: &SplitUnit<'a>, item: &Item) -> SmallVec<[&'a str; 1]> {
    let SplitUnit { text, scan, split } = *unit;
    let mut found = SmallVec::new();
    if !matches!(item.kind, ItemKind::Function | ItemKind::Declaration) {
        return found;
    }
    let mut at = item.tokens.start as usize;
    while at < item.tokens.end as usize {
        if scan.tokens[at].kind == Kind::Asm {
            // Of `"" "name"`, the last part is the name.
            let strings = scan.tokens[at + 1..].iter().skip(1).take_while(|token| token.kind == Kind::String);
            found.extend(strings.last().map(|token| token.text(text).trim_matches('"')));
        }
        at = match split.partners[at] {
            partner if partner != NO_PARTNER && partner as usize > at => partner as usize + 1,
            _ => at + 1,
        };
    }
    found
}

fn is_definition(item: &Item, role: Role) -> bool {
    match role {
        Role::Function => item.kind == ItemKind::Function,
        Role::Variable => item.kind == ItemKind::Declaration && !item.is_extern,
        Role::Typedef | Role::Tag | Role::Enumerator => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{scan::scan, split::split};
    use std::path::Path;

    /// What `main` reaches in each unit, as the first lines of items.
    fn check(texts: &[&str], expect: &[&[&str]]) {
        check_with_library(texts, texts.len(), expect);
    }

    /// The same; units behind the first few are the library's.
    fn check_with_library(texts: &[&str], own: usize, expect: &[&[&str]]) {
        let scans: Vec<_> = texts.iter().map(|t| scan(t, Path::new("t.c"))).collect();
        let splits: Vec<_> = texts.iter().zip(&scans).map(|(t, s)| split(t, &s.tokens).unwrap()).collect();
        let units: Vec<_> = texts
            .iter()
            .zip(scans.iter().zip(&splits))
            .map(|(text, (scan, split))| SplitUnit { text, scan, split })
            .collect();
        let needed = reach(&units, own, &["main".to_owned()]);
        let shown: Vec<Vec<&str>> = needed
            .iter()
            .zip(&units)
            .map(|(items, unit)| {
                let token = |i: u32| unit.scan.tokens[i as usize];
                let range = |i: u32| unit.split.items[i as usize].tokens.clone();
                items
                    .iter()
                    .map(|&i| {
                        &unit.text[token(range(i).start).start as usize..token(range(i).end - 1).end as usize]
                    })
                    .collect()
            })
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn only_what_main_mentions() {
        check(
            &["typedef int T; typedef int U; struct s; struct s { T x; }; int unused(void) { return 1; }
               extern struct s v; static int f(void); int main(void) { return f(); }
               static int f(void) { return v.unused; }"],
            &[&[
                "typedef int T;",
                "struct s;",
                "struct s { T x; };",
                "extern struct s v;",
                "static int f(void);",
                "int main(void) { return f(); }",
                "static int f(void) { return v.unused; }",
            ]],
        );
    }

    #[test]
    fn external_names_cross_units_and_static_ones_do_not() {
        check(
            &[
                "int g(void); static int h(void) { return 0; } int main(void) { return g() + h(); }",
                "static int k; int g(void) { return k; } int h(void) { return 1; } int k2;",
            ],
            &[
                &["int g(void);", "static int h(void) { return 0; }", "int main(void) { return g() + h(); }"],
                &["static int k;", "int g(void) { return k; }"],
            ],
        );
    }

    #[test]
    fn the_library_has_names_of_its_own() {
        let library =
            "int f(void) { return g() + malloc(); } int g(void) { return 1; } int malloc(void) { return 2; }";
        let f = "int f(void) { return g() + malloc(); }";
        check_with_library(
            &["int g(void) { return 0; } int main(void) { return f() + g(); }", library],
            1,
            &[
                &["int g(void) { return 0; }", "int main(void) { return f() + g(); }"],
                &[f, "int g(void) { return 1; }", "int malloc(void) { return 2; }"],
            ],
        );
        // Calls of `malloc` from within the library go to the program's.
        check_with_library(
            &[
                "int malloc(void) { return 0; } int main(void) { return f(); }",
                "int f(void) { return g() + malloc(); } int g(void) { return 1; }",
                "int malloc(void) { return 2; }",
            ],
            1,
            &[
                &["int malloc(void) { return 0; }", "int main(void) { return f(); }"],
                &[f, "int g(void) { return 1; }"],
                &[],
            ],
        );
    }

    #[test]
    fn constructors_and_aliases_count() {
        check(
            &["int real(void) { return 1; } int other(void) __attribute__((alias(\"real\")));
               __attribute__((constructor)) void early(void) { } int main(void) { return other(); }"],
            &[&[
                "int real(void) { return 1; }",
                "int other(void) __attribute__((alias(\"real\")));",
                "__attribute__((constructor)) void early(void) { }",
                "int main(void) { return other(); }",
            ]],
        );
    }

    #[test]
    fn what_runs_at_the_end_counts() {
        check(
            &["[[gnu::destructor]] void late(void) { } static void f(void) { }
               __attribute__((section(\".fini_array\"))) void (*p)(void) = f; int main(void) { }"],
            &[&[
                "[[gnu::destructor]] void late(void) { }",
                "static void f(void) { }",
                "__attribute__((section(\".fini_array\"))) void (*p)(void) = f;",
                "int main(void) { }",
            ]],
        );
    }

    #[test]
    fn symbols_with_another_name_are_found() {
        let main = "int bar(void); int main(void) { return bar(); }";
        check(
            &[main, "int foo(void) __asm__(\"bar\"); int foo(void) { return 4; } int other;"],
            &[
                &["int bar(void);", "int main(void) { return bar(); }"],
                &["int foo(void) __asm__(\"bar\");", "int foo(void) { return 4; }"],
            ],
        );
        check(
            &["#pragma redefine_extname ali real\nint ali(void); int real(void) { return 3; }
               int main(void) { return ali(); }"],
            &[&["int ali(void);", "int real(void) { return 3; }", "int main(void) { return ali(); }"]],
        );
    }
}
