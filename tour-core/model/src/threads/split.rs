//! One access to shared memory an edge. Between two accesses of one statement another thread may take a step: `x = x + 1`
//! reads first and writes later.

use tour_ir::cfa::{Cfa, EdgeId};
use tour_ir::program::{
    Call, Callee, ExprId, ExprKind, FnId, Op, Place, PlaceId, PlaceKind, PointerFact, Program, Storage, Var,
    VarId,
};
use tour_ir::source::Span;

/// What is split.
#[derive(Clone, Copy)]
struct How {
    /// Reads that are the only access of an edge, too.
    every_read: bool,
    /// Copies of a byte in memory stay whole: what was not written of it is not written in the copy.
    keep_copies: bool,
}

/// Splits edges with several accesses. Reads go into temporaries first, in the order of the text.
pub(super) fn one_access_an_edge(program: &mut Program) {
    let how = How { every_read: false, keep_copies: program.asks_what_is_written };
    split(program, how);
}

/// Puts each read of shared memory on an edge of its own, so that what is asked about its value later (by the checks of
/// rules) does not read it again.
pub(super) fn reads_apart(program: &mut Program, keep_copies: bool) {
    split(program, How { every_read: true, keep_copies });
}

fn split(program: &mut Program, how: How) {
    for index in 0..program.cfa.locs.len() {
        let loc = tour_ir::cfa::LocId::new(index);
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
            let several = if how.every_read { 1 } else { 2 };
            if conditions.iter().any(|&cond| reads(program, cond) >= several) {
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
            split_edge(program, how, function, edge);
        }
    }
}

fn split_edge(program: &mut Program, how: How, function: FnId, edge: EdgeId) {
    let op = program.cfa.edges[edge].op.clone();
    let span = program.cfa.edges[edge].span;
    let written = |place: PlaceId| usize::from(is_shared(program, place));
    let (reads, writes) = match &op {
        Op::Assign(place, value) => (reads(program, *value) + index_reads(program, *place), written(*place)),
        Op::Return(Some(value)) => (reads(program, *value), 0),
        Op::Havoc(place, _) => (index_reads(program, *place), written(*place)),
        Op::Call(Call { callee, args, dest }) => {
            // Which function a pointer points to is asked for each function.
            let called = match callee {
                Callee::Indirect(pointer) => 2 * reads(program, *pointer),
                Callee::Direct(_) => 0,
            };
            let dest = dest.map_or((0, 0), |d| (index_reads(program, d), written(d)));
            let args = args.iter().map(|a| reads(program, *a)).sum::<usize>();
            (args + called + dest.0, dest.1)
        }
        Op::Nop
        | Op::Assume { .. }
        | Op::Return(None)
        | Op::Declare(_)
        | Op::Expire(_)
        | Op::Unsupported(_) => (0, 0),
    };
    let one = reads + writes < 2 && !(how.every_read && reads > 0 && !is_read(program, &op));
    if one {
        return;
    }
    let mut split = Split { program, function, loads: Vec::new(), span };
    let op = match op {
        Op::Assign(place, value) if how.keep_copies && is_copy(split.program, place, value) => {
            let value = split.whole(value);
            Op::Assign(split.indices(place), value)
        }
        Op::Assign(place, value) => {
            let value = split.value(value);
            Op::Assign(split.indices(place), value)
        }
        Op::Return(Some(value)) => Op::Return(Some(split.value(value))),
        Op::Havoc(place, origin) => Op::Havoc(split.indices(place), origin),
        Op::Call(Call { callee, args, dest }) => {
            let callee = match callee {
                Callee::Indirect(pointer) => Callee::Indirect(split.expr(pointer)),
                direct => direct,
            };
            let args = args.into_iter().map(|arg| split.value(arg)).collect();
            let dest = dest.map(|dest| split.indices(dest));
            Op::Call(Call { callee, args, dest })
        }
        other => other,
    };
    split.program.cfa.edges[edge].op = op;
    split.put_before(&[edge]);
}

/// The operation is a read of shared memory into a variable of the thread, and nothing else.
fn is_read(program: &Program, op: &Op) -> bool {
    let Op::Assign(place, value) = op else { return false };
    let ExprKind::Load(from) = program.exprs[*value].kind else { return false };
    matches!(program.places[*place].kind, PlaceKind::Var(_)) && index_reads(program, from) == 0
}

/// A byte is copied from memory to memory.
fn is_copy(program: &Program, to: PlaceId, value: ExprId) -> bool {
    let ExprKind::Load(from) = program.exprs[value].kind else { return false };
    let is_part = |place: PlaceId| !matches!(program.places[place].kind, PlaceKind::Var(_));
    program.types.size(program.exprs[value].ty) == Some(1) && is_part(to) && is_part(from)
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
            (!thread_local || *address_taken) && !ty.quals.constant
        }
        Storage::Literal => false,
        Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => *address_taken,
    }
}

/// How many shared accesses the value of an expression needs.
fn reads(program: &Program, expr: ExprId) -> usize {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => 0,
        ExprKind::Load(place) => {
            // What is not read at once has an edge of its own.
            let own =
                if super::tear::is_wide(program, place) { 2 } else { usize::from(is_shared(program, place)) };
            own + index_reads(program, place)
        }
        ExprKind::AddrOf(place) => index_reads(program, place),
        // What is asked about is not read.
        ExprKind::Fact(PointerFact::Written, load) => match program.exprs[load].kind {
            ExprKind::Load(place) => index_reads(program, place),
            _ => reads(program, load),
        },
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
            ExprKind::Fact(PointerFact::Written, load) => {
                ExprKind::Fact(PointerFact::Written, self.whole(load))
            }
            ExprKind::Fact(fact, a) => ExprKind::Fact(fact, self.expr(a)),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a);
                ExprKind::Binary(op, a, self.expr(b))
            }
            kind @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_)) => kind,
        };
        self.program.exprs.push(node)
    }

    /// What is assigned, passed or returned; of records and arrays only where they are.
    fn value(&mut self, value: ExprId) -> ExprId {
        match self.program.types.is_scalar(self.program.exprs[value].ty) {
            true => self.expr(value),
            false => self.whole(value),
        }
    }

    /// What is stored in a place, read with the operation itself.
    fn whole(&mut self, value: ExprId) -> ExprId {
        let tour_ir::program::Expr { kind, ty, span } = self.program.exprs[value].clone();
        match kind {
            ExprKind::Load(place) if index_reads(self.program, place) > 0 => {
                let place = self.indices(place);
                self.program.add_expr(ExprKind::Load(place), ty, span)
            }
            _ => value,
        }
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
        let var = self.program.add_temp(self.function, format!("${read}"), ty, self.span);
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
            let next = cfa.add_loc(self.function, tour_ir::cfa::LocKind::Plain);
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
