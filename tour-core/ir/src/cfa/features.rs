//! The 25 static features of a program from which TOUR selects a distance metric [TOUR Table 4.1 and §7.2].
//!
//! Only functions with a body that the entry may reach count. The edge of a call to such a function stands for two in
//! `EDGES`, the call and the return; within its function it is one. Variables are those of the source: temporaries,
//! return values and literals do not count, so that the features do not depend on how the front end splits expressions.

use super::{CallGraph, Loops, Targets, VarUse, Variables};
use crate::program::{FnId, Op, Program, Storage};
use index_vec::IndexVec;
use serde::{Deserialize, Serialize};

/// The features, in the order of Table 4.1. "Per function" values come as maximum, average and (population) standard
/// deviation.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Features {
    /// Number of program locations.
    pub locs: f64,
    /// Maximum number of locations per function.
    pub mxlofn: f64,
    /// Average number of locations per function.
    pub avlofn: f64,
    /// Standard deviation of the number of locations per function.
    pub sdlofn: f64,
    /// Number of control-flow edges.
    pub edges: f64,
    /// Maximum number of control-flow edges per function.
    pub mxegfn: f64,
    /// Average number of control-flow edges per function.
    pub avegfn: f64,
    /// Standard deviation of the number of control-flow edges per function.
    pub sdegfn: f64,
    /// Number of loops.
    pub loops: f64,
    /// Maximum number of loops per function.
    pub mxlpfn: f64,
    /// Average number of loops per function.
    pub avlpfn: f64,
    /// Standard deviation of the number of loops per function.
    pub sdlpfn: f64,
    /// Number of functions.
    pub funcs: f64,
    /// Maximum number of function calls per function.
    pub mxcalls: f64,
    /// Average number of function calls per function.
    pub avcalls: f64,
    /// Standard deviation of the number of function calls per function.
    pub sdcalls: f64,
    /// Number of relevant variables: used in conditions or dereferenced, and those that they depend on.
    pub vars: f64,
    /// Number of variables used in conditions.
    pub varsasm: f64,
    /// Number of variables used in loop exit conditions.
    pub varsloop: f64,
    /// Number of variables that count a loop up or down.
    pub varsinc: f64,
    /// Number of relevant bit-fields.
    pub fields: f64,
    /// Maximum cyclomatic complexity per function.
    pub mxcc: f64,
    /// Sum of cyclomatic complexity per function.
    pub smcc: f64,
    /// Average cyclomatic complexity per function.
    pub avcc: f64,
    /// Standard deviation of cyclomatic complexity per function.
    pub sdcc: f64,
}

impl Features {
    /// The names, in the order of the table. (The table writes the variables' features `VARIS…`, the text of §7.2 and
    /// the selection trees `VARS…`.)
    pub const NAMES: [&'static str; 25] = [
        "LOCS", "MXLOFN", "AVLOFN", "SDLOFN", "EDGES", "MXEGFN", "AVEGFN", "SDEGFN", "LOOPS", "MXLPFN",
        "AVLPFN", "SDLPFN", "FUNCS", "MXCALLS", "AVCALLS", "SDCALLS", "VARS", "VARSASM", "VARSLOOP",
        "VARSINC", "FIELDS", "MXCC", "SMCC", "AVCC", "SDCC",
    ];

    /// The features of a program.
    pub fn of(program: &Program) -> Features {
        let (loops, calls) = (Loops::of(program), CallGraph::of(program));
        let variables = Variables::of(program, &loops, &calls);
        Features::from_analyses(program, &loops, &calls, &variables)
    }

