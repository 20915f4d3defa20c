//! Harnesses: Rust functions marked `#[verify]` whose parameters are symbolic inputs, verified together with the C that
//! they call.
//!
//! | file | what |
//! |---|---|
//! | `protocol` | what `cargo tour verify` and a test executable tell each other |

pub mod protocol;
