//! `cargo tour init`: the dev-dependency, a first harness, and `tour.toml`.
//!
//! What is written into a manifest names a package of ours: by a path, or by a version of the registry whose checksum is that
//! of the package that this command was released with. Anybody can publish under any name that is free.

use crate::exit::Exit;
use crate::packages::InitArgs;
use crate::term::{print_error, print_line};
use std::path::{Path, PathBuf};
use std::process::Command;
use tour::capture;
use tour::protocol::write_atomically;

/// Where the harnesses go.
const HARNESSES: &str = "tests/harnesses.rs";

const SETTINGS: &str = r#"# Settings of `cargo tour verify`. All can be left out; the command line is stronger.

[profile.default]
timeout = "5m"

# `cargo tour verify --profile ci`
[profile.ci]
timeout = "15m"
"#;

/// Adds what is missing, and leaves what is there.
pub fn run(args: InitArgs) -> Exit {
    match init(&args) {
        Ok(()) => Exit::Success,
        Err(message) => {
            print_error(format_args!("error: {message}"));
            Exit::Usage
        }
    }
}

/// The package, and the name of its library.
const PACKAGE: &str = "tour-verify";
const LIBRARY: &str = "tour";

/// The checksum of the package in the registry: set by the script that releases this command.
pub const CHECKSUM: Option<&str> = option_env!("TOUR_VERIFY_CHECKSUM");

fn init(args: &InitArgs) -> Result<(), String> {
    let folder = args.manifest_path.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let places = capture::locate(folder).map_err(|error| format!("{error}; {}", error.help()))?;
    let manifest = places.package.join("Cargo.toml");
    let table = read(&manifest)?;
    let Some(name) = table.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str()) else {
        return Err(format!(
            "`{}` has no package; go to one, or name it with --manifest-path",
            manifest.display()
        ));
    };
    match known(&table) {
        Some(key) => print_line(format_args!("   {key} is a dev-dependency already")),
        None => {
            add_dependency(&manifest, &read(&places.workspace.join("Cargo.toml"))?, args.path.as_deref())?
        }
    }
    let library = table.contains_key("lib") || places.package.join("src/lib.rs").is_file();
    let library = library.then(|| {
        let named = table.get("lib").and_then(|l| l.get("name")).and_then(|n| n.as_str());
        named.unwrap_or(name).replace('-', "_")
    });
    create(&places.package.join(HARNESSES), &harnesses(library.as_deref()))?;
    create(&places.workspace.join(tour::config::FILE), SETTINGS)?;
    print_line("   Next: say what your C does in tests/harnesses.rs, then run `cargo tour verify`");
    Ok(())
}

fn read(manifest: &Path) -> Result<toml::Table, String> {
    let text = std::fs::read_to_string(manifest)
        .map_err(|e| format!("cannot read `{}`: {e}", manifest.display()))?;
    text.parse().map_err(|e: toml::de::Error| format!("`{}`: {}", manifest.display(), e.message()))
}

/// The key of our package in a table of dependencies.
fn key_of(dependencies: Option<&toml::Value>) -> Option<String> {
    let named = |(key, value): (&String, &toml::Value)| {
        let package = value.get("package").and_then(|package| package.as_str()).unwrap_or(key);
        (package == PACKAGE).then(|| key.clone())
    };
    dependencies?.as_table()?.iter().find_map(named)
}

/// The key under which a package depends on us already.
fn known(manifest: &toml::Table) -> Option<String> {
    ["dev-dependencies", "dependencies"].iter().find_map(|table| key_of(manifest.get(*table)))
}

/// Cargo knows best how to change a manifest.
fn add_dependency(manifest: &Path, workspace: &toml::Table, path: Option<&Path>) -> Result<(), String> {
    let inherited = key_of(workspace.get("workspace").and_then(|w| w.get("dependencies")));
    let added = match (inherited, path.map(Path::to_owned).or_else(checkout)) {
        // The workspace has it: its members inherit it, as `cargo add` sees by itself.
        (Some(key), None) => vec![key.into()],
        (Some(key), Some(_)) if path.is_none() => vec![key.into()],
        (_, Some(checkout)) => {
            let checkout = std::path::absolute(&checkout).unwrap_or(checkout);
            let library = [checkout.join(LIBRARY), checkout.clone()]
                .into_iter()
                .find(|folder| is_ours(folder))
                .ok_or_else(|| format!("`{}` has no package {PACKAGE}", checkout.display()))?;
            vec![PACKAGE.into(), "--path".into(), library.into_os_string()]
        }
        (None, None) => vec![released()?.into()],
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["add", "--quiet", "--dev", "--manifest-path"]).arg(manifest).args(&added);
    let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cargo could not add the dev-dependency: {}\n`cargo tour init --path FOLDER` takes it from a checkout",
            printed.trim().trim_start_matches("error: ")
        ));
    }
    print_line(format_args!("     Added the dev-dependency `{PACKAGE}` to {}", manifest.display()));
    Ok(())
}

