//! One access to shared memory an edge. Between two accesses of one statement another thread may take a step: `x = x + 1`
//! reads first and writes later.

use crate::cfa::{Cfa, EdgeId};
use crate::program::{
    Call, ExprId, ExprKind, FnId, Op, Place, PlaceId, PlaceKind, Program, Storage, Var, VarId,
};
use crate::source::Span;

/// Splits edges with several accesses. Reads go into temporaries first, in the order of the text.
pub(super) fn one_access_an_edge(program: &mut Program) {
    for index in 0..program.cfa.locs.len() {
        let loc = crate::cfa::LocId::new(index);
        let out = program.cfa.locs[loc].out.clone();
        let Some(&first) = out.first() else { continue };
        let function = program.cfa.locs[loc].function;
        let span = program.cfa.edges[first].span;
        // Both sides of a branch look at the same values.
        let conditions: Vec<ExprId> = out
            .iter()
            .filter_map(|e| match program.cfa.edges[*e].op {
                Op::Assume { cond, .. } => Some(cond),
                _ => None,
            })
            .collect();
        if conditions.len() == out.len() {
            if conditions.iter().any(|&cond| reads(program, cond) > 1) {
                let mut split = Split { program, function, loads: Vec::new(), span };
                let mut made: Vec<(ExprId, ExprId)> = Vec::new();
                for &edge in &out {
                    let Op::Assume { cond, truth } = split.program.cfa.edges[edge].op else { continue };
                    let known = made.iter().find(|(old, _)| *old == cond).map(|(_, new)| *new);
                    let new = known.unwrap_or_else(|| split.expr(cond));
                    made.push((cond, new));
                    let cond = new;
                    split.program.cfa.edges[edge].op = Op::Assume { cond, truth };
                }
                split.put_before(&out);
            }
            continue;
        }
        for &edge in &out {
            split_edge(program, function, edge);
        }
    }
}

fn split_edge(program: &mut Program, function: FnId, edge: EdgeId) {
    let op = program.cfa.edges[edge].op.clone();
    let span = program.cfa.edges[edge].span;
    let accesses = match &op {
        Op::Assign(place, value) => {
            reads(program, *value) + usize::from(is_shared(program, *place)) + index_reads(program, *place)
        }
        Op::Return(Some(value)) => reads(program, *value),
        Op::Havoc(place, _) => usize::from(is_shared(program, *place)) + index_reads(program, *place),
        Op::Call(Call { args, dest, .. }) => {
            let dest = dest.map_or(0, |d| usize::from(is_shared(program, d)) + index_reads(program, d));
            args.iter().map(|a| reads(program, *a)).sum::<usize>() + dest
        }
        Op::Nop
        | Op::Assume { .. }
        | Op::Return(None)
        | Op::Declare(_)
        | Op::Expire(_)
        | Op::Unsupported(_) => 0,
    };
    if accesses < 2 {
        return;
    }
    let mut split = Split { program, function, loads: Vec::new(), span };
    let op = match op {
        // Records and arrays are copied in one step.
        Op::Assign(place, value) if split.program.types.is_scalar(split.program.places[place].ty) => {
            let value = split.expr(value);
            Op::Assign(split.indices(place), value)
        }
        Op::Return(Some(value)) if split.program.types.is_scalar(split.program.exprs[value].ty) => {
            Op::Return(Some(split.expr(value)))
        }
        Op::Havoc(place, origin) => Op::Havoc(split.indices(place), origin),
        Op::Call(Call { callee, args, dest }) => {
            let args = args.into_iter().map(|arg| split.argument(arg)).collect();
            let dest = dest.map(|dest| split.indices(dest));
            Op::Call(Call { callee, args, dest })
        }
        other => other,
    };
    split.program.cfa.edges[edge].op = op;
    split.put_before(&[edge]);
}

/// Another thread may access what a place stands for.
pub(super) fn is_shared(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Var(var) => is_shared_var(program, var),
        PlaceKind::Deref(_) => true,
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => is_shared(program, base),
    }
}

fn is_shared_var(program: &Program, var: VarId) -> bool {
    let Var { storage, thread_local, address_taken, ty, .. } = &program.vars[var];
    match storage {
        Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) => {
            !thread_local && !ty.quals.constant
        }
        Storage::Literal => false,
        Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => *address_taken,
    }
}

