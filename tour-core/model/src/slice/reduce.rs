//! The automata of a slice: edges of kept locations lead to where a run goes on.

use super::cone::Cone;
use super::dependence::{Dependence, Invocation};
use super::{Slice, SliceEdge};
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{Expr, ExprId, ExprKind, HavocOrigin, IntKind, Op, Program, Type};

/// The slice of a cone.
pub(super) fn slice(of: &Dependence, cone: &Cone) -> Slice {
    let program = of.program;
    let cfa = &program.cfa;
    let mut data: Vec<_> = (0..of.data as u32)
        .filter(|datum| cone.matters[*datum as usize])
        .map(|datum| of.datum(datum))
        .collect();
    data.sort_unstable();
    let is_statement = |op: &Op| *op != Op::Nop;
    let all = of.functions.iter().flat_map(|f| of.locations(*f)).flat_map(|loc| &cfa.locs[loc].out);
    let before = all.filter(|edge| is_statement(&cfa.edges[**edge].op)).count();
    let mut slice = Slice {
        next: cone.next.clone(),
        data,
        edges: Vec::new(),
        open: Vec::new(),
        constants: Vec::new(),
        before,
        after: 0,
    };
    for &f in &of.functions {
        let to = |to: LocId| cone.next[to].unwrap_or(to);
        // What is at the entry of a function that is not kept goes on at once.
        let entry = program.functions[f].body.map(|body| body.entry);
        if let Some(entry) = entry.filter(|entry| !slice.keeps(*entry))
            && let Some(&edge) = cfa.locs[entry].out.first()
        {
            slice.edges.push(SliceEdge { edge, op: Op::Nop, to: to(cfa.edges[edge].to) });
        }
        for loc in of.locations(f).into_iter().filter(|loc| cone.kept[*loc]) {
            slice.open.extend(Some(loc).filter(|loc| cone.open[*loc]));
            for (edge, at) in cfa.successors(loc) {
                let mut op = at.op.clone();
                if let Some(call) = &of.effect_of(edge).call {
                    simplify(of, cone, call, &mut op, &mut slice.constants);
                }
                slice.after += usize::from(is_statement(&op));
                slice.edges.push(SliceEdge { edge, op, to: to(at.to) });
            }
        }
    }
    slice
}

/// Arguments and results that do not matter go.
fn simplify(of: &Dependence, cone: &Cone, call: &Invocation, op: &mut Op, constants: &mut Vec<Expr>) {
    let program = of.program;
    let Op::Call(written) = op else { return };
    let any = |data: &[u32]| data.iter().any(|datum| cone.matters[*datum as usize]);
    if call.dest.as_ref().is_some_and(|(content, _)| !any(content)) {
        written.dest = None;
    }
    for (i, arg) in written.args.iter_mut().enumerate() {
        let passed =
            call.targets.iter().any(|target| of.params[*target].get(i).is_some_and(|param| any(param)));
        if passed || call.wholes[i] {
            continue;
        }
        let old = &program.exprs[*arg];
        let kind = match program.types[old.ty] {
            Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => ExprKind::Int(0),
            Type::Float(_) => ExprKind::Float(0.0),
            _ => continue,
        };
        if !matches!(old.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            *arg = ExprId::new(program.exprs.len() + constants.len());
            constants.push(Expr { kind, ty: old.ty, span: old.span });
        }
    }
}

/// A run takes one of two edges, whatever their condition was.
pub(super) fn open(program: &mut Program, loc: LocId) {
    let function = program.cfa.locs[loc].function;
    let out = std::mem::take(&mut program.cfa.locs[loc].out);
    let Some(span) = out.first().map(|edge| program.cfa.edges[*edge].span) else { return };
    let int = program.types.int(IntKind::Int);
    let var = program.add_temp(function, "<either>", int, span);
    let (place, choice) = (program.var_place(var, span), program.load_var(var, span));
    let mid = program.cfa.add_loc(function, LocKind::Plain);
    for &edge in &out {
        let edge = &mut program.cfa.edges[edge];
        edge.from = mid;
        if let Op::Assume { cond, .. } = &mut edge.op {
            *cond = choice;
        }
    }
    program.cfa.locs[mid].out = out;
    program.cfa.add_edge(loc, mid, Op::Havoc(place, HavocOrigin::Indeterminate), span);
}
