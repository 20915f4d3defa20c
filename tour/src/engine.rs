//! The verifier in this very process.

use crate::command;
use crate::describe::Description;
use crate::entry::Answer;
use crate::protocol;

/// Asks it, in the words in which the command is asked.
pub(crate) fn ask(description: &Description) -> Result<Answer, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the test executable: {error}"))?;
    let request = protocol::request("answer", &description.name())
        .object("description", description.to_json())
        .text("executable", &program.to_string_lossy());
    command::read(&tour_core::harness::answer(&request.to_string()))
}
