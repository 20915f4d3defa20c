//! Files of random programs, and what to show when one goes wrong.

use super::{Native, first_difference, folder, interpret};
use cgen::{Model, program_seed};

/// The text of a file.
pub fn text(model: Model, file: u64, programs: usize, verbose: bool) -> String {
    let seeds: Vec<u64> = (0..programs).map(|i| program_seed(file, i)).collect();
    cgen::file(&seeds, model, verbose)
}

/// Compares the outputs of a file: how many programs agree, or a report if some differ.
pub fn compare(native: &Native, file: u64, programs: usize) -> Result<usize, String> {
    let text = text(native.model, file, programs, false);
    let expected = match native.run(&format!("random-{file}"), &text) {
        Ok(expected) => expected,
        // It happens about once in ten thousand programs.
        Err(error) if error.contains("internal compiler error") => {
            println!("file {file} skipped: the compiler crashed on it");
            return Ok(0);
        }
        Err(error) => return Err(format!("file {file}: {error}")),
    };
    match interpret("random.i", &text, native.model) {
        Ok(output) if output == expected => Ok(programs),
        _ => one_by_one(native, file, programs),
    }
}

/// What we say of an expression whose operands can be evaluated in very many orders.
const MANY_ORDERS: &str = "more orders are possible than are modelled";

/// Tries the programs of a file one by one, with all that goes into the checksums printed. Some are not modelled: those
/// do not count as agreeing.
fn one_by_one(native: &Native, file: u64, programs: usize) -> Result<usize, String> {
    let mut agreed = 0;
    for i in 0..programs {
        let text = cgen::file(&[program_seed(file, i)], native.model, true);
        let found = match (
            native.run(&format!("single-{file}-{i}"), &text),
            interpret("random.i", &text, native.model),
        ) {
            (Ok(expected), Ok(output)) if expected == output => {
                agreed += 1;
                continue;
            }
            (Ok(_), Err(error)) if error.contains(MANY_ORDERS) => continue,
            (Ok(expected), Ok(output)) => {
                first_difference(&String::from_utf8_lossy(&expected), &String::from_utf8_lossy(&output))
            }
            (Err(error), _) | (_, Err(error)) => error,
        };
        let path = folder().join(format!("mismatch-{file}-{i}-{:?}.c", native.model));
        return Err(match std::fs::write(&path, &text) {
            Ok(()) => format!("file {file}, program {i} ({}): {found}", path.display()),
            Err(error) => format!("file {file}, program {i} (not written: {error}): {found}"),
        });
    }
    match agreed < programs {
        true => Ok(agreed),
        false => Err(format!("file {file}: its programs agree one by one, but not together")),
    }
}
