use super::*;
use tour_c::LoadOptions;
use tour_c::front::Input;
use tour_ir::prepared::Prepared;
use tour_ir::program::{DataModel, Expr};
use tour_model::slice::Branches;

const PROGRAMS: [&str; 5] = [
    "int x, y; int main(void) { for (y = 0; y < 9; y++) ; x = 1; if (x > y) __VERIFIER_error(); return y; }",
    "int x, y; int main(void) { y = 4; if (__VERIFIER_nondet_int()) x = 1; else y = 2; if (x) __VERIFIER_error(); return 0; }",
    "int x, y; int f(int a, int b) { y = b; return a; } void g(int b) { x = b; }
     int main(void) { int t = f(x + 3, y); g(t); y = f(y + 4, 5); if (x) __VERIFIER_error(); return 0; }",
    "int x, y; int main(void) { int *p = &x, *q = &y; if (__VERIFIER_nondet_int()) { *q = 2; *p = 1; } if (*p) __VERIFIER_error();
     return *q; }",
    "int x, z; void one(int k) { x = k; } void two(int k) { z = k; }
     int main(void) { void (*f)(int) = __VERIFIER_nondet_int() ? one : two; f(z + 1); two(3); if (x) __VERIFIER_error(); return 0; }",
];

fn sliced(text: &str, branches: Branches) -> (Prepared, Slice) {
    let text = format!("extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void); {text}");
    let program = tour_c::load(&[Input::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
    let program = Prepared::new(program.unwrap_or_else(|error| panic!("{error}")));
    let slice = Slice::of(&program, branches).expect("one thread");
    (program, slice)
}

#[test]
fn slices_hold() {
    for text in PROGRAMS {
        for branches in [Branches::Thin, Branches::Full] {
            let (program, slice) = sliced(text, branches);
            let part = check(&program, &slice).unwrap_or_else(|why| panic!("{why}: {text}"));
            // The slicer makes the same of it.
            let other = slice.apply(&program);
            let show = |p: &Program| {
                let edge = |e: &tour_ir::cfa::Edge| format!("{:?} {:?} {}", e.from, e.to, p.show_op(&e.op));
                p.cfa.edges.iter().map(edge).collect::<Vec<_>>()
            };
            assert_eq!(show(&part), show(&other), "{text}");
            assert_eq!(format!("{:?}", part.cfa.locs), format!("{:?}", other.cfa.locs), "{text}");
        }
    }
}

/// Every change of a slice is refused, and there are some.
#[track_caller]
fn broken(changes: impl Fn(&Program, &Slice) -> Vec<Slice>) {
    let mut count = 0;
    for text in PROGRAMS {
        let (program, slice) = sliced(text, Branches::Full);
        for changed in changes(&program, &slice) {
            count += 1;
            assert!(check(&program, &changed).is_err(), "{changed:?}\nof {text}");
        }
    }
    assert!(count > 0, "nothing was changed");
}

/// The slice without a location: runs go on behind its first edge.
fn without(program: &Program, slice: &Slice, loc: LocId) -> Slice {
    let mut less = slice.clone();
    let to = slice.next[program.cfa.edges[program.cfa.locs[loc].out[0]].to];
    for next in less.next.iter_mut().filter(|next| **next == Some(loc)) {
        *next = to;
    }
    less.edges.retain(|of| program.cfa.edges[of.edge].from != loc);
    for of in less.edges.iter_mut().filter(|of| of.to == loc) {
        of.to = to.unwrap_or(of.to);
    }
    less
}

fn kept<'a>(program: &'a Program, slice: &'a Slice) -> impl Iterator<Item = LocId> + 'a {
    let inner =
        |loc: &LocId| !program.cfa.locs[*loc].out.is_empty() && program.cfa.locs[*loc].kind == LocKind::Plain;
    program.cfa.locs.indices().filter(|loc| slice.keeps(*loc)).filter(inner)
}

#[test]
fn no_location_can_be_left_out() {
    broken(|program, slice| kept(program, slice).map(|loc| without(program, slice, loc)).collect());
}

#[test]
fn no_datum_can_be_left_out() {
    broken(|_, slice| {
        let without = |datum: &Datum| {
            let data = slice.data.iter().copied().filter(|other| other != datum).collect();
            Slice { data, ..slice.clone() }
        };
        slice.data.iter().map(without).collect()
    });
}

#[test]
fn error_locations_are_kept() {
    broken(|program, slice| {
        let error = |loc: &LocId| program.cfa.error_at(*loc).is_some();
        let drop = |loc: LocId| {
            let mut less = slice.clone();
            less.next[loc] = None;
            less
        };
        program.cfa.locs.indices().filter(error).map(drop).collect()
    });
}

/// Slices with one edge changed.
fn edges(slice: &Slice, change: impl Fn(&mut SliceEdge) -> bool) -> Vec<Slice> {
    let changed = |i: usize| {
        let mut other = slice.clone();
        change(&mut other.edges[i]).then_some(other)
    };
    (0..slice.edges.len()).filter_map(changed).collect()
}

#[test]
fn edges_stay_what_they_are() {
    broken(|_, slice| {
        (0..slice.edges.len())
            .map(|i| {
                let mut less = slice.clone();
                less.edges.remove(i);
                less
            })
            .collect()
    });
    broken(|_, slice| edges(slice, |of| std::mem::replace(&mut of.op, Op::Nop) != Op::Nop));
    broken(|program, slice| {
        edges(slice, |of| {
            let function = program.cfa.locs[of.to].function;
            let other = |loc: &LocId| *loc != of.to && program.cfa.locs[*loc].function == function;
            program.cfa.locs.indices().find(other).is_some_and(|loc| {
                of.to = loc;
                slice.next[program.cfa.edges[of.edge].to].is_some()
            })
        })
    });
}

#[test]
fn arguments_and_results_that_matter_stay() {
    broken(|program, slice| {
        let mut slice = slice.clone();
        let of = |ty| Expr { kind: ExprKind::Int(0), ty, span: program.functions[program.entry].span };
        let first = program.exprs.len() + slice.constants.len();
        let mut new = Vec::new();
        let changed = edges(&slice, |of| match &mut of.op {
            Op::Call(call) if !call.args.is_empty() && call.args[0].index() < program.exprs.len() => {
                let constant = matches!(program.exprs[call.args[0]].kind, ExprKind::Int(_));
                call.args[0] = ExprId::new(first);
                !constant
            }
            _ => false,
        });
        new.push(of(program.vars.iter().find(|v| v.name == "x").expect("x").ty.ty));
        slice.constants.extend(new);
        changed.into_iter().map(|c| Slice { constants: slice.constants.clone(), ..c }).collect()
    });
    broken(|_, slice| {
        edges(slice, |of| match &mut of.op {
            Op::Call(call) => call.dest.take().is_some(),
            _ => false,
        })
    });
}

#[test]
fn only_branches_are_open() {
    broken(|program, slice| {
        let single = kept(program, slice).filter(|loc| program.cfa.locs[*loc].out.len() == 1);
        single.map(|loc| Slice { open: vec![loc], ..slice.clone() }).collect()
    });
}

#[test]
fn constants_are_constants() {
    broken(|program, slice| {
        let load = program.exprs.iter().find(|expr| matches!(expr.kind, ExprKind::Load(_))).cloned();
        load.map(|load| Slice { constants: vec![load], ..slice.clone() }).into_iter().collect()
    });
}