    /// The features of a program whose analyses are there already.
    pub fn from_analyses(
        program: &Program,
        loops: &Loops,
        calls: &CallGraph,
        variables: &Variables,
    ) -> Features {
        let cfa = &program.cfa;
        let mut counts: IndexVec<_, Counts> = program.functions.iter().map(|_| Counts::default()).collect();
        for loc in &cfa.locs {
            counts[loc.function].locs += 1;
            counts[loc.function].edges += loc.out.len();
        }
        for (_, l) in loops.iter() {
            counts[l.function].loops += 1;
        }
        let defined = |f: FnId| program.functions[f].body.is_some();
        for function in program.functions.indices() {
            let sites = calls.call_sites(function).iter();
            let to_body = sites.filter(|&&site| match &cfa.edges[site].op {
                Op::Call(call) => match calls.targets(program, call) {
                    Targets::Direct(f) => defined(f),
                    Targets::Indirect(_, candidates) => candidates.iter().any(|&f| defined(f)),
                },
                _ => false,
            });
            counts[function].calls = to_body.count();
        }
        let counts: Vec<Counts> = calls.reachable_bodies(program).map(|f| counts[f]).collect();
        let per_function = |value: fn(&Counts) -> f64| Summary::of(counts.iter().map(value));
        let locs = per_function(|c| c.locs as f64);
        let edges = per_function(|c| c.edges as f64);
        let loops = per_function(|c| c.loops as f64);
        let calls = per_function(|c| c.calls as f64);
        // McCabe: one entry, one exit.
        let complexity = per_function(|c| c.edges as f64 - c.locs as f64 + 2.0);
        let count = |holds: fn(&VarUse) -> bool| {
            let of_source = |storage| match storage {
                Storage::Global { .. }
                | Storage::Static
                | Storage::StaticLocal(_)
                | Storage::Param(_)
                | Storage::Local(_) => true,
                Storage::Literal | Storage::Temp(_) | Storage::Return(_) => false,
            };
            variables.iter().filter(|(v, u)| holds(u) && of_source(program.vars[*v].storage)).count() as f64
        };
        Features {
            locs: locs.sum,
            mxlofn: locs.max,
            avlofn: locs.average,
            sdlofn: locs.deviation,
            edges: edges.sum + calls.sum,
            mxegfn: edges.max,
            avegfn: edges.average,
            sdegfn: edges.deviation,
            loops: loops.sum,
            mxlpfn: loops.max,
            avlpfn: loops.average,
            sdlpfn: loops.deviation,
            funcs: counts.len() as f64,
            mxcalls: calls.max,
            avcalls: calls.average,
            sdcalls: calls.deviation,
            vars: count(|u| u.relevant),
            varsasm: count(|u| u.in_condition),
            varsloop: count(|u| u.in_loop_exit),
            varsinc: count(|u| u.loop_counter),
            fields: variables.relevant_bit_fields().len() as f64,
            mxcc: complexity.max,
            smcc: complexity.sum,
            avcc: complexity.average,
            sdcc: complexity.deviation,
        }
    }

    /// The values, in the order of [`Self::NAMES`].
    pub fn values(&self) -> [f64; 25] {
        [
            self.locs,
            self.mxlofn,
            self.avlofn,
            self.sdlofn,
            self.edges,
            self.mxegfn,
            self.avegfn,
            self.sdegfn,
            self.loops,
            self.mxlpfn,
            self.avlpfn,
            self.sdlpfn,
            self.funcs,
            self.mxcalls,
            self.avcalls,
            self.sdcalls,
            self.vars,
            self.varsasm,
            self.varsloop,
            self.varsinc,
            self.fields,
            self.mxcc,
            self.smcc,
            self.avcc,
            self.sdcc,
        ]
    }
}

/// What is counted in a function.
#[derive(Clone, Copy, Default)]
struct Counts {
    locs: usize,
    edges: usize,
    loops: usize,
    calls: usize,
}

struct Summary {
    sum: f64,
    max: f64,
    average: f64,
    deviation: f64,
}

