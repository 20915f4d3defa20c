//! The run of a program with threads, one column a thread.

use tour_evidence::verdict::Step;
use tour_ir::program::{Builtin, Op, Program};
use tour_ir::source::is_library;
use tour_model::threads::{builtin_of, graph};

/// Columns are so wide.
const WIDTH: usize = 30;

/// The names of the threads, then one row for each step of the user's own code.
pub fn interleaving(program: &Program, trace: &[Step]) -> Vec<String> {
    let mut used: Vec<u32> = trace.iter().map(|step| step.thread).collect();
    used.sort_unstable();
    used.dedup();
    let column = |thread: u32| used.iter().position(|t| *t == thread).unwrap_or(0);
    let name = |thread: u32| {
        let root = program.threads.all.get(tour_ir::program::ThreadId::new(thread as usize)).map(|t| t.root);
        let function = root.map_or("", |f| program.functions[f].name.as_str());
        format!("{thread}: {function}")
    };
    let mut header = String::new();
    for &thread in &used {
        header = format!("{:width$}{}", header, name(thread), width = column(thread) * WIDTH);
    }
    let mut rows = vec![header];
    for step in trace {
        if let Some(text) = text(program, step) {
            rows.push(format!("{:width$}{text}", "", width = column(step.thread) * WIDTH));
        }
    }
    rows
}

fn text(program: &Program, step: &Step) -> Option<String> {
    let what = what(program, step)?;
    let edge = &program.cfa.edges[step.edge];
    let line = program.sources.display(edge.span).to_string();
    let line = line.split(':').rev().nth(1).unwrap_or_default().to_owned();
    let value = step.value.as_ref().filter(|_| matches!(edge.op, Op::Assign(..) | Op::Havoc(..)));
    let value = value.map_or(String::new(), |value| format!("  [{value}]"));
    Some(format!("{line}: {what}{value}"))
}

/// What a step of a thread does, if it is worth telling.
pub(super) fn what(program: &Program, step: &Step) -> Option<String> {
    let edge = &program.cfa.edges[step.edge];
    let unit = &program.sources.unit(edge.span.unit).path;
    if is_library(unit) {
        return None;
    }
    let about = || graph::about(program, step.edge, 0).map(|thread| thread.index());
    Some(match (builtin_of(program, &edge.op), &edge.op) {
        (Some(Builtin::ThreadStart), _) => format!("start thread {}", about()?),
        (Some(Builtin::ThreadFinished), _) => format!("thread {} has ended", about()?),
        (Some(Builtin::AtomicBegin), _) => "atomic {".into(),
        (Some(Builtin::AtomicEnd), _) => "}".into(),
        (Some(Builtin::ThreadExit), _) => "end".into(),
        (_, Op::Nop | Op::Declare(_) | Op::Return(None)) => return None,
        (_, op) => program.show_op(op),
    })
}
