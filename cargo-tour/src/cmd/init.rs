//! `cargo tour init`: the dev-dependency, a first harness, and `tour.toml`.

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

fn init(args: &InitArgs) -> Result<(), String> {
    let folder = args.manifest_path.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
    let places = capture::locate(folder).map_err(|error| format!("{error}; {}", error.help()))?;
    let manifest = places.package.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)
        .map_err(|e| format!("cannot read `{}`: {e}", manifest.display()))?;
    let table: toml::Table =
        text.parse().map_err(|e: toml::de::Error| format!("`{}`: {}", manifest.display(), e.message()))?;
    let Some(name) = table.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str()) else {
        return Err(format!(
            "`{}` has no package; go to one, or name it with --manifest-path",
            manifest.display()
        ));
    };
    let known = table.get("dev-dependencies").is_some_and(|d| d.get("tour").is_some());
    if known {
        print_line("   tour is a dev-dependency already");
    } else {
        add_dependency(&manifest, args.path.as_deref())?;
    }
    optimise_engine(&places.workspace.join("Cargo.toml"))?;
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

/// Cargo knows best how to change a manifest.
fn add_dependency(manifest: &Path, path: Option<&Path>) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["add", "--quiet", "--dev", "--rename", "tour", "--manifest-path"]).arg(manifest);
    match path.map(Path::to_owned).or_else(own_checkout) {
        Some(checkout) => {
            let checkout = std::path::absolute(&checkout).unwrap_or(checkout);
            let library =
                if checkout.join("tour-core").is_dir() { checkout.join("tour-core") } else { checkout };
            command.args(["tour-core", "--path"]).arg(library);
        }
        None => {
            command.arg(format!("tour-core@{}", tour::VERSION));
        }
    }
    let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cargo could not add the dev-dependency: {}\n`cargo tour init --path FOLDER` takes it from a checkout",
            said.trim().trim_start_matches("error: ")
        ));
    }
    print_line(format_args!("     Added the dev-dependency `tour` to {}", manifest.display()));
    Ok(())
}

/// Without optimisation `cargo test` would take long: the engine runs inside the tests. `cargo tour verify` sees to it
/// itself.
fn optimise_engine(manifest: &Path) -> Result<(), String> {
    let cannot = |why: String| format!("cannot change `{}`: {why}", manifest.display());
    let text = std::fs::read_to_string(manifest).map_err(|e| cannot(e.to_string()))?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| cannot(e.message().to_owned()))?;
    let known = |package: &str| {
        let profile = table.get("profile").and_then(|p| p.get("dev")).and_then(|d| d.get("package"));
        profile.is_some_and(|packages| packages.get(package).is_some())
    };
    let new: Vec<_> = capture::ENGINE_PROFILE.iter().filter(|(package, _)| !known(package)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut added = text.trim_end().to_owned();
    added.push_str("\n\n# tour runs inside the tests: without optimisation it is slow.\n");
    for (package, settings) in new {
        added.push_str(&format!("[profile.dev.package.{package}]\n"));
        for (key, value) in *settings {
            added.push_str(&format!("{key} = {value}\n"));
        }
    }
    // A manifest in another style (inline tables) is left as it is.
    if added.parse::<toml::Table>().is_err() {
        return Ok(());
    }
    write_atomically(manifest, added.as_bytes()).map_err(|e| cannot(e.to_string()))?;
    print_line(format_args!("     Added profiles for it to {}", manifest.display()));
    Ok(())
}

/// A command that was built from a checkout uses the library beside it: they have one version.
fn own_checkout() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    checkout.join("tour-core/Cargo.toml").is_file().then(|| checkout.to_owned())
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
    fn the_engine_is_optimised_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = folder.path().join("Cargo.toml");
        let check = |before: &str, expected: &str| {
            std::fs::write(&manifest, before).expect("a file");
            optimise_engine(&manifest).expect("it can be changed");
            let once = std::fs::read_to_string(&manifest).expect("a file");
            optimise_engine(&manifest).expect("it can be changed");
            assert_eq!(std::fs::read_to_string(&manifest).expect("a file"), once, "a second time");
            assert_eq!(once, expected);
        };
        check(
            "[package]\nname = \"a\"\n\n[profile.dev.package.lang-c]\nopt-level = 3\n",
            "[package]\nname = \"a\"\n\n[profile.dev.package.lang-c]\nopt-level = 3\n\n\
             # tour runs inside the tests: without optimisation it is slow.\n\
             [profile.dev.package.tour-protocol]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-ir]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-c]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-logic]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-model]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-interp]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-evidence]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-engine]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-report]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-capture]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.tour-harness]\nopt-level = 1\ndebug = false\n\
             [profile.dev.package.biodivine-lib-bdd]\nopt-level = 2\n",
        );
        let inline = "profile = { dev = { package = { lang-c = { opt-level = 3 } } } }\n";
        check(inline, inline);
    }

    #[test]
    fn the_first_harness_is_rust_and_links_the_library() {
        let text = harnesses(Some("demo"));
        assert!(syn::parse_file(&text).is_ok() && text.contains("use demo as _;"));
        assert!(!harnesses(None).contains("as _"));
        assert!(tour::config::Config::parse(Path::new("tour.toml"), SETTINGS).is_ok());
    }
}
