//! Graphviz.

use super::{edge_colour, loc_style};
use crate::cfa::{LocKind, Loops};
use crate::program::Program;
use std::fmt::Write as _;

/// The automata as a `digraph`, a cluster for each function.
pub fn dot(program: &Program) -> String {
    let (cfa, loops) = (&program.cfa, Loops::of(program));
    let mut locs_of: Vec<Vec<_>> = vec![Vec::new(); program.functions.len()];
    for (id, loc) in cfa.locs.iter_enumerated() {
        locs_of[loc.function.index()].push(id);
    }
    let mut out = String::from(
        "digraph cfa {\n  node [shape=circle, style=filled, fontname=\"monospace\", fontsize=10];\n  \
         edge [fontname=\"monospace\", fontsize=9];\n",
    );
    for (id, function) in program.functions.iter_enumerated().filter(|(_, f)| f.body.is_some()) {
        _ = writeln!(out, "  subgraph cluster_{} {{\n    label=\"{}\";", id.index(), escape(&function.name));
        for &loc in &locs_of[id.index()] {
            let kind = cfa.locs[loc].kind;
            let style = loc_style(kind, loops.is_head(loc));
            let text = if kind == LocKind::End { ", fontcolor=white" } else { "" };
            let shape = if loops.is_head(loc) { ", shape=doublecircle" } else { "" };
            _ = writeln!(
                out,
                "    L{0} [label=\"{0}\", fillcolor=\"{1}\", color=\"{2}\"{shape}{text}];",
                loc.index(),
                style.fill,
                style.stroke
            );
        }
        for &loc in &locs_of[id.index()] {
            for (_, edge) in cfa.successors(loc) {
                let colour = edge_colour(&edge.op);
                _ = writeln!(
                    out,
                    "    L{} -> L{} [label=\"{}\", color=\"{colour}\"];",
                    edge.from.index(),
                    edge.to.index(),
                    escape(&program.show_op(&edge.op)),
                );
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// For a double-quoted Graphviz string.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;
    use expect_test::expect;

    #[test]
    fn a_cluster_for_each_function() {
        let s =
            sample("fn main(): 1->2 [x < 3]; 2->2 x = f(x); 2->exit; 1->error\nfn f(n): 1->exit return n");
        expect![[r##"
            digraph cfa {
              node [shape=circle, style=filled, fontname="monospace", fontsize=10];
              edge [fontname="monospace", fontsize=9];
              subgraph cluster_0 {
                label="main";
                L0 [label="0", fillcolor="#d3f2d3", color="#1a7f37"];
                L1 [label="1", fillcolor="#e4e7eb", color="#57606a"];
                L2 [label="2", fillcolor="#dcebff", color="#0969da", shape=doublecircle];
                L3 [label="3", fillcolor="#ffd0d0", color="#cf222e"];
                L0 -> L2 [label="[x < 3]", color="#0969da"];
                L0 -> L3 [label="", color="#57606a"];
                L2 -> L2 [label="x = f(x)", color="#8250df"];
                L2 -> L1 [label="", color="#57606a"];
              }
              subgraph cluster_1 {
                label="f";
                L4 [label="4", fillcolor="#d3f2d3", color="#1a7f37"];
                L5 [label="5", fillcolor="#e4e7eb", color="#57606a"];
                L4 -> L5 [label="return n", color="#57606a"];
              }
            }
        "##]]
        .assert_eq(&dot(&s.program));
    }

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(escape("a\\b \"c\"\n\td"), "a\\\\b \\\"c\\\"\\n d");
    }
}
