//! `cargo-tour tour answer REQUEST`: whether a harness holds. Its test asks this under plain `cargo test`; the answer is that of
//! `cargo tour verify`, from the same cache.

use super::verify::cache::Cache;
use super::verify::harnesses::Item;
use super::verify::schedule::{self, Places};
use super::verify::show::Show;
use super::verify::{Asked, Refused, settings};
use crate::exit::Exit;
use crate::packages::Messages;
use crate::term::{Term, print_error};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tour::capture::{self, Executable, cargo_flags};
use tour::harness::render;
use tour::protocol::{Answer, Header, Request, compatible, write_json};
use tour::visible::visible_in;

/// The environment variable that names a profile of tour.toml.
const PROFILE: &str = "TOUR_PROFILE";

/// Answers. The answer goes to where the request says, whatever it is.
pub fn run(request: &Path) -> Exit {
    let refuse = |why: String| {
        print_error(format_args!("error: {why}"));
        Exit::Usage
    };
    let text = match std::fs::read(request) {
        Ok(text) => text,
        Err(error) => return refuse(format!("cannot read `{}`: {error}", request.display())),
    };
    let header: Header = match serde_json::from_slice(&text) {
        Ok(header) => header,
        Err(error) => return refuse(format!("`{}` is no request: {error}", request.display())),
    };
    let Some(path) = header.result.clone() else {
        return refuse("the request names no file for the answer".into());
    };
    let answer = compatible(&header, "the test").and_then(|()| answer(&text));
    match write_json(&path, &answer.unwrap_or_else(Answer::error)) {
        Ok(()) => Exit::Success,
        Err(error) => refuse(format!("cannot write `{}`: {error}", path.display())),
    }
}

fn answer(request: &[u8]) -> Result<Answer, String> {
    let request: Request =
        serde_json::from_slice(request).map_err(|error| format!("the request can't be read: {error}"))?;
    let harness = *request.description.ok_or("the request describes no harness")?;
    let program = request.executable.ok_or("the request names no test executable")?;
    let asked =
        Asked { profile: std::env::var(PROFILE).ok().filter(|name| !name.is_empty()), ..Asked::default() };
    let settings = settings(&harness.manifest_dir, asked).map_err(|refused| refused.to_string())?;
    let options = capture::Options {
        manifest_dir: harness.manifest_dir.clone(),
        cargo: cargo_flags(&program),
        ..capture::Options::default()
    };
    let captured = capture::capture(&options).map_err(|error| Refused::Capture(error).to_string())?;
    let (kind, target) = harness.target.split_once(' ').unwrap_or(("lib", &harness.target));
    let executable = Executable {
        path: program,
        package: harness.package.clone(),
        manifest_dir: harness.manifest_dir.clone(),
        target: target.to_owned(),
        kind: kind.to_owned(),
        source: harness.file.clone(),
    };
    let item = Item { harness, executable };
    let cache = Cache::new(&captured.capture, &Term::silent());
    let reading = cache.read(&item, &settings.request(&item));
    let result = match reading.as_ref().and_then(|reading| cache.get(&item, reading)) {
        Some(result) => result,
        None => {
            let places = Places { capture: &captured.file, tour: &captured.capture.directory };
            let show = Show::new(Term::silent(), Messages::Json, &[]);
            let kept = reading.as_ref().map(|reading| (&cache, reading));
            schedule::one(&item, &settings, &places, kept, &AtomicBool::new(false), &show)
        }
    };
    let result = visible_in(&result);
    Ok(Answer::of(&result, render::text(&result)))
}
