//! Variables that always have their first value: nothing else is ever written to them. What depends on them alone is
//! decided here; the kind of a lock is the common case.
//!
//! Members of a union are no scalars of their own: a write to one changes the others. A read that is replaced by its
//! value is no access any more, so that where data races are looked for, only variables that nothing writes are replaced,
//! and locks, whose own accesses never race.

use rustc_hash::FxHashMap;
use tour_ir::cfa::{Cfa, EdgeId};
use tour_ir::program::{
    BinOp, Call, ExprId, ExprKind, InitItem, Op, PlaceId, PlaceKind, Program, RecordKind, Storage, Type,
    VarId,
};

/// A scalar of a variable: the variable itself, or a field of it.
type Cell = (VarId, Option<u32>);

/// Replaces reads of such variables by their value, and takes out branches that are never taken. With `races`, writes of
/// the same value count as writes.
pub(super) fn fold(program: &mut Program, races: bool) {
    let values = values(program, races);
    for index in 0..program.exprs.len() {
        let id = ExprId::new(index);
        if let ExprKind::Load(place) = program.exprs[id].kind
            && let Some(Some(value)) = cell(program, place).and_then(|cell| values.get(&cell))
        {
            program.exprs[id].kind = ExprKind::Int(*value);
        }
    }
    let keep: Vec<(EdgeId, bool)> = (program.cfa.edges.iter_enumerated())
        .map(|(id, edge)| match edge.op {
            Op::Assume { cond, truth } => (id, eval(program, cond).is_none_or(|v| (v != 0) == truth)),
            _ => (id, true),
        })
        .collect();
    let old = std::mem::take(&mut program.cfa);
    let mut new = Cfa { locs: old.locs, edges: Default::default() };
    for loc in &mut new.locs {
        loc.out.clear();
        loc.into.clear();
    }
    for ((_, keep), edge) in keep.into_iter().zip(old.edges) {
        if keep {
            let op = match edge.op {
                Op::Assume { cond, .. } if eval(program, cond).is_some() => Op::Nop,
                op => op,
            };
            new.add_edge(edge.from, edge.to, op, edge.span);
        }
    }
    program.cfa = new;
    tour_ir::cfa::simplify(program);
}

fn cell(program: &Program, place: PlaceId) -> Option<Cell> {
    let cell = match program.places[place].kind {
        PlaceKind::Var(var) => (var, None),
        PlaceKind::Field(base, index) => match program.places[base].kind {
            PlaceKind::Var(var) if !is_union(program, var) => (var, Some(index)),
            _ => return None,
        },
        PlaceKind::Deref(_) | PlaceKind::Index(..) => return None,
    };
    let is_integer = program.types.int_type(program.places[place].ty).is_some();
    let var = &program.vars[cell.0];
    let plain =
        matches!(var.storage, Storage::Static | Storage::StaticLocal(_) | Storage::Global { defined: true });
    (is_integer && plain && !var.ty.quals.volatile && program.bit_field(place).is_none()).then_some(cell)
}

fn is_union(program: &Program, var: VarId) -> bool {
    match program.types[program.vars[var].ty.ty] {
        Type::Record(id) => program.types.records[id].kind == RecordKind::Union,
        _ => false,
    }
}

/// The value of each such scalar; `None` for one that changes.
fn values(program: &Program, races: bool) -> FxHashMap<Cell, Option<u128>> {
    let mut values: FxHashMap<Cell, Option<u128>> = FxHashMap::default();
    let addressed = addressed(program);
    for &var in &program.globals {
        let cells: Vec<Cell> = match &program.types[program.vars[var].ty.ty] {
            Type::Record(id) => {
                (0..program.types.records[*id].fields.len() as u32).map(|i| (var, Some(i))).collect()
            }
            _ => vec![(var, None)],
        };
        let known = !addressed.contains(&var);
        for cell in cells {
            values.insert(cell, known.then_some(0));
        }
        for item in program.vars[var].init.iter().flat_map(|init| &init.items) {
            let InitItem::Value { place, value } = item else { continue };
            if let Some(slot) =
                cell(program, *place).and_then(|cell| values.get_mut(&cell)).filter(|s| s.is_some())
            {
                *slot = program.const_value(*value);
            }
        }
    }
    let mut written = |place: PlaceId, value: Option<u128>| match cell(program, place) {
        Some(cell) => {
            let counts = races && !super::sync::is_lock(program, cell.0);
            if let Some(slot) = values.get_mut(&cell)
                && (counts || *slot != value)
            {
                *slot = None;
            }
        }
        None => {
            if let Some(var) = program.root(place) {
                values.iter_mut().filter(|((v, _), _)| *v == var).for_each(|(_, value)| *value = None);
            }
        }
    };
    for edge in &program.cfa.edges {
        match &edge.op {
            Op::Assign(place, value) => written(*place, program.const_value(*value)),
            Op::Havoc(place, _) => written(*place, None),
            Op::Call(Call { dest: Some(dest), .. }) => written(*dest, None),
            _ => {}
        }
    }
    values
}

/// Variables whose address is a value somewhere in the program.
fn addressed(program: &Program) -> rustc_hash::FxHashSet<VarId> {
    let mut found = rustc_hash::FxHashSet::default();
    for expr in &program.exprs {
        if let ExprKind::AddrOf(place) = expr.kind
            && let Some(var) = program.root(place)
        {
            found.insert(var);
        }
    }
    found
}

/// The value of an expression of constants; comparisons only.
fn eval(program: &Program, expr: ExprId) -> Option<u128> {
    match program.exprs[expr].kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Cast(inner) => {
            let (from, to) = (program.int_type_of(inner)?, program.int_type_of(expr)?);
            Some(to.wrap(from.to_i128(eval(program, inner)?) as u128))
        }
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            let int = program.int_type_of(a);
            let (a, b) = (eval(program, a)?, eval(program, b)?);
            let (a, b) = match int {
                Some(int) => (int.to_i128(a), int.to_i128(b)),
                // Null pointers.
                None => (a as i128, b as i128),
            };
            Some(u128::from(match op {
                BinOp::Eq => a == b,
                BinOp::Ne => a != b,
                BinOp::Lt => a < b,
                BinOp::Le => a <= b,
                BinOp::Gt => a > b,
                BinOp::Ge => a >= b,
                _ => return None,
            }))
        }
        _ => None,
    }
}
