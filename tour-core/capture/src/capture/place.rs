//! The workspace and the target directory of a package, found by reading what cargo reads, because running cargo only
//! to ask costs more than a warm run should.

use super::CaptureError;
use std::path::{Path, PathBuf};
use toml::Table;

/// Where things are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The package's folder; absolute.
    pub package: PathBuf,
    /// The folder of the workspace's root manifest (the package's own without a workspace).
    pub workspace: PathBuf,
    /// `target/tour`: everything that we write is there.
    pub tour: PathBuf,
    /// Files that decide on this and on how cargo builds; some may not exist.
    pub settings: Vec<PathBuf>,
}

/// Finds the package that contains a folder.
pub fn locate(folder: &Path) -> Result<Places, CaptureError> {
    let folder = std::path::absolute(folder).map_err(CaptureError::io("read", folder))?;
    let package = folder
        .ancestors()
        .find(|f| f.join("Cargo.toml").is_file())
        .ok_or_else(|| CaptureError::NoManifest(folder.clone()))?
        .to_owned();
    let workspace = workspace(&package);
    let configs = config_files(&package);
    let target = target_directory(&workspace, &configs);
    let mut settings = configs;
    for name in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "rust-toolchain"] {
        settings.push(workspace.join(name));
    }
    Ok(Places { package, workspace, tour: target.join("tour"), settings })
}

fn read_table(path: &Path) -> Option<Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// The root of the workspace that a package is in: named by the package, or the nearest folder above whose manifest has
/// a `[workspace]` that does not exclude it.
fn workspace(package: &Path) -> PathBuf {
    let manifest = read_table(&package.join("Cargo.toml")).unwrap_or_default();
    if manifest.contains_key("workspace") {
        return package.to_owned();
    }
    let named = manifest.get("package").and_then(|p| p.get("workspace")).and_then(|w| w.as_str());
    if let Some(named) = named {
        return package.join(named);
    }
    for folder in package.ancestors().skip(1) {
        let Some(table) = read_table(&folder.join("Cargo.toml")) else { continue };
        let Some(workspace) = table.get("workspace") else { continue };
        let list = |key: &str| {
            let items = workspace.get(key).and_then(|m| m.as_array()).into_iter().flatten();
            items.filter_map(|i| i.as_str()).map(|i| folder.join(i)).collect::<Vec<_>>()
        };
        let excluded = list("exclude").iter().any(|e| package.starts_with(e));
        let member = list("members").iter().any(|m| m == package);
        if !excluded || member {
            return folder.to_owned();
        }
    }
    package.to_owned()
}

/// Cargo's configuration files for a folder, the strongest first.
fn config_files(folder: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|h| h.join(".cargo")));
    let folders = folder.ancestors().map(|f| f.join(".cargo")).chain(home);
    let mut files: Vec<PathBuf> = Vec::new();
    for file in folders.flat_map(|f| [f.join("config.toml"), f.join("config")]) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

fn target_directory(workspace: &Path, configs: &[PathBuf]) -> PathBuf {
    for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"] {
        if let Some(value) = std::env::var_os(variable).filter(|v| !v.is_empty()) {
            return std::path::absolute(&value).unwrap_or_else(|_| value.into());
        }
    }
    for file in configs {
        let table = read_table(file).unwrap_or_default();
        if let Some(folder) = table.get("build").and_then(|b| b.get("target-dir")).and_then(|t| t.as_str()) {
            // Relative to the folder that holds `.cargo`.
            let base = file.parent().and_then(Path::parent).unwrap_or(workspace);
            return base.join(folder);
        }
    }
    workspace.join("target")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], folder: &str, workspace: &str) {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let places = locate(&root.path().join(folder)).expect("a package");
        assert_eq!(places.package, root.path().join(folder.trim_end_matches("/src")), "{files:?}");
        assert_eq!(places.workspace, root.path().join(workspace), "{files:?}");
    }

    #[test]
    fn the_workspace_is_found_as_cargo_does() {
        let package = "[package]\nname = \"a\"";
        check(&[("a/Cargo.toml", package), ("a/src/lib.rs", "")], "a/src", "a");
        check(&[("a/Cargo.toml", package), ("Cargo.toml", "[workspace]\nmembers = [\"a\"]")], "a", "");
        check(&[("a/Cargo.toml", package), ("Cargo.toml", "[workspace]\nexclude = [\"a\"]")], "a", "a");
        check(&[("a/Cargo.toml", package), ("Cargo.toml", "[package]\nname = \"b\"")], "a", "a");
        check(&[("a/Cargo.toml", "[workspace]"), ("Cargo.toml", "[workspace]")], "a", "a");
    }

    #[test]
    fn no_package() {
        let root = tempfile::tempdir().expect("a folder");
        assert!(matches!(locate(root.path()), Err(CaptureError::NoManifest(_))));
    }

    #[test]
    fn a_configured_target_directory() {
        let root = tempfile::tempdir().expect("a folder");
        let config = root.path().join(".cargo/config.toml");
        std::fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
        std::fs::write(&config, "[build]\ntarget-dir = \"out\"").expect("a file");
        if std::env::var_os("CARGO_TARGET_DIR").is_none() {
            assert_eq!(target_directory(&root.path().join("x"), &[config]), root.path().join("out"));
        }
    }
}
