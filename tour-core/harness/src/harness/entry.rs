//! A request about a harness, answered.

use super::{render, replay, verify as verification};
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
    let answer = read(request).map(|request| match &request.description {
        Some(harness) => {
            let result = verify(harness, &request);
            Answer::of(&result, render::text(&result))
        }
        None => Answer::error("the request describes no harness"),
    });
    let answer = answer.unwrap_or_else(Answer::error);
    // An answer is plain data: text can always be made of it.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn read(text: &str) -> Result<Request, String> {
    let header: Header =
        serde_json::from_str(text).map_err(|error| format!("the request is not one: {error}"))?;
    compatible(&header, "the test executable")?;
    serde_json::from_str(text).map_err(|error| format!("the request is not one: {error}"))
}
