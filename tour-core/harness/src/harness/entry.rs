//! A request about a harness, answered.

use super::{render, replay, verify as verification};
use tour_capture::capture;
use tour_capture::config::{Config, HarnessOptions, PROFILE_VARIABLE, strongest};
use tour_protocol::protocol::{Answer, Header, Request, compatible};
use tour_protocol::result::{ClaimResult, Harness};

/// Verifies a harness, and runs a violation natively.
pub fn verify(harness: &Harness, request: &Request) -> ClaimResult {
    let mut result = verification::verify(harness, request);
    if !request.no_replay {
        replay::confirm(&mut result, request);
    }
    verification::expect(&mut result);
    result
}

/// Verifies the harness that a test asks for, in this very process: an [`Answer`] as JSON.
pub fn answer(request: &str) -> String {
    let answer = read(request).and_then(|mut request| {
        let harness = request.description.take().ok_or("the request describes no harness")?;
        let profile = std::env::var(PROFILE_VARIABLE).ok().filter(|name| !name.is_empty());
        let result = verify(&harness, &settled(request, &harness, profile.as_deref())?);
        Ok(Answer::of(&result, render::text(&result)))
    });
    let answer = answer.unwrap_or_else(Answer::error);
    // An answer is plain data: text can always be made of it.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// A request that says what counts for a harness: what `tour.toml` says, as for the command.
fn settled(request: Request, harness: &Harness, profile: Option<&str>) -> Result<Request, String> {
    let places = capture::locate(&harness.manifest_dir).map_err(|e| format!("{e}\nhelp: {}", e.help()))?;
    let config = Config::find(&places.package, &places.workspace).map_err(|error| error.to_string())?;
    let profile = config.chosen(profile)?;
    let nothing = HarnessOptions::default();
    Ok(strongest(&nothing, harness, &profile.overrides, &profile.options).ask(request))
}

fn read(text: &str) -> Result<Request, String> {
    let header: Header =
        serde_json::from_str(text).map_err(|error| format!("the request is not one: {error}"))?;
    compatible(&header, "the test executable")?;
    serde_json::from_str(text).map_err(|error| format!("the request is not one: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_protocol::protocol::Action;

    #[test]
    fn the_engine_in_a_test_reads_the_same_settings_as_the_command() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write("Cargo.toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        let harness = |timeout| Harness {
            name: "ring::pop".into(),
            package: "demo".into(),
            manifest_dir: folder.path().to_owned(),
            timeout,
            ..Harness::default()
        };
        let ask = |timeout, profile| {
            let harness = harness(timeout);
            settled(Request::new(Action::Answer, "ring::pop"), &harness, profile)
        };
        assert_eq!(ask(None, None).expect("a request").timeout, None);
        write(
            "tour.toml",
            "[profile.default]\ntimeout = \"20s\"\n\
             [[profile.default.override]]\nharness = \"ring::*\"\nanalysis = \"bmc\"\n\
             [profile.ci]\ntimeout = \"30s\"\nproperties = [\"memory-safety\"]\n",
        );
        let default = ask(None, None).expect("a request");
        assert_eq!((default.timeout, default.engine.analysis.as_deref()), (Some(20.0), Some("bmc")));
        let ci = ask(None, Some("ci")).expect("a request");
        assert_eq!((ci.timeout, ci.properties), (Some(30.0), vec!["memory-safety".to_owned()]));
        assert_eq!(
            ask(Some(5.0), Some("ci")).expect("a request").timeout,
            Some(5.0),
            "`#[verify]` is nearer"
        );
        let error = ask(None, Some("nightly")).expect_err("no such profile");
        assert_eq!(error, "there is no profile `nightly` in tour.toml (there are: ci, default)");
        write("tour.toml", "[profile.ci]\ntimeout = \"soon\"\n");
        assert!(ask(None, None).expect_err("no settings").contains("tour.toml:2:11: `soon` is no time"));
    }
}
