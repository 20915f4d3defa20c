//! JSON: stable fields, for other programs.

use super::{kind_name, op_name, span_of};
use crate::cfa::{LocKind, Loops};
use crate::program::Program;
use crate::source::Span;
use serde::Serialize;

/// The automata of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Automata {
    /// `tour-cfa/1`. Fields may be added under this name; a changed or removed field gets a new one.
    pub schema: &'static str,
    /// The id of the function where execution begins.
    pub entry: usize,
    /// Functions with a body, by id.
    pub functions: Vec<FunctionJson>,
    /// Locations, by id.
    pub locations: Vec<LocationJson>,
    /// Edges, by id.
    pub edges: Vec<EdgeJson>,
}

/// A function with a body.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionJson {
    /// Its id.
    pub id: usize,
    /// Its name.
    pub name: String,
    /// The user's file.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// The location where it begins.
    pub entry: usize,
    /// The location where it returns.
    pub exit: usize,
}

/// A location.
#[derive(Clone, Debug, Serialize)]
pub struct LocationJson {
    /// Its id.
    pub id: usize,
    /// The id of its function.
    pub function: usize,
    /// `plain`, `entry`, `exit`, `error` or `end`.
    pub kind: &'static str,
    /// What is violated at an `error` location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckJson>,
    /// It is the head of a loop.
    pub loop_head: bool,
    /// How many loops are around it.
    pub loop_depth: u32,
    /// The user's file.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
}

/// A check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckJson {
    /// The rule's id, as in `--property`.
    pub rule: &'static str,
    /// What fails.
    pub message: String,
}

/// An edge.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeJson {
    /// Its id.
    pub id: usize,
    /// The location it leaves.
    pub from: usize,
    /// The location it leads to.
    pub to: usize,
    /// `nop`, `assign`, `assume`, `call`, `return`, `havoc`, `declare` or `unsupported`.
    pub kind: &'static str,
    /// The operation, as C.
    pub text: String,
    /// For an `unsupported` edge: what is not modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<&'static str>,
    /// The user's file.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// Where it stands in the preprocessed text.
    pub span: SpanJson,
}

/// A range of bytes of preprocessed text.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SpanJson {
    /// The index of the unit, in the order in which the files were named.
    pub unit: usize,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The automata as data that `serde_json` can write.
pub fn json(program: &Program) -> Automata {
    let (cfa, loops) = (&program.cfa, Loops::of(program));
    let place = |span: Span| {
        let place = program.sources.place(span);
        (place.file.display().to_string(), place.line)
    };
    let function = |(id, f): (crate::program::FnId, &crate::program::Function)| {
        let (body, (file, line)) = (f.body?, place(f.span));
        let (entry, exit) = (body.entry.index(), body.exit.index());
        Some(FunctionJson { id: id.index(), name: f.name.clone(), file, line, entry, exit })
    };
    let locations = cfa.locs.iter_enumerated().map(|(id, loc)| {
        let (file, line) = place(span_of(program, id));
        let check = match loc.kind {
            LocKind::Error(check) => {
                let check = &program.checks[check];
                Some(CheckJson { rule: check.rule.id(), message: check.message.clone() })
            }
            LocKind::Plain | LocKind::Entry | LocKind::Exit | LocKind::End => None,
        };
        LocationJson {
            id: id.index(),
            function: loc.function.index(),
            kind: kind_name(loc.kind),
            check,
            loop_head: loops.is_head(id),
            loop_depth: loops.depth(id),
            file,
            line,
        }
    });
    let edges = cfa.edges.iter_enumerated().map(|(id, edge)| {
        let (file, line) = place(edge.span);
        EdgeJson {
            id: id.index(),
            from: edge.from.index(),
            to: edge.to.index(),
            kind: op_name(&edge.op),
            text: program.show_op(&edge.op),
            unsupported: match &edge.op {
                crate::program::Op::Unsupported(what) => Some(what.kind),
                _ => None,
            },
            file,
            line,
            span: SpanJson { unit: edge.span.unit.index(), start: edge.span.start, end: edge.span.end },
        }
    });
    Automata {
        schema: "tour-cfa/1",
        entry: program.entry.index(),
        functions: program.functions.iter_enumerated().filter_map(function).collect(),
        locations: locations.collect(),
        edges: edges.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;
    use expect_test::expect;

    #[test]
    fn fields_are_stable() {
        let s = sample("fn main(): 1->1 [x < 3]\n 1->error unsupported");
        let text = serde_json::to_string_pretty(&json(&s.program)).unwrap();
        expect![[r#"
            {
              "schema": "tour-cfa/1",
              "entry": 0,
              "functions": [
                {
                  "id": 0,
                  "name": "main",
                  "file": "test.c",
                  "line": 1,
                  "entry": 0,
                  "exit": 1
                }
              ],
              "locations": [
                {
                  "id": 0,
                  "function": 0,
                  "kind": "entry",
                  "loop_head": true,
                  "loop_depth": 1,
                  "file": "test.c",
                  "line": 1
                },
                {
                  "id": 1,
                  "function": 0,
                  "kind": "exit",
                  "loop_head": false,
                  "loop_depth": 0,
                  "file": "test.c",
                  "line": 1
                },
                {
                  "id": 2,
                  "function": 0,
                  "kind": "error",
                  "check": {
                    "rule": "unreach-call",
                    "message": "error is reached"
                  },
                  "loop_head": false,
                  "loop_depth": 0,
                  "file": "test.c",
                  "line": 2
                }
              ],
              "edges": [
                {
                  "id": 0,
                  "from": 0,
                  "to": 0,
                  "kind": "assume",
                  "text": "[x < 3]",
                  "file": "test.c",
                  "line": 1,
                  "span": {
                    "unit": 0,
                    "start": 11,
                    "end": 23
                  }
                },
                {
                  "id": 1,
                  "from": 0,
                  "to": 2,
                  "kind": "unsupported",
                  "text": "unsupported: inline assembly",
                  "unsupported": "inline-asm",
                  "file": "test.c",
                  "line": 2,
                  "span": {
                    "unit": 0,
                    "start": 25,
                    "end": 45
                  }
                }
              ]
            }"#]]
        .assert_eq(&text);
    }
}
