//! `--explain-search`: which states were expanded, in which order, at which distance.

use crate::context::{Event, Observer};
use crate::directed::Dist;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use tour_ir::cfa::LocId;
use tour_ir::prepared::Prepared;

/// An observer that writes down the search.
#[derive(Debug, Default)]
pub struct SearchLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    steps: Vec<(&'static str, Step)>,
    left_out: u64,
}

/// What the search did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An analysis begins.
    Begins,
    /// The successors of a state were computed.
    Expanded {
        /// Where it is.
        at: LocId,
        /// How many calls are open.
        call_depth: u32,
        /// How far the search believed an error to be; `None` if it was not directed.
        distance: Option<Dist>,
    },
    /// A path to an error with this number of blocks was infeasible.
    Refinement(usize),
    /// The analysis ends with this verdict.
    Ends(String),
}

/// How many steps are written down.
/// The size of a file, as documented in docs/src/search.md.
const MAX_STEPS: usize = 200_000;

impl Observer for SearchLog {
    fn observe(&self, who: &'static str, event: &Event) {
        let step = match event {
            Event::Begins => Step::Begins,
            Event::Ends { verdict } => Step::Ends(verdict.to_string()),
            Event::Expanded { at, call_depth, distance, .. } => {
                Step::Expanded { at: *at, call_depth: *call_depth, distance: *distance }
            }
            Event::Refinement { blocks } => Step::Refinement(*blocks),
            _ => return,
        };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.steps.len() < MAX_STEPS {
            log.steps.push((who, step));
        } else {
            log.left_out += 1;
        }
    }
}

impl SearchLog {
    /// What was written down, with the names of the analyses. Those that run side by side are mixed.
    pub fn steps(&self) -> Vec<(&'static str, Step)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).steps.clone()
    }

    /// As JSON: see the chapter on the search.
    pub fn document(&self, program: &Prepared) -> impl Serialize + use<> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = log.steps.iter().enumerate().map(|(i, (who, step))| Row::new(program, i + 1, who, step));
        Document { version: 1, steps: rows.collect(), left_out: log.left_out }
    }
}

#[derive(Serialize)]
struct Document {
    version: u32,
    steps: Vec<Row>,
    left_out: u64,
}

/// A step in the user's words.
#[derive(Default, Serialize)]
struct Row {
    step: usize,
    analysis: &'static str,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u32>,
    /// `null` if there is no way to an error; missing if the search was not directed.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Dist>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
}

impl Row {
    fn new(program: &Prepared, number: usize, analysis: &'static str, step: &Step) -> Row {
        let row = Row { step: number, analysis, ..Row::default() };
        match step {
            Step::Begins => Row { event: "begins", ..row },
            Step::Expanded { at, call_depth, distance } => {
                let loc = &program.cfa.locs[*at];
                let edge = loc.out.first().or(loc.into.first());
                Row {
                    event: "expanded",
                    place: edge.map(|e| program.sources.display(program.cfa.edges[*e].span)),
                    function: Some(program.functions[loc.function].name.clone()),
                    location: Some(at.index()),
                    calls: Some(*call_depth),
                    distance: *distance,
                    ..row
                }
            }
            Step::Refinement(blocks) => Row { event: "refinement", blocks: Some(*blocks), ..row },
            Step::Ends(verdict) => Row { event: "ends", verdict: Some(verdict.clone()), ..row },
        }
    }
}
