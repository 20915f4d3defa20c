//! Runs as fault localisation sees them: executed edges, their lines, and where the violated check begins.

use tour_engine::confirm::{Recorder, steps};
use tour_evidence::verdict::{Step, TakenInput};
use tour_interp::interp::{Image, Inputs, Options, Outcome, Trace};
use tour_ir::cfa::{EdgeId, LocId, Loops};
use tour_ir::program::{CheckId, FnId, Op, PlaceId, PlaceKind, Program, Storage};
use tour_ir::source::Span;
use tour_protocol::result::Line;

/// Where an edge stands.
pub fn line_of(program: &Program, edge: EdgeId) -> Line {
    line_at(program, program.cfa.edges[edge].span)
}

/// Where a span starts.
pub fn line_at(program: &Program, span: Span) -> Line {
    let place = program.sources.place(span);
    Line { file: place.file.display().to_string(), line: place.line }
}

/// An execution.
#[derive(Clone, Debug)]
pub struct Run {
    /// The executed edges.
    pub steps: Vec<Step>,
    /// What the program was given.
    pub inputs: Vec<TakenInput>,
    /// The step where the violated check begins: what counts is before it.
    pub cut: usize,
}

impl Run {
    /// The steps before the check.
    pub fn before_check(&self) -> &[Step] {
        &self.steps[..self.cut.min(self.steps.len())]
    }
}

/// Executes the program, with all that is taken recorded.
pub fn execute(image: &Image, inputs: Box<dyn Inputs>, max_steps: u64) -> (Outcome, Run) {
    let mut recorder = Recorder::new(inputs);
    let mut trace = Trace::default();
    let options = Options { max_steps, ..Options::default() };
    let outcome = image.run(&mut recorder, &options, &mut trace).outcome;
    let steps = steps(image.program(), &trace);
    let cut = steps.len();
    (outcome, Run { steps, inputs: recorder.taken, cut })
}

/// The step counts: it does something, or it decides something.
pub fn counts(program: &Program, edge: EdgeId) -> bool {
    match &program.cfa.edges[edge].op {
        Op::Nop | Op::Declare(_) | Op::Expire(_) => false,
        Op::Assume { .. } => is_branch(program, edge),
        Op::Assign(..) | Op::Call(_) | Op::Return(_) | Op::Havoc(..) | Op::Unsupported(_) => true,
    }
}

/// The edge is one of several that leave its location.
pub fn is_branch(program: &Program, edge: EdgeId) -> bool {
    let edge = &program.cfa.edges[edge];
    matches!(edge.op, Op::Assume { .. }) && program.cfa.locs[edge.from].out.len() > 1
}

/// The step only evaluates: it decides, or writes to a temporary of the front end.
fn is_quiet(program: &Program, edge: EdgeId) -> bool {
    match &program.cfa.edges[edge].op {
        Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Assume { .. } => true,
        Op::Assign(place, _) => is_temporary(program, *place),
        Op::Call(_) | Op::Return(_) | Op::Havoc(..) | Op::Unsupported(_) => false,
    }
}

/// The place is a temporary of the front end.
pub fn is_temporary(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Var(var) => matches!(program.vars[var].storage, Storage::Temp(_)),
        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
    }
}

/// The statement of a check in a failing run [FAULT §5.1, `cleanPath`]: the steps from `first` on belong to it.
#[derive(Clone, Debug)]
pub struct CheckStatement {
    /// The first step.
    pub first: usize,
    /// Where it stands.
    pub line: Line,
    /// Its text.
    pub span: Span,
    /// Calls around it.
    pub depth: u32,
    /// The function that it calls and that does nothing but check: `__VERIFIER_assert`.
    pub checker: Option<FnId>,
    /// The line of a loop that does nothing but check.
    pub around: Option<Line>,
}