/// A folder has our package in it.
fn is_ours(folder: &Path) -> bool {
    let table = read(&folder.join("Cargo.toml")).unwrap_or_default();
    table.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str()) == Some(PACKAGE)
}

/// The checkout that this command was built from, if it is still there: the library in it has the same version.
pub fn checkout() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    is_ours(&checkout.join(LIBRARY)).then(|| checkout.to_owned())
}

/// The version of the registry that was released with this command, if it is that package and no other of its name.
fn released() -> Result<String, String> {
    let version = tour::VERSION;
    let help = "`cargo tour init --path FOLDER` takes the dev-dependency from a checkout of tour";
    let Some(checksum) = CHECKSUM else {
        return Err(format!(
            "this command was not made by a release, and knows no {PACKAGE} of the registry\n{help}"
        ));
    };
    let found =
        published(version).map_err(|why| format!("cannot look up {PACKAGE} {version}: {why}\n{help}"))?;
    match found == checksum {
        true => Ok(format!("{PACKAGE}@={version}")),
        false => Err(format!(
            "{PACKAGE} {version} in the registry is not the package that this command was released with\n{help}"
        )),
    }
}

/// The checksum of a version in the registry: cargo writes it into the lock file of a package that depends on it.
fn published(version: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write = |name: &str, text: String| {
        write_atomically(&folder.path().join(name), text.as_bytes()).map_err(|error| error.to_string())
    };
    let manifest = format!(
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
         {PACKAGE} = {{ version = \"={version}\", default-features = false }}\n"
    );
    write("Cargo.toml", manifest)?;
    write("src/lib.rs", String::new())?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Nothing of the package is compiled or run.
    command.args(["generate-lockfile", "--quiet"]).current_dir(folder.path());
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let lock = read(&folder.path().join("Cargo.lock"))?;
    let packages = lock.get("package").and_then(|p| p.as_array()).into_iter().flatten();
    packages
        .filter(|package| package.get("name").and_then(|n| n.as_str()) == Some(PACKAGE))
        .find_map(|package| Some(package.get("checksum")?.as_str()?.to_owned()))
        .ok_or_else(|| "the registry gives no checksum".into())
}

fn create(path: &Path, text: &str) -> Result<(), String> {
    if path.exists() {
        print_line(format_args!("      Kept {}", path.display()));
        return Ok(());
    }
    write_atomically(path, text.as_bytes()).map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
    print_line(format_args!("   Created {}", path.display()));
    Ok(())
}

fn harnesses(library: Option<&str>) -> String {
    // Without a use of the library, its C would not be linked into the test.
    let link = library.map_or(String::new(), |name| format!("use {name} as _;\n"));
    format!(
        r#"//! Claims about the C of this package. `cargo tour verify` or plain `cargo test` checks each for all inputs at once.

{link}use tour::{{assume, verify}};

// Declare the C functions that you want to say something about, as in C:
//
// unsafe extern "C" {{
//     fn checksum(data: *const u8, len: usize) -> u32;
// }}

/// The parameters are the inputs: any values that satisfy the assumptions.
#[verify]
fn halving_makes_smaller(x: u32) {{
    assume(x > 0);
    assert!(x / 2 < x);
}}
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_known_by_any_key() {
        let known = |text: &str| known(&text.parse().expect("a manifest"));
        assert_eq!(known("[dev-dependencies]\ntour-verify = \"1\""), Some("tour-verify".into()));
        assert_eq!(known("[dev-dependencies]\ntour-verify.workspace = true"), Some("tour-verify".into()));
        assert_eq!(
            known("[dev-dependencies]\ntour = { package = \"tour-verify\", path = \"x\" }"),
            Some("tour".into())
        );
        assert_eq!(known("[dependencies.tour-verify]\nversion = \"1\""), Some("tour-verify".into()));
        // Of this name there is another package.
        assert_eq!(known("[dev-dependencies]\ntour = \"0.1\""), None);
    }

    #[test]
    fn a_checkout_is_ours_by_the_name_of_its_package() {
        assert!(checkout().is_some());
        assert!(!is_ours(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(!is_ours(Path::new("/nowhere")));
    }

    #[test]
    fn the_first_harness_is_rust_and_links_the_library() {
        let text = harnesses(Some("demo"));
        assert!(syn::parse_file(&text).is_ok() && text.contains("use demo as _;"));
        assert!(!harnesses(None).contains("as _"));
        assert!(tour::config::Config::parse(Path::new("tour.toml"), SETTINGS).is_ok());
    }
}
