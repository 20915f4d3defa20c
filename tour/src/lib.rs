//! Claims about the C of a Rust crate, as tests.
//!
//! ```ignore
//! use tour::{assume, verify};
//!
//! unsafe extern "C" {
//!     fn average(a: i32, b: i32) -> i32;
//! }
//!
//! #[verify]
//! fn the_average_lies_between(a: i32, b: i32) {
//!     assume(a <= b);
//!     let m = unsafe { average(a, b) };
//!     assert!(a <= m && m <= b);
//! }
//! ```
//!
//! A function marked [`verify`] is an ordinary `#[test]` of the same path. Its parameters are inputs, and it claims something
//! for all of them at once. `cargo tour verify` proves it or finds inputs that violate it. Plain `cargo test` asks the
//! installed `cargo-tour` for the same; without one, the function is tested with boundary values, recorded regressions and
//! random inputs, and a line on standard error says that it was not proved.
//!
//! This crate has what a test needs and no more: the verifier is in the command.
//!
//! | file | what |
//! |---|---|
//! | `describe` | what the macro says about a harness |
//! | `inputs` | where the values of inputs come from |
//! | `entry` | where the test that a harness is begins |
//! | `command` | asking the installed `cargo-tour` |
//! | `engine` | the same in this process, with the feature of this name |
//! | `sampling` | without either: inputs are drawn, and a failing one is shrunk |
//! | `protocol`, `json` | how the command and a test executable talk |

// With the engine inside, the command is not asked.
#[cfg_attr(feature = "engine", allow(dead_code))]
mod command;
mod describe;
#[cfg(feature = "engine")]
mod engine;
mod entry;
mod inputs;
mod json;
mod protocol;
mod sampling;

pub use inputs::{any, assume, Arbitrary};
pub use tour_macros::{spec, verify, Arbitrary};

/// What the macros expand to. Not for people.
#[doc(hidden)]
pub mod harness {
    pub use crate::describe::Description;
    pub use crate::entry::{announce, run};
    pub use crate::inputs::{input, Arbitrary, Source};
}
