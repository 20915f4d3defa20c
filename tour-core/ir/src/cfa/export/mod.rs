//! Automata for eyes and other programs: [`dot`], [`json`] and [`svg`].

mod dot;
mod json;
mod layout;
mod svg;
mod xml;

pub use dot::dot;
pub use json::{Automata, CheckJson, EdgeJson, FunctionJson, LocationJson, SpanJson, json};
pub use svg::svg;
pub use xml::{escape_xml, printable};

use super::{LocId, LocKind};
use crate::program::{Op, Program};
use crate::source::Span;

/// The name of a location's kind, as in the JSON export.
pub fn kind_name(kind: LocKind) -> &'static str {
    match kind {
        LocKind::Plain => "plain",
        LocKind::Entry => "entry",
        LocKind::Exit => "exit",
        LocKind::Error(_) => "error",
        LocKind::End => "end",
    }
}

/// The name of an operation's kind, as in the JSON export.
pub fn op_name(op: &Op) -> &'static str {
    match op {
        Op::Nop => "nop",
        Op::Assign(..) => "assign",
        Op::Assume { .. } => "assume",
        Op::Call(_) => "call",
        Op::Return(_) => "return",
        Op::Havoc(..) => "havoc",
        Op::Declare(_) => "declare",
        Op::Expire(_) => "expire",
        Op::Unsupported(_) => "unsupported",
    }
}

/// Where a location stands: where the first edge that leaves it does, else the first that leads there.
fn span_of(program: &Program, loc: LocId) -> Span {
    let node = &program.cfa.locs[loc];
    match (node.out.first(), node.into.first()) {
        (Some(&edge), _) | (None, Some(&edge)) => program.cfa.edges[edge].span,
        (None, None) => program.functions[node.function].span,
    }
}

/// What a location or edge looks like.
struct Style {
    fill: &'static str,
    stroke: &'static str,
}

fn loc_style(kind: LocKind, loop_head: bool) -> Style {
    let (fill, stroke) = match kind {
        LocKind::Entry => ("#d3f2d3", "#1a7f37"),
        LocKind::Exit => ("#e4e7eb", "#57606a"),
        LocKind::Error(_) => ("#ffd0d0", "#cf222e"),
        LocKind::End => ("#57606a", "#24292f"),
        LocKind::Plain if loop_head => ("#dcebff", "#0969da"),
        LocKind::Plain => ("#ffffff", "#57606a"),
    };
    // An entry can't be a loop head; a program's end or error neither.
    Style { fill, stroke }
}

fn edge_colour(op: &Op) -> &'static str {
    match op {
        Op::Call(_) => "#8250df",
        Op::Unsupported(_) => "#bc4c00",
        Op::Assume { .. } => "#0969da",
        Op::Nop | Op::Assign(..) | Op::Return(_) | Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) => {
            "#57606a"
        }
    }
}
