//! What a user reads: results made of evidence, messages in their own files, and documents for machines.
//!
//! | file | what |
//! |---|---|
//! | `build` | from evidence to the [result model](tour_protocol::result), which all outputs are made of |
//! | `explain` | a verdict in words: what fails, and the few steps that lead there |
//! | `stuck` | where an analysis was when it ran out of time |
//! | `places` | from a span in preprocessed text to a place in the user's file |
//! | `draw` | messages as miette draws them |
//! | `json` | the result of `check` as a stable JSON document |
//! | `junit`, `sarif`, `github` | results for CI |
//! | `witness` | verdicts as witnesses of SV-COMP |
//! | `record` | all that the HTML report shows |

pub mod build;
pub mod draw;
#[cfg(test)]
mod examples;
pub mod explain;
pub mod github;
mod interleaving;
pub mod json;
pub mod junit;
pub mod places;
pub mod record;
mod relevant;
pub mod sarif;
pub mod stuck;
#[cfg(test)]
mod tests;
pub mod witness;

pub use interleaving::interleaving;
pub use relevant::{Relevant, Role, relevant};
