//! Where the test that a harness is begins.

use crate::describe::Description;
use crate::protocol::{self, Request};
use crate::{command, inputs, sampling};

/// Before `main`: says that the harness is there, if that is asked for.
pub fn announce(description: &'static Description) {
    let Some(Ok(Request::List { result })) = Request::of_this_process() else { return };
    // Who asked sees what is missing.
    let _ = protocol::append(&result, &description.to_json().to_string());
}

/// The body of the test that a harness is.
#[track_caller]
pub fn run(description: &'static Description, body: impl Fn()) {
    let name = description.name();
    match Request::of_this_process() {
        None => plain(description),
        Some(Err(error)) => panic!("{error}"),
        Some(Ok(Request::Replay { harness, inputs, result })) if harness == name => {
            inputs::replay(inputs, result, body);
        }
        Some(Ok(Request::Sample { harness, plan })) if harness == name => sampling::child::run(&plan, body),
        Some(Ok(_)) => {}
    }
}

/// What became of a harness under plain `cargo test`.
pub(crate) struct Answer {
    /// It is proved, or fails as it should.
    pub(crate) is_proved: bool,
    /// For people.
    pub(crate) text: String,
}

/// Under plain `cargo test`: passes, or panics with what was found.
fn plain(description: &'static Description) {
    match verdict(description) {
        Some(Err(error)) => refuse(description, format!("{}: {error}", description.name())),
        Some(Ok(answer)) => judge(description, answer),
        None if must_be_proved() => {
            let text = format!(
                "{} is not proved: TOUR_REQUIRE_PROOF is set, and `cargo-tour` was not found\n\
                 help: {}, or name it in the environment variable TOUR",
                description.name(),
                command::INSTALL
            );
            refuse(description, text);
        }
        None => sampling::test(description),
    }
}

#[cfg(feature = "engine")]
fn verdict(description: &'static Description) -> Option<Result<Answer, String>> {
    Some(crate::engine::ask(description))
}

#[cfg(not(feature = "engine"))]
fn verdict(description: &'static Description) -> Option<Result<Answer, String>> {
    match command::find() {
        Ok(found) => found.map(|command| command::ask(&command, description)),
        Err(error) => Some(Err(error)),
    }
}

fn must_be_proved() -> bool {
    std::env::var_os("TOUR_REQUIRE_PROOF").is_some_and(|value| !value.is_empty() && value != "0")
}

fn judge(description: &Description, answer: Answer) {
    match (description.should_panic, answer.is_proved) {
        // It fails as it should: libtest looks for what `expected` says in the text.
        (true, true) => fail(answer.text),
        (true, false) | (false, false) => refuse(description, answer.text),
        (false, true) => {}
    }
}

/// The test fails. One that should panic fails by not panicking: an error is not the panic that it waits for.
pub(crate) fn refuse(description: &Description, text: String) {
    if !description.should_panic {
        fail(text);
    }
    eprintln!("{text}");
}

/// The test fails with a text of its own, without a panic message around it.
pub(crate) fn fail(text: String) -> ! {
    eprintln!("{text}");
    std::panic::resume_unwind(Box::new(text))
}