impl CheckStatement {
    /// Finds it: the last decision before the error; if that is all that its function has done (`__VERIFIER_assert`),
    /// the call of that function; and what was evaluated for it on the same line.
    pub fn of(program: &Program, check: CheckId, trace: &[Step]) -> CheckStatement {
        let last = trace.len().saturating_sub(1);
        let decided = (0..trace.len()).rev().find(|&i| is_branch(program, trace[i].edge)).unwrap_or(last);
        let depth = trace.get(decided).map_or(0, |step| step.depth);
        let call = (0..decided).rev().find(|&i| trace[i].depth < depth);
        let at = match call {
            Some(call)
                if trace[call + 1..decided].iter().all(|s| s.depth == depth && is_quiet(program, s.edge)) =>
            {
                call
            }
            _ => decided,
        };
        let Some(step) = trace.get(at) else {
            let span = program.checks[check].span;
            return CheckStatement {
                first: 0,
                line: line_at(program, span),
                span,
                depth: 0,
                checker: None,
                around: None,
            };
        };
        let span = program.cfa.edges[step.edge].span;
        let checker =
            (at != decided).then(|| program.cfa.locs[program.cfa.edges[trace[decided].edge].from].function);
        let line = line_of(program, step.edge);
        let mut statement =
            CheckStatement { first: at, line, span, depth: step.depth, checker, around: None };
        while statement.first > 0 {
            let before = &trace[statement.first - 1];
            if before.depth != statement.depth
                || !statement.contains(program, before.edge)
                || !is_quiet(program, before.edge)
            {
                break;
            }
            statement.first -= 1;
        }
        statement
    }

    /// An edge of the same function belongs to the statement.
    pub fn contains(&self, program: &Program, edge: EdgeId) -> bool {
        let span = program.cfa.edges[edge].span;
        let inside =
            span.unit == self.span.unit && self.span.start <= span.start && span.end <= self.span.end;
        inside || line_of(program, edge) == self.line
    }

    /// A loop around the check that has nothing else in it goes with the check.
    pub fn with_loop(&mut self, program: &Program, loops: &Loops, trace: &[Step]) {
        let Some(first) = trace.get(self.first) else { return };
        let at = program.cfa.edges[first.edge].from;
        let Some(around) = loops.innermost(at) else { return };
        let Some(&head) = program.cfa.locs[loops.get(around).head].out.first() else { return };
        let head = line_of(program, head);
        let inside = |loc: &LocId| program.cfa.successors(*loc).map(|(edge, _)| edge).collect::<Vec<_>>();
        let members = loops.members(around).iter().flat_map(inside);
        let mut left = members
            .filter(|&edge| counts(program, edge) && loops.contains(around, program.cfa.edges[edge].to));
        if left.all(|edge| self.contains(program, edge) || line_of(program, edge) == head) {
            self.around = Some(head);
        }
    }

    /// An edge evaluates the check, now or in another round: it is no suspect.
    pub fn evaluates(&self, program: &Program, edge: EdgeId) -> bool {
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        Some(function) == self.checker
            || self.contains(program, edge) && is_quiet_or_call(program, edge)
            || self.around.as_ref().is_some_and(|line| *line == line_of(program, edge))
    }
}

fn is_quiet_or_call(program: &Program, edge: EdgeId) -> bool {
    is_quiet(program, edge) || matches!(program.cfa.edges[edge].op, Op::Call(_))
}

/// What an edge does in the user's words: `most < in2`, `!(most < in2)`, `most = in2`.
pub fn statement(program: &Program, edge: EdgeId) -> String {
    let edge = &program.cfa.edges[edge];
    let words = |span: Span| {
        let text = program.sources.text(span).trim().trim_end_matches(';').trim_end();
        let one_line = !text.is_empty() && text.len() <= 80 && !text.contains('\n');
        one_line.then(|| text.to_owned())
    };
    match &edge.op {
        Op::Assume { cond, truth } => {
            let cond = words(program.exprs[*cond].span).unwrap_or_else(|| program.show_expr(*cond));
            if *truth { cond } else { format!("!({cond})") }
        }
        // The span of an initialiser is its value alone.
        op @ Op::Assign(..) => words(edge.span)
            .filter(|text| ["=", "++", "--"].iter().any(|sign| text.contains(sign)))
            .unwrap_or_else(|| program.show_op(op)),
        op => words(edge.span).unwrap_or_else(|| program.show_op(op)),
    }
}
