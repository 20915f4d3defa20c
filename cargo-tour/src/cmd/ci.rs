//! `cargo tour ci`: what a CI service runs so that everything is proved, as a workflow or as a script.

use crate::cmd::init::{CHECKSUM, checkout};
use crate::exit::Exit;
use crate::packages::{CiArgs, Service};
use crate::term::{print_error, print_line};
use std::path::Path;
use std::process::Command;
use tour::capture;
use tour::config::Config;

/// The profile of `tour.toml` that `cargo tour init` writes for this.
const PROFILE: &str = "ci";

/// Prints it.
pub fn run(args: &CiArgs) -> Exit {
    match install(args.git.as_deref()) {
        Ok(install) => {
            let has_profile = has_profile(&args.folder());
            let text = match args.service {
                Service::Github => github(&install, has_profile),
                Service::Shell => shell(&install, has_profile),
            };
            print_line(text.trim_end());
            Exit::Success
        }
        Err(message) => {
            print_error(format_args!("error: {message}"));
            Exit::Usage
        }
    }
}

/// `tour.toml` has a profile for CI.
fn has_profile(folder: &Path) -> bool {
    let config = capture::locate(folder).ok().map(|places| Config::find(&places.package, &places.workspace));
    config.and_then(Result::ok).is_some_and(|config| config.profiles.contains_key(PROFILE))
}

/// The commands that install this very version.
fn install(git: Option<&str>) -> Result<Vec<String>, String> {
    let version = tour::VERSION;
    if git.is_none() && CHECKSUM.is_some() && checkout().is_none() {
        // Nothing else needs to be there then.
        return Ok(vec![format!("cargo install --locked --features vendored cargo-tour@={version}")]);
    }
    let known = checkout().and_then(|folder| {
        let say = |args: &[&str]| {
            let output = Command::new("git").arg("-C").arg(&folder).args(args).output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        Some((say(&["remote", "get-url", "origin"]), say(&["rev-parse", "HEAD"])?))
    });
    let (origin, revision) = known.map_or((None, None), |(origin, revision)| (origin, Some(revision)));
    let address = match git {
        Some(given) => public(given)
            .ok_or_else(|| format!("`{given}` is no address of a repository, as in https://HOST/tour.git"))?,
        None => origin.as_deref().and_then(public).ok_or(
            "this command was not made by a release, and its checkout has no public address\n\
             help: `cargo tour ci --git URL` names the repository of tour to install it from",
        )?,
    };
    let mut lines =
        vec!["source=$(mktemp -d)".to_owned(), format!("git clone --quiet {address} \"$source\"")];
    if let Some(revision) = revision {
        lines.push(format!("git -C \"$source\" checkout --quiet {revision}"));
    }
    lines.push("\"$source/setup\" deps".into());
    lines.push("cargo install --locked --path \"$source/cargo-tour\"".into());
    Ok(lines)
}

/// An address that others can use, without names and passwords, and that means the same to a shell.
fn public(address: &str) -> Option<String> {
    let (scheme, rest) =
        address.split_once("://").filter(|(scheme, _)| ["https", "http"].contains(scheme))?;
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._~-/:".contains(c);
    let is_plain = !host.is_empty() && host.chars().chain(path.chars()).all(plain);
    is_plain.then(|| format!("{scheme}://{host}/{path}"))
}

/// Lines of a script, each behind blanks.
fn indented(lines: &[String], blanks: usize) -> String {
    lines.iter().map(|line| format!("{:blanks$}{line}\n", "")).collect()
}

fn shell(install: &[String], has_profile: bool) -> String {
    let profile = if has_profile { format!("export TOUR_PROFILE={PROFILE}\n") } else { String::new() };
    let install = indented(install, 4);
    format!(
        "#!/bin/sh\n\
         # Proves the harnesses of this workspace. Keep target/tour from one run to the next: what did not change is not\n\
         # proved again. Made by `cargo tour ci shell`.\n\
         set -eu\n\
         # Being tested with random inputs is not enough.\n\
         export TOUR_REQUIRE_PROOF=1\n\
         {profile}\
         if ! command -v cargo-tour > /dev/null; then\n\
         {install}\
         fi\n\
         cargo tour verify --workspace --sarif tour.sarif --junit tour.xml\n\
         cargo test --workspace\n"
    )
}

fn github(install: &[String], has_profile: bool) -> String {
    let profile = if has_profile { format!("      TOUR_PROFILE: {PROFILE}\n") } else { String::new() };
    let (install, version) = (indented(install, 12), tour::VERSION);
    format!(
        r#"# Proves the harnesses of this workspace, and shows findings in code scanning. Made by `cargo tour ci github`, for
# .github/workflows/tour.yml.
name: tour
on: [push, pull_request]
permissions:
  contents: read
  security-events: write
jobs:
  verify:
    runs-on: ubuntu-latest
    env:
      # Being tested with random inputs is not enough.
      TOUR_REQUIRE_PROOF: "1"
{profile}    steps:
      - uses: actions/checkout@v4
      - name: Keep the command
        uses: actions/cache@v4
        with:
          path: ~/.cargo/bin/cargo-tour
          key: cargo-tour-{version}-${{{{ runner.os }}}}
      - name: Keep results
        uses: actions/cache@v4
        with:
          path: target/tour
          key: tour-${{{{ runner.os }}}}-${{{{ github.sha }}}}
          restore-keys: |
            tour-${{{{ runner.os }}}}-
      - name: Install
        run: |
          if ! command -v cargo-tour > /dev/null; then
{install}          fi
      - name: Verify
        run: |
          cargo tour verify --workspace --sarif tour.sarif --junit tour.xml
      - name: Test
        run: |
          cargo test --workspace
      - name: Upload the findings
        if: ${{{{ !cancelled() }}}}
        uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: tour.sarif
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_secrets_and_no_commands() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(public(address).as_deref(), expected, "{address}");
        };
        check("https://example.org/a/tour.git", Some("https://example.org/a/tour.git"));
        check("https://me:secret@example.org/tour", Some("https://example.org/tour"));
        check("https://example.org/$(rm)/tour", None);
        check("https://example.org/a b", None);
        check("file:///home/me/tour", None);
        check("/home/me/tour", None);
        check("https:///tour", None);
    }

    #[test]
    fn a_script_takes_the_profile_if_there_is_one() {
        let install = ["cargo install tour".to_owned()];
        assert!(shell(&install, true).contains("export TOUR_PROFILE=ci\n"));
        assert!(!shell(&install, false).contains("TOUR_PROFILE"));
        assert!(github(&install, true).contains("      TOUR_PROFILE: ci\n    steps:"));
        assert!(!github(&install, false).contains("TOUR_PROFILE"));
    }
}