/// How many shared accesses the value of an expression needs.
fn reads(program: &Program, expr: ExprId) -> usize {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => 0,
        ExprKind::Load(place) => usize::from(is_shared(program, place)) + index_reads(program, place),
        ExprKind::AddrOf(place) => index_reads(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => reads(program, a),
        ExprKind::Binary(_, a, b) => reads(program, a) + reads(program, b),
    }
}

/// How many shared accesses it needs to know where a place is.
fn index_reads(program: &Program, place: PlaceId) -> usize {
    match program.places[place].kind {
        PlaceKind::Var(_) => 0,
        PlaceKind::Deref(pointer) => reads(program, pointer),
        PlaceKind::Field(base, _) => index_reads(program, base),
        PlaceKind::Index(base, index) => index_reads(program, base) + reads(program, index),
    }
}

struct Split<'a> {
    program: &'a mut Program,
    function: FnId,
    /// What goes before: temporaries with their values.
    loads: Vec<(PlaceId, ExprId)>,
    span: Span,
}

impl Split<'_> {
    /// The expression with shared reads replaced by temporaries.
    fn expr(&mut self, expr: ExprId) -> ExprId {
        if reads(self.program, expr) == 0 {
            return expr;
        }
        let mut node = self.program.exprs[expr].clone();
        node.kind = match node.kind {
            ExprKind::Load(place) => {
                let place = self.indices(place);
                let load = self.program.add_expr(ExprKind::Load(place), node.ty, node.span);
                if !is_shared(self.program, place) {
                    return load;
                }
                return self.save(load);
            }
            ExprKind::AddrOf(place) => ExprKind::AddrOf(self.indices(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(a)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(a)),
            ExprKind::Fact(fact, a) => ExprKind::Fact(fact, self.expr(a)),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a);
                ExprKind::Binary(op, a, self.expr(b))
            }
            kind @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_)) => kind,
        };
        self.program.exprs.push(node)
    }

    /// An argument; records are passed as they are.
    fn argument(&mut self, arg: ExprId) -> ExprId {
        if self.program.types.is_scalar(self.program.exprs[arg].ty) { self.expr(arg) } else { arg }
    }

    fn indices(&mut self, place: PlaceId) -> PlaceId {
        if index_reads(self.program, place) == 0 {
            return place;
        }
        let Place { kind, ty, span } = self.program.places[place].clone();
        let kind = match kind {
            PlaceKind::Var(var) => PlaceKind::Var(var),
            PlaceKind::Deref(pointer) => PlaceKind::Deref(self.expr(pointer)),
            PlaceKind::Field(base, index) => PlaceKind::Field(self.indices(base), index),
            PlaceKind::Index(base, index) => {
                let base = self.indices(base);
                PlaceKind::Index(base, self.expr(index))
            }
        };
        self.program.places.push(Place { kind, ty, span })
    }

    fn save(&mut self, value: ExprId) -> ExprId {
        let ty = self.program.exprs[value].ty;
        let read = match self.program.exprs[value].kind {
            ExprKind::Load(place) => self.program.show_place(place),
            _ => String::new(),
        };
        let var = self.program.vars.push(Var {
            name: format!("${read}"),
            ty: ty.into(),
            storage: Storage::Temp(self.function),
            thread_local: false,
            address_taken: false,
            align: None,
            init: None,
            span: self.span,
        });
        self.program.functions[self.function].locals.push(var);
        let place = self.program.var_place(var, self.span);
        self.loads.push((place, value));
        self.program.load(place, self.span)
    }

    /// Puts the reads before edges that leave one location.
    fn put_before(self, edges: &[EdgeId]) {
        let Some(&first) = edges.first() else { return };
        let cfa: &mut Cfa = &mut self.program.cfa;
        let from = cfa.edges[first].from;
        let mut at = from;
        cfa.locs[from].out.retain(|edge| !edges.contains(edge));
        for (place, value) in self.loads {
            let next = cfa.add_loc(self.function, crate::cfa::LocKind::Plain);
            cfa.add_edge(at, next, Op::Assign(place, value), self.span);
            at = next;
        }
        for &edge in edges {
            cfa.edges[edge].from = at;
            if !cfa.locs[at].out.contains(&edge) {
                cfa.locs[at].out.push(edge);
            }
        }
    }
}
