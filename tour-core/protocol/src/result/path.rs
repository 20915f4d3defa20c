//! Paths as people read them.

use std::path::{Path, PathBuf};

/// A path relative to `base`, if it lies below.
pub fn shown(path: &Path, base: &Path) -> PathBuf {
    path.strip_prefix(base).unwrap_or(path).to_owned()
}

/// A path in few words: relative to `base`, or, where Cargo keeps the sources of other packages, from the package on.
pub fn brief(path: &Path, base: &Path) -> PathBuf {
    let path = shown(path, base);
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("")).collect();
    // `registry/src/INDEX/PACKAGE` and `git/checkouts/REPOSITORY`
    let package = parts.windows(2).enumerate().find_map(|(at, two)| match two {
        ["registry", "src"] => Some(at + 3),
        ["git", "checkouts"] => Some(at + 2),
        _ => None,
    });
    match package {
        Some(package) if path.is_absolute() && package + 1 < parts.len() => parts[package..].iter().collect(),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_other_packages_are_named_by_the_package() {
        let check = |path: &str, expected: &str| {
            assert_eq!(brief(Path::new(path), Path::new("/home/me/demo")), Path::new(expected));
        };
        check("/home/me/demo/csrc/ring.c", "csrc/ring.c");
        check(
            "/home/me/.cargo/registry/src/index-1949/lz4-sys-1.11.1/liblz4/lz4.c",
            "lz4-sys-1.11.1/liblz4/lz4.c",
        );
        check("/home/me/.cargo/git/checkouts/ring-12ab/34cd/ring.c", "ring-12ab/34cd/ring.c");
        check("/home/me/registry/src/ring.c", "/home/me/registry/src/ring.c");
    }
}
