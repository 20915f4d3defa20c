//! Harnesses: Rust functions marked `#[verify]` whose parameters are symbolic inputs, verified together with the C that
//! they call.
//!
//! | file | what |
//! |---|---|
//! | `entry` | a request, answered |
//! | `find`, `items` | the text of a harness, and the items of the user's crate that it names |
//! | `snapshot`, `meaning` | all that is read for a harness, and the hash of it |
//! | `lower` | the harness as a program |
//! | `ffi`, `declarations` | whether Rust's declarations agree with C's definitions: one, all of a package |
//! | `verify`, `vacuity`, `mutants`, `inputs`, `progress` | the verdict and the result that it makes |
//! | `choices` | how the engine works, as users name it |
//! | `replay` | the test executable, run with the inputs that were found |
//! | `render` | results as text |

mod choices;
mod declarations;
mod entry;
mod ffi;
mod find;
mod inputs;
mod items;
mod lower;
mod meaning;
mod mutants;
mod progress;
pub mod render;
mod replay;
mod snapshot;
mod vacuity;
mod verify;

pub use choices::options;
pub use declarations::{Declarations, compare_declarations};
pub use entry::{answer, verify};
pub use snapshot::{Key, Reader, Snapshot};
