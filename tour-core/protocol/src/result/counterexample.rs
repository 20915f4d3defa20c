//! How a check is violated: inputs, the run that they lead to, and what a native run showed.

use super::{Localisation, SourcePlace};
use serde::{Deserialize, Serialize};

/// A violated check, and a run that violates it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counterexample {
    /// The property's id.
    pub property: String,
    /// What fails, in the user's words.
    pub message: String,
    /// Where.
    pub place: SourcePlace,
    /// What the run takes from outside, in the order in which it is asked for.
    pub inputs: Vec<InputValue>,
    /// The same scalar by scalar: the inputs of a replay.
    pub scalars: Vec<Bits>,
    /// What was executed.
    pub trace: Vec<RunStep>,
    /// Of a program with threads: the run in rows, one column a thread, with a header.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interleaving: Vec<String>,
    /// What the native run showed.
    pub replay: Replay,
    /// Lines that may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<Localisation>,
}

/// A value that a run took from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct InputValue {
    /// The parameter, or the variable that gets it; of a harness also `any()`. Empty if it has no name.
    pub name: String,
    /// As a constant of its language: `255`, `[1, 2]`, `true`.
    pub value: String,
    /// Its type, of Rust in a harness.
    #[serde(rename = "type")]
    pub ty: String,
    /// Why the program does not determine it.
    pub origin: InputOrigin,
    /// It is worth showing: someone gives it to the program, or the failure depends on it.
    pub relevant: bool,
    /// Its scalars.
    pub bits: Vec<Bits>,
    /// What asks for it; parameters of the entry have no such operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Where it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
}

/// `name: type = value`, as it stands in a `let`.
impl std::fmt::Display for InputValue {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {} = {}", self.name, self.ty, self.value)
    }
}

/// Why a value comes from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputOrigin {
    /// `__VERIFIER_nondet_*`, or `any()`.
    Nondet,
    /// The result of a function without a body.
    #[serde(rename = "undefined-function")]
    Undefined,
    /// A parameter of the entry function.
    Parameter,
    /// Something that was read and never written.
    Indeterminate,
    /// An order of evaluation that C leaves open.
    #[serde(rename = "order-of-evaluation")]
    Order,
}

/// A bit pattern, zero-extended: as hexadecimal text, since JSON numbers are too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits(pub u128);

impl Serialize for Bits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bits, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        u128::from_str_radix(digits, 16).map(Bits).map_err(serde::de::Error::custom)
    }
}

/// An executed operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunStep {
    /// Where.
    pub place: SourcePlace,
    /// The function.
    pub function: String,
    /// It is of a Rust file.
    pub rust: bool,
    /// The thread, in a program with several; 0 is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// How many calls are open.
    pub depth: u32,
    /// What is done.
    pub operation: String,
    /// What was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The failure depends on it.
    pub relevant: bool,
}

impl RunStep {
    /// The operation, indented by calls, and what it stored: `  x = f(y)    // 7`.
    pub fn indented(&self) -> String {
        let indent = "  ".repeat(self.depth.min(20) as usize);
        let value = self.value.as_ref().map_or(String::new(), |value| format!("    // {value}"));
        format!("{indent}{}{value}", self.operation)
    }
}

/// What a native run with the inputs showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "result")]
pub enum Replay {
    /// The expected panic, or a crash inside the C.
    Confirmed {
        /// How it ended, in one line: `panicked at src/lib.rs:12`, `killed by signal 11`.
        how: String,
    },
    /// The native run did not show it.
    NotShown {
        /// Why not, in one line.
        why: String,
    },
    /// It was not tried.
    NotRun {
        /// Why not; empty if nobody asked for it.
        why: String,
    },
}

impl Replay {
    /// Nobody asked for it yet.
    pub const NOT_ASKED: Replay = Replay::NotRun { why: String::new() };

    /// In one line.
    pub fn describe(&self) -> String {
        match self {
            Replay::Confirmed { how } => format!("replayed natively: confirmed ({how})"),
            Replay::NotShown { why } => format!("replayed natively: not shown, {why}"),
            Replay::NotRun { why } if why.is_empty() => "not replayed natively".to_owned(),
            Replay::NotRun { why } => format!("not replayed natively: {why}"),
        }
    }

    /// It was seen.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Replay::Confirmed { .. })
    }
}
