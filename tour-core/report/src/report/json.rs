//! The result of `cargo tour check` as a JSON document. Fields are only ever added; [`SCHEMA`] grows when one changes its
//! meaning.

use serde::Serialize;
use std::collections::BTreeMap;
use tour_protocol::result::{
    Claim, ClaimResult, Counterexample, Message, Note, PropertyResult, SourcePlace, Statistic,
};

/// Version of the document.
pub const SCHEMA: u32 = 1;

/// The document: what stands where, and under which name. The data are those of the [`ClaimResult`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckDocument<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of tour.
    pub version: &'a str,
    /// The files that were verified.
    pub files: &'a [String],
    /// Sizes of types.
    pub data_model: &'a str,
    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub verdict: &'a str,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason<'a>>,
    /// The analysis that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<&'a str>,
    /// Of a proof: its certificate was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certified: Option<bool>,
    /// One entry for each selected property.
    pub properties: &'a [PropertyResult],
    /// What is violated, and how: the first that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<&'a Counterexample>,
    /// What else is violated, of a run that goes on after the first.
    #[serde(skip_serializing_if = "<[Counterexample]>::is_empty")]
    pub further_violations: &'a [Counterexample],
    /// What the verdict takes for granted.
    pub assumptions: &'a [Note],
    /// What explains the verdict, errors and warnings.
    pub diagnostics: &'a [Message],
    /// Named values; times are in seconds.
    pub statistics: &'a BTreeMap<String, Statistic>,
}

/// Why there is no answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reason<'a> {
    /// Stable kind.
    pub kind: &'a str,
    /// For people.
    pub message: &'a str,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'a SourcePlace>,
}

impl<'a> From<&'a ClaimResult> for CheckDocument<'a> {
    fn from(result: &'a ClaimResult) -> CheckDocument<'a> {
        let (files, data_model): (&[String], &str) = match &result.claim {
            Claim::Program(program) => (&program.files, &program.data_model),
            Claim::Harness(_) => (&[], ""),
        };
        let (violation, further_violations) = match &result.violations[..] {
            [] => (None, &[][..]),
            [first, others @ ..] => (Some(first), others),
        };
        CheckDocument {
            schema: SCHEMA,
            version: &result.version,
            files,
            data_model,
            verdict: result.verdict(),
            reason: (result.verdict() == "UNKNOWN").then(|| Reason {
                kind: result.kind.as_deref().unwrap_or_default(),
                message: &result.reason,
                place: result.place.as_ref(),
            }),
            analysis: result.analysis.as_deref(),
            certified: result.certified,
            properties: &result.checks,
            violation,
            further_violations,
            assumptions: &result.assumptions,
            diagnostics: &result.diagnostics,
            statistics: &result.statistics,
        }
    }
}
