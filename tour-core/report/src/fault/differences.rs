//! What would have to change for the failing run to become the successful one [FAULT §5.6].

use super::case::Case;
use super::closest::Success;
use super::run::{counts, is_branch, is_temporary, line_of, statement};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use tour_ir::cfa::EdgeId;
use tour_ir::program::Op;
use tour_protocol::result::Line;

/// How the two runs differ at a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
pub enum Change {
    /// Both come here, and decide differently.
    Changed {
        /// What held in the failing run.
        was: String,
        /// What holds in the successful one.
        now: String,
    },
    /// Only the failing run executes it.
    Deleted {
        /// The statement.
        statement: String,
    },
    /// Only the successful run executes it.
    Executed {
        /// The statement.
        statement: String,
    },
}

/// A difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Where.
    pub line: Line,
    /// What.
    pub change: Change,
    /// The edge of the failing run, or of the successful one if only that has it.
    pub edge: EdgeId,
    /// Steps from here to the check in its run.
    pub to_check: usize,
}

impl Difference {}

/// In `[FAULT]`'s words.
impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let line = self.line.line;
        match &self.change {
            Change::Changed { was, now } => write!(f, "line {line} was {was}, changed to {now}"),
            Change::Deleted { statement } => write!(f, "line {line}, deleted: {statement}"),
            Change::Executed { statement } => {
                write!(f, "line {line}, executed only in the successful run: {statement}")
            }
        }
    }
}

/// The step is shown: it is a decision or a statement of the user's.
pub fn is_shown(case: &Case, edge: EdgeId) -> bool {
    let program = case.program;
    if case.statement.evaluates(program, edge) {
        return false;
    }
    match &program.cfa.edges[edge].op {
        Op::Assign(place, _) | Op::Havoc(place, _) if is_temporary(program, *place) => false,
        _ => counts(program, edge),
    }
}

/// The differences before the check: changed decisions, then what is deleted, then what only the successful run does;
/// each in the order of its run.
pub fn differences(case: &Case, success: &Success) -> Vec<Difference> {
    let failing = case.failing_edges();
    let ours: FxHashMap<_, _> =
        (0..success.run.before_check().len()).map(|i| (success.path.points[i], i)).collect();
    let mut seen = FxHashSet::default();
    let (mut changed, mut deleted, mut executed) = (Vec::new(), Vec::new(), Vec::new());
    let mut note = |list: &mut Vec<Difference>, edge: EdgeId, change: Change, to_check: usize| {
        let line = line_of(case.program, edge);
        if seen.insert((line.clone(), format!("{change:?}"))) {
            list.push(Difference { line, change, edge, to_check });
        }
    };
    let steps = case.run.before_check();
    for (i, step) in steps.iter().enumerate().filter(|(_, s)| is_shown(case, s.edge)) {
        let other = ours.get(&case.path.points[i]).map(|&j| success.run.steps[j].edge);
        let text = || statement(case.program, step.edge);
        match other {
            Some(edge) if edge == step.edge => {}
            Some(edge) if is_branch(case.program, step.edge) => {
                let change = Change::Changed { was: text(), now: statement(case.program, edge) };
                note(&mut changed, step.edge, change, steps.len() - i);
            }
            Some(_) | None => {
                note(&mut deleted, step.edge, Change::Deleted { statement: text() }, steps.len() - i);
            }
        }
    }
    let steps = success.run.before_check();
    for (j, step) in steps.iter().enumerate().filter(|(_, s)| is_shown(case, s.edge)) {
        let in_both = failing.contains_key(&success.path.points[j]);
        if !in_both {
            let statement = statement(case.program, step.edge);
            note(&mut executed, step.edge, Change::Executed { statement }, steps.len() - j);
        }
    }
    changed.into_iter().chain(deleted).chain(executed).collect()
}
