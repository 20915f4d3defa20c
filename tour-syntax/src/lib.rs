//! The Rust that a harness can contain.
//!
//! The macros look at a harness when it is compiled and the library looks at it again when it is verified. Both use
//! this crate, so that what the compiler lets through is what the library expects.
//!
//! | file | what |
//! |---|---|
//! | `args` | the arguments of `#[verify(…)]` |
//! | `support` | which constructs are supported, with a message for each that is not |
//! | `units` | durations and sizes as people write them, here and elsewhere |
//! | `names` | the functions, methods and macros that have a meaning of their own |

mod args;
pub mod names;
mod support;
pub mod units;

pub use args::{VerifyArgs, ENGINE_NAMES};
pub use support::{arguments, check_harness, check_spec, Problem};
