//! Symbols of compiled objects: which units a function needs, and which members of an archive nobody saw compiled.

use super::{Capture, Library, Unit};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Which symbols units define and need, read from their objects.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// For each unit: what it needs from others. `None` if its object can't be read.
    needs: Vec<Option<Vec<String>>>,
    /// The units that define a symbol, the first that the linker meets first.
    defined: BTreeMap<String, Vec<usize>>,
}

impl Symbols {
    /// Reads the objects of all units.
    pub fn read(capture: &Capture) -> Symbols {
        let mut symbols = Symbols::default();
        for (i, unit) in capture.units.iter().enumerate() {
            symbols.needs.push(symbols_of(unit).map(|(defined, needed)| {
                for name in defined {
                    symbols.defined.entry(name).or_default().push(i);
                }
                needed
            }));
        }
        symbols
    }

    /// The units that are needed for functions with these names, directly or not, ascending. Units whose objects
    /// can't be read are always needed.
    pub fn needed(&self, names: impl IntoIterator<Item = String>) -> Vec<usize> {
        let unreadable = (0..self.needs.len()).filter(|&i| self.needs[i].is_none());
        let mut found: BTreeSet<usize> = unreadable.collect();
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<String> = names.into_iter().collect();
        while let Some(name) = waiting.pop() {
            let unit = self.defined.get(&name).and_then(|units| units.first());
            if let Some(&unit) = unit
                && found.insert(unit)
            {
                waiting
                    .extend(self.needs[unit].iter().flatten().filter(|n| seen.insert((*n).clone())).cloned());
            }
        }
        found.into_iter().collect()
    }

    /// Whether a unit defines a function or variable.
    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    /// The units that define a symbol.
    pub fn definitions(&self, name: &str) -> &[usize] {
        self.defined.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Defined and needed global symbols.
fn symbols_of(unit: &Unit) -> Option<(Vec<String>, Vec<String>)> {
    let bytes = std::fs::read(unit.object.as_ref()?).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let (mut defined, mut needed) = (Vec::new(), Vec::new());
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        // Mach-O puts an underscore before C names.
        let name = match file.format() {
            object::BinaryFormat::MachO => name.strip_prefix('_').unwrap_or(name),
            _ => name,
        };
        if name.is_empty() {
            continue;
        }
        if symbol.is_undefined() {
            needed.push(name.to_owned());
        } else if symbol.is_global() {
            defined.push(name.to_owned());
        }
    }
    // Objects for link-time optimisation hide their symbols from us.
    (!defined.is_empty() || !needed.is_empty()).then_some((defined, needed))
}

/// A static library, searched for as the linker does.
pub fn library(name: &str, paths: &[String]) -> Library {
    let folders = paths.iter().map(|p| p.split_once('=').map_or(p.as_str(), |(_, folder)| folder));
    let archive = folders.map(|f| Path::new(f).join(format!("lib{name}.a"))).find(|file| file.is_file());
    let members = archive.as_deref().map(members).unwrap_or_default();
    Library { name: name.to_owned(), archive, members: members.len(), unseen: members }
}

/// The names of the objects in an archive.
fn members(archive: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(archive) else { return Vec::new() };
    let Ok(archive) = ArchiveFile::parse(&*bytes) else { return Vec::new() };
    let names = archive.members().flatten();
    names.map(|member| String::from_utf8_lossy(member.name()).into_owned()).collect()
}

/// Takes the members out of `unseen` whose compilation was seen.
pub fn compare(library: &mut Library, objects: &[&Path]) {
    let names: BTreeSet<_> =
        objects.iter().filter_map(|o| o.file_name()).map(|n| n.to_string_lossy()).collect();
    library.unseen.retain(|member| !names.contains(&std::borrow::Cow::from(member.as_str())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn compile(folder: &Path, name: &str, text: &str) -> Unit {
        let (file, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.o")));
        std::fs::write(&file, text).expect("a file");
        let status = Command::new("cc").arg("-c").arg(&file).arg("-o").arg(&object).status();
        assert!(status.expect("a compiler").success());
        Unit {
            file,
            directory: folder.to_owned(),
            compiler: "cc".into(),
            arguments: Vec::new(),
            package: "p".into(),
            object: Some(object),
        }
    }

    #[test]
    fn what_a_function_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let a = compile(folder.path(), "a", "int b(void); int a(void) { return b(); }");
        let b = compile(folder.path(), "b", "int b(void) { return 1; }");
        let c = compile(folder.path(), "c", "int a(void); int c(void) { return a(); }");
        let capture = Capture { units: vec![a, b, c], ..Capture::default() };
        let symbols = Symbols::read(&capture);
        let needed = |name: &str| symbols.needed([name.to_owned()]);
        assert_eq!(needed("a"), [0, 1]);
        assert_eq!(needed("b"), [1]);
        assert_eq!(needed("c"), [0, 1, 2]);
        assert_eq!(needed("puts"), Vec::<usize>::new());
        assert!(symbols.defines("c") && !symbols.defines("puts"));
    }

    #[test]
    fn archives_are_compared_with_what_was_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let a = compile(folder.path(), "a", "int a;").object.expect("an object");
        let b = compile(folder.path(), "b", "int b;").object.expect("an object");
        let archive = folder.path().join("libx.a");
        let status = Command::new("ar").arg("cr").arg(&archive).args([&a, &b]).status();
        assert!(status.expect("an archiver").success());
        let mut found = library("x", &[format!("native={}", folder.path().display())]);
        assert_eq!((found.members, found.archive.as_deref()), (2, Some(archive.as_path())));
        compare(&mut found, &[&a]);
        assert_eq!(found.unseen, ["b.o"]);
        assert_eq!(library("nowhere", &[]).archive, None);
    }
}