impl Summary {
    fn of(values: impl ExactSizeIterator<Item = f64> + Clone) -> Summary {
        if values.len() == 0 {
            return Summary { sum: 0.0, max: 0.0, average: 0.0, deviation: 0.0 };
        }
        let n = values.len() as f64;
        let sum: f64 = values.clone().sum();
        let average = sum / n;
        let variance = values.clone().map(|v| (v - average).powi(2)).sum::<f64>() / n;
        Summary { sum, max: values.fold(f64::NEG_INFINITY, f64::max), average, deviation: variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;
    use crate::program::{BitField, Field, Place, PlaceKind, Record, RecordKind, Type};

    /// `main` of Figure 7.5; `exit` is L12, `end11` is the call of `abort` at L11.
    const MAIN: &str = "fn main(*x, k): 1->2 declare i; 2->3 [x[1] > x[2]]; 2->8 [!(x[1] > x[2])]
        3->4 f(x[1]); 4->5 [k == 0]; 4->6 [!(k == 0)]; 5->7 x[2] = x[1]; 6->7 x[1] = x[2]; 7->10
        8->9 f(x[2]); 9->10; 10->end11 [x[1] > x[2]]; 10->exit [!(x[1] > x[2])]\n";

    /// The worked example of §7.2, on the graph of Figure 7.6. Its six edges of `f` have more than one operation each;
    /// here each has the one that matters to the features. (§7.2 says that `main` has no call and `f` has two: the names
    /// are swapped, the calls L3 and L8 are those of `main`.)
    #[test]
    fn the_worked_example_has_the_published_values() {
        let f = "fn f(i): 21->22 a = 0; 22->23 [a < i]; 22->exit [!(a < i)]; 23->24 [b < i]; 24->23 b = b + 1
                 23->22 a = a + 1";
        let s = sample(&format!("{MAIN}{f}"));
        let found = Features::of(&s.program);
        let expect = Features {
            locs: 17.0,
            mxlofn: 12.0,
            avlofn: 8.5,
            sdlofn: 3.5,
            edges: 21.0,
            mxegfn: 13.0,
            avegfn: 9.5,
            sdegfn: 3.5,
            loops: 2.0,
            mxlpfn: 2.0,
            avlpfn: 1.0,
            sdlpfn: 1.0,
            funcs: 2.0,
            mxcalls: 2.0,
            avcalls: 1.0,
            sdcalls: 1.0,
            vars: 5.0,
            varsasm: 5.0,
            varsloop: 3.0,
            varsinc: 2.0,
            fields: 0.0,
            mxcc: 3.0,
            smcc: 6.0,
            avcc: 3.0,
            sdcc: 0.0,
        };
        assert_eq!(found, expect);
    }

    /// With an edge for each operation of `f`, `c++` among them, only the sizes change.
    #[test]
    fn the_other_features_do_not_depend_on_how_edges_are_split() {
        let f = "fn f(i): 21->22 a = 0; 22->23 [a < i]; 22->exit [!(a < i)]; 23->24 b = 0; 24->25 [b < i]
                 25->26 c = c + 1; 26->24 b = b + 1; 24->27 [!(b < i)]; 27->22 a = a + 1";
        let s = sample(&format!("{MAIN}{f}"));
        let found = Features::of(&s.program).values();
        assert_eq!(found[..8], [20.0, 12.0, 10.0, 2.0, 24.0, 13.0, 11.0, 2.0]);
        let rest = [2., 2., 1., 1., 2., 2., 1., 1., 5., 5., 3., 2., 0., 3., 6., 3., 0.];
        assert_eq!(found[8..], rest);
    }

    /// The program of Figure 7.5 itself.
    #[test]
    fn functions_without_a_body_and_unreachable_ones_do_not_count() {
        let s = sample("fn main(): 1->2 x = abs(1); 2->exit [x > 1]\nfn dead(y): 1->exit [y > 1]");
        let found = Features::of(&s.program);
        assert_eq!((found.funcs, found.edges, found.mxcalls, found.varsasm), (1.0, 2.0, 0.0, 1.0));
    }

    #[test]
    fn bit_fields_count_where_they_are_read() {
        let mut s = sample("fn main(): 1->2 [x > 1]; 2->3 y = 1; 3->exit z = 2");
        let p = &mut s.program;
        let (int, span) = (p.types.int(crate::program::IntKind::Int), p.functions[p.entry].span);
        let field = |name: &str, offset| Field {
            name: Some(name.into()),
            ty: int.into(),
            offset: 0,
            bits: Some(BitField { offset, width: 4 }),
            span,
        };
        let record = p.types.records.push(Record {
            kind: RecordKind::Struct,
            tag: None,
            fields: vec![field("a", 0), field("b", 4)],
            size: 4,
            align: 4,
            complete: true,
            transparent: false,
            span,
        });
        let ty = p.types.intern(Type::Record(record));
        let mut holder = p.vars[p.functions[p.entry].locals[2]].clone();
        holder.ty = ty.into();
        let holder = p.vars.push(holder);
        // s.a = z; x = s.b
        let mut field = |index: u32| {
            let base = p.var_place(holder, span);
            p.places.push(Place { kind: PlaceKind::Field(base, index), ty: int, span })
        };
        let (a, b) = (field(0), field(1));
        let (z, x) = (p.functions[p.entry].locals[2], p.functions[p.entry].locals[0]);
        let (from_z, from_b, to_x) = (p.load_var(z, span), p.load(b, span), p.var_place(x, span));
        let mut ops = [Op::Assign(a, from_z), Op::Assign(to_x, from_b)].into_iter();
        for edge in p.cfa.edges.iter_mut().skip(1) {
            edge.op = ops.next().unwrap();
        }
        let found = Features::of(&s.program);
        assert_eq!((found.fields, found.vars), (1.0, 3.0));
    }

    #[test]
    fn names_and_values_go_together() {
        let s = sample("fn main(): 1->exit");
        let json = serde_json::to_value(Features::of(&s.program)).unwrap();
        let found = Features::of(&s.program).values();
        for (name, value) in Features::NAMES.iter().zip(found) {
            assert_eq!(json[name], value, "{name}");
        }
        assert_eq!(json.as_object().unwrap().len(), 25);
    }
}
