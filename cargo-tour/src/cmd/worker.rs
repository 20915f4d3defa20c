//! `cargo-tour tour worker REQUEST`: one harness, verified in this process. What goes wrong here harms no other.

use crate::exit::Exit;
use crate::term::print_error;
use std::path::Path;
use tour::harness;
use tour::protocol::{Request, write_json};

/// Verifies, and writes the result to where the request says.
pub fn run(request: &Path) -> Exit {
    tour::smt::leave_to_exit();
    match verify(request) {
        Ok(()) => Exit::Success,
        Err(why) => {
            print_error(format_args!("error: {why}"));
            Exit::Usage
        }
    }
}

fn verify(request: &Path) -> Result<(), String> {
    let text = std::fs::read(request).map_err(|e| format!("cannot read `{}`: {e}", request.display()))?;
    let request: Request =
        serde_json::from_slice(&text).map_err(|e| format!("`{}` is no request: {e}", request.display()))?;
    let harness = request.description.as_deref().ok_or("the request describes no harness")?;
    let path = request.result.as_deref().ok_or("the request names no file for the result")?;
    let result = harness::verify(harness, &request);
    write_json(path, &result).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}
