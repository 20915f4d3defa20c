//! `cargo tour run`: execute a program in the interpreter.

use crate::cli::{Number, RunArgs};
use crate::exit::Exit;
use crate::load::{self, Rejected};
use crate::term::{Term, print_error, print_line};
use crate::{crash, job};
use std::collections::VecDeque;
use std::io::Write;
use tour::confirm::steps;
use tour::interp::{self, Inputs, Limit, Options, Outcome, Request, Run, Trace, Unobserved, Why};
use tour::limits::{Ended, Interrupt, supervise};
use tour::program::{FloatKind, Program, Type};
use tour::source::Diagnostic;

/// Executes and tells how it ended.
pub fn run(args: RunArgs, term: Term) -> Exit {
    let interrupt = Interrupt::new();
    job::stop_on_ctrl_c(&interrupt);
    let limits = args.limits.limits();
    let ended = supervise(limits, &interrupt, move || execute(&args, &term));
    match ended {
        Ended::Returned(Ok((program, run, trace))) => {
            for line in trace {
                print_line(line);
            }
            print_end(&program, &run, &term)
        }
        Ended::Returned(Err(rejected)) => {
            rejected.show(&term);
            rejected.exit
        }
        Ended::Stuck(reason) => {
            job::end_children();
            print_error(format_args!("stopped: {reason}"));
            Exit::Unknown
        }
        Ended::Panicked => {
            crash::report_panic();
            Exit::Internal
        }
    }
}

fn execute(args: &RunArgs, term: &Term) -> Result<(Program, Run, Vec<String>), Rejected> {
    let program = load::program(&args.program, term)?;
    let mut inputs = Given { values: args.input.iter().copied().collect(), program: &program };
    let options = Options { max_steps: args.steps, ..Options::default() };
    let (run, lines) = if args.trace {
        let mut trace = Trace::default();
        let run = interp::run(&program, &mut inputs, &options, &mut trace);
        (run, load::show_steps(&program, &steps(&program, &trace)).collect())
    } else {
        (interp::run(&program, &mut inputs, &options, &mut Unobserved), Vec::new())
    };
    Ok((program, run, lines))
}

/// The user's values, one for each input that the program asks for; then zeros.
struct Given<'a> {
    values: VecDeque<Number>,
    program: &'a Program,
}

impl Inputs for Given<'_> {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let value = match request.why {
            Why::Havoc(_) => self.values.pop_front().unwrap_or(Number::Int(0)),
            Why::Parameter(_) | Why::Declared(_) | Why::Unwritten => Number::Int(0),
        };
        let float = request.ty.and_then(|ty| match self.program.types[ty] {
            Type::Float(kind) => Some(kind),
            _ => None,
        });
        Some(match (float, value) {
            (Some(FloatKind::Float), Number::Int(n)) => (n as f32).to_bits().into(),
            (Some(FloatKind::Float), Number::Float(x)) => (x as f32).to_bits().into(),
            (Some(_), Number::Int(n)) => (n as f64).to_bits().into(),
            (Some(_), Number::Float(x)) => x.to_bits().into(),
            (None, Number::Int(n)) => n as u128,
            (None, Number::Float(x)) => x as i128 as u128,
        })
    }
}

fn print_end(program: &Program, run: &Run, term: &Term) -> Exit {
    // Nobody is left to tell when standard output is closed.
    let _ = std::io::stdout().write_all(&run.output);
    if run.output.last().is_some_and(|&byte| byte != b'\n') {
        print_line("");
    }
    let place = |edge: Option<tour::cfa::EdgeId>| edge.map(|e| program.cfa.edges[e].span);
    let show = |diagnostic: Diagnostic, edge, label: &str| {
        let labelled = match place(edge) {
            Some(span) => diagnostic.label(span, label),
            None => diagnostic,
        };
        term.diagnostic(&labelled, &program.sources);
    };
    let (exit, end) = match &run.outcome {
        Outcome::Error(check) => {
            let check = &program.checks[*check];
            let diagnostic = Diagnostic::error("tour::run", check.rule.describe());
            term.diagnostic(&diagnostic.label(check.span, check.message.clone()), &program.sources);
            (Exit::Violated, format!("violated: {}", check.rule.id()))
        }
        Outcome::Exited(code) => (Exit::Success, format!("returned {code}")),
        Outcome::Ended => (Exit::Success, "ended by the program".into()),
        Outcome::AssumeFailed(edge) => {
            show(Diagnostic::warning("tour::run", "an assumption does not hold"), Some(*edge), "here");
            (Exit::Success, "ended by an assumption".into())
        }
        Outcome::Undefined { kind, edge } => {
            show(Diagnostic::error("tour::run", kind.describe()), *edge, "undefined behaviour");
            (Exit::Unknown, format!("undefined behaviour: {}", kind.describe()))
        }
        Outcome::Unsupported { what, edge } => {
            show(Diagnostic::error("tour::run", format!("{what} is not supported")), *edge, "here");
            (Exit::Unknown, format!("unsupported: {what}"))
        }
        Outcome::OutOfInputs { .. } => (Exit::Unknown, "out of inputs".into()),
        Outcome::Limit(limit) => {
            let what = match limit {
                Limit::Steps => "too many steps; give more with --steps",
                Limit::Depth => "calls are nested too deeply",
                Limit::Memory => "the program uses too much memory",
            };
            (Exit::Unknown, what.into())
        }
    };
    print_line(format_args!("{end} after {} steps", run.steps));
    exit
}
