//! Where a harness begins when its test runs.

use super::describe::Description;
use super::{native, render, replay, verify};
use std::io::Write;
use std::path::Path;
use tour_protocol::protocol::{Action, REQUEST, Request, write_json};
use tour_protocol::result::{ClaimResult, Status};

/// The request that this process was started with.
fn request() -> Option<Result<Request, String>> {
    let path = std::env::var_os(REQUEST)?;
    let path = Path::new(&path);
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let read = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    Some(read.map_err(|error| format!("cannot read the request `{}`: {error}", path.display())))
}

/// Before `main`: says that the harness is there, if that is asked for.
#[doc(hidden)]
pub fn announce(description: &'static Description) {
    let Some(Ok(Request { action: Action::List, result: Some(result), .. })) = request() else { return };
    let Ok(mut line) = serde_json::to_vec(&description.harness()) else { return };
    line.push(b'\n');
    // One write a line; who asked sees what is missing.
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(result) {
        let _ = file.write_all(&line);
    }
}

/// The body of the test that a harness is.
#[doc(hidden)]
#[track_caller]
pub fn run(description: &'static Description, body: impl FnOnce()) {
    let name = description.name();
    match request() {
        None => plain(description),
        Some(Err(error)) => panic!("{error}"),
        Some(Ok(request)) if request.harness != name => {}
        Some(Ok(request)) => match request.action {
            Action::List => {}
            Action::Replay => native::replay(&request.inputs, request.result, body),
            Action::Verify => {
                let result = complete(description, &request);
                if let Some(path) = &request.result
                    && let Err(error) = write_json(path, &result)
                {
                    panic!("cannot write the result `{}`: {error}", path.display());
                }
            }
        },
    }
}

/// Verifies, and runs a violation natively.
fn complete(description: &'static Description, request: &Request) -> ClaimResult {
    let mut result = verify::verify(description, request);
    if !request.no_replay {
        replay::confirm(&mut result, request);
    }
    verify::expect(&mut result);
    result
}

/// Under plain `cargo test`: passes, or panics with what was found.
#[track_caller]
fn plain(description: &'static Description) {
    let result = complete(description, &Request::new(Action::Verify, description.name()));
    if description.should_panic {
        // The test must panic if, and only if, the harness is violated: no answer is no panic.
        if !result.violations.is_empty() {
            fail(render::text(&result));
        }
        eprintln!("{}", render::text(&result));
    } else if result.status != Status::Proved {
        fail(render::text(&result));
    }
}

/// The test fails with a text of its own, without a panic message around it.
fn fail(text: String) -> ! {
    eprintln!("{text}");
    std::panic::resume_unwind(Box::new(text))
}
