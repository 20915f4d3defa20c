//! Harnesses: Rust functions marked `#[verify]` whose parameters are symbolic inputs, verified together with the C that
//! they call.
//!
//! | file | what |
//! |---|---|
//! | `describe`, `entry` | what the macro says about a harness; where its test begins |
//! | `find`, `items` | the text of a harness, and the items of the user's crate that it names |
//! | `lower` | the harness as a program |
//! | `ffi`, `declarations` | whether Rust's declarations agree with C's definitions: one, all of a package |
//! | `verify`, `vacuity`, `mutants`, `inputs`, `progress` | the verdict and the result that it makes |
//! | `native`, `replay` | the harness as ordinary Rust, run with the inputs that were found |
//! | `render` | results as text |

mod declarations;
mod describe;
mod entry;
mod ffi;
mod find;
mod inputs;
mod items;
mod lower;
mod mutants;
mod native;
mod progress;
pub mod render;
mod replay;
mod vacuity;
mod verify;

pub use declarations::{Declarations, compare_declarations};
pub use describe::Description;
pub use entry::{announce, run};
pub use native::{Arbitrary, Source, any, assume, input};
