//! The result model: what is reported about a claim, once, as plain data.
//!
//! **Two kinds of data.** What an analysis hands to the checkers is *evidence* (`tour_evidence::verdict`): ids of a
//! program, walks over its automata, certificates. It means nothing without the program. What anyone else reads is a
//! *result*: everything resolved to the user's files and to text, so that it can be saved, sent to another process and
//! shown later. The types of this module are the only ones for that. `tour_report::report::build` makes results of
//! evidence; nothing makes evidence of results.
//!
//! **The unit is a [`Claim`]**: a harness of a package, or a C program given to `cargo tour check`. A [`ClaimResult`] is
//! all that is known of one, and every output reads it: the protocol and the cache store it, the JSON of `check` and
//! `verify`, SARIF, JUnit, annotations on GitHub, the HTML report, the terminal and a failing `cargo test` show it.
//!
//! **One enum says how a claim ended**, [`Status`]. It is what an analysis can answer (proved, violated, unknown), and
//! what can happen around it (vacuous, invalid, crashed, not run). Whether the certificate of a proof was checked is
//! [`ClaimResult::certified`].
//!
//! | evidence or program | result | what |
//! |---|---|---|
//! | `verdict::Verdict` | [`Status`], `reason`, `kind` | the answer |
//! | `verdict::Violation` | [`Counterexample`] | how a check is violated |
//! | `verdict::TakenInput` | [`InputValue`] | a value that was taken from outside |
//! | `verdict::Step` | [`RunStep`] | an executed operation |
//! | `source::Diagnostic` | [`Message`] | a located message |
//! | `source::Span` | [`SourcePlace`] | where something stands |
//! | `stats::Value` | [`Statistic`] | a named value |
//!
//! No two of these types share a name. What both sides need and has no ids in it ([`Severity`], [`InputOrigin`]) is
//! defined here and used by both.
//!
//! **The form is a contract.** In JSON, names are in kebab case, fields are only ever added, and what is empty by nature
//! (no place, no suspects) is left out. A change of form raises [`PROTOCOL`], since a result
//! made by one version must not be read by another.
//!
//! | file | what |
//! |---|---|
//! | `claim` | claims: harnesses, programs |
//! | `outcome` | the result of a claim, and how many ended how |
//! | `counterexample` | a violated check: inputs, run, native replay |
//! | `message` | located messages |
//! | `faults` | lines that may be wrong |
//! | `path` | paths as people read them |

mod claim;
mod counterexample;
mod faults;
mod message;
mod outcome;
mod path;

pub use claim::{CheckedProgram, Claim, EngineChoices, Harness};
pub use counterexample::{Bits, Counterexample, InputOrigin, InputValue, Replay, RunStep};
pub use faults::{ComparedStep, Comparison, Finding, Line, Localisation, Row, Suspect};
pub use message::{Message, Note, Severity, SourcePlace};
pub use outcome::{
    ClaimResult, Counts, MutantsTried, PROTOCOL, PropertyResult, ReachedUnit, Statistic, Status, TriedMutant,
    Vacuity, VacuityKind,
};
pub use path::{brief, shown};
