//! Small changes of a statement: another operator, a constant next to it, another variable of the same type, no
//! assignment at all.

use super::run::{is_temporary, statement};
use rustc_hash::FxHashMap;
use tour_engine::heuristics::FaultLimits;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{
    BinOp, Expr, ExprId, ExprKind, FnId, Op, Place, PlaceId, PlaceKind, Program, Storage, TypeId, UnOp, VarId,
};

/// A changed statement.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The operations of its edges, changed and as they were.
    ops: Vec<(EdgeId, Op, Op)>,
    /// What it is now.
    pub text: String,
}

impl Mutant {
    /// The operations, as they are now and as they were.
    pub fn changes(&self) -> impl Iterator<Item = (&Op, &Op)> {
        self.ops.iter().map(|(_, new, old)| (new, old))
    }

    /// Changes the program.
    pub fn apply(&self, program: &mut Program) {
        for (edge, new, _) in &self.ops {
            program.cfa.edges[*edge].op = new.clone();
        }
    }

    /// Changes it back.
    pub fn undo(&self, program: &mut Program) {
        for (edge, _, old) in &self.ops {
            program.cfa.edges[*edge].op = old.clone();
        }
    }
}

/// The mutants of the statement at a location. Their expressions are added to the program.
pub fn mutants(program: &mut Program, limits: &FaultLimits, at: LocId) -> Vec<Mutant> {
    let out: Vec<EdgeId> = program.cfa.locs[at].out.to_vec();
    let Some(&first) = out.first() else { return Vec::new() };
    let function = program.cfa.locs[at].function;
    let old = program.cfa.edges[first].op.clone();
    let mut made = Vec::new();
    let mut one = |program: &Program, op: Op| {
        let text = program.show_op(&op).trim_start_matches('[').trim_end_matches(']').to_owned();
        made.push(Mutant { ops: vec![(first, op, old.clone())], text });
    };
    match old.clone() {
        Op::Assign(place, value) => {
            for value in changed(program, limits, function, value) {
                one(program, Op::Assign(place, value));
            }
            if !is_temporary(program, place) {
                for place in other_places(program, limits, function, place) {
                    one(program, Op::Assign(place, value));
                }
                let was = statement(program, first);
                made.push(Mutant { ops: vec![(first, Op::Nop, old)], text: format!("/* {was} */") });
            }
        }
        Op::Return(Some(value)) => {
            for value in changed(program, limits, function, value) {
                one(program, Op::Return(Some(value)));
            }
        }
        Op::Call(call) => {
            for (i, &arg) in call.args.iter().enumerate() {
                for arg in changed(program, limits, function, arg) {
                    let mut call = call.clone();
                    call.args[i] = arg;
                    one(program, Op::Call(call));
                }
            }
        }
        Op::Assume { cond, .. } => {
            let decides =
                |e: &EdgeId| matches!(program.cfa.edges[*e].op, Op::Assume { cond: c, .. } if c == cond);
            if out.len() != 2 || !out.iter().all(decides) {
                return made;
            }
            let ops = |program: &Program, change: &dyn Fn(ExprId, bool) -> (ExprId, bool)| {
                let change = |e: &EdgeId| match program.cfa.edges[*e].op {
                    Op::Assume { cond, truth } => {
                        let (cond, truth) = change(cond, truth);
                        (*e, Op::Assume { cond, truth }, program.cfa.edges[*e].op.clone())
                    }
                    ref other => (*e, other.clone(), other.clone()),
                };
                out.iter().map(change).collect::<Vec<_>>()
            };
            for cond in changed(program, limits, function, cond) {
                let ops = ops(program, &|_, truth| (cond, truth));
                made.push(Mutant { ops, text: program.show_expr(cond) });
            }
            let ops = ops(program, &|cond, truth| (cond, !truth));
            made.push(Mutant { ops, text: format!("!({})", program.show_expr(cond)) });
        }
        Op::Nop | Op::Return(None) | Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => {}
    }
    made
}

/// Expressions that differ in one node.
fn changed(program: &mut Program, limits: &FaultLimits, function: FnId, expr: ExprId) -> Vec<ExprId> {
    let (mut left, max_others) = (limits.max_mutated_nodes, limits.max_replacements);
    let variables = FxHashMap::default();
    let mut change = Change { program, function, left: &mut left, max_others, variables };
    change.expr(expr)
}

struct Change<'a> {
    program: &'a mut Program,
    function: FnId,
    left: &'a mut usize,
    /// How many variables, and constants, take the place of one at most.
    max_others: usize,
    variables: FxHashMap<TypeId, Vec<PlaceId>>,
}

impl Change<'_> {
    fn make(&mut self, of: ExprId, kind: ExprKind) -> ExprId {
        let Expr { ty, span, .. } = self.program.exprs[of];
        self.program.exprs.push(Expr { kind, ty, span })
    }

    fn expr(&mut self, expr: ExprId) -> Vec<ExprId> {
        if *self.left == 0 {
            return Vec::new();
        }
        *self.left -= 1;
        let (kind, ty) = (self.program.exprs[expr].kind.clone(), self.program.exprs[expr].ty);
        let mut kinds = Vec::new();
        match kind {
            ExprKind::Int(bits) => {
                let Some(int) = self.program.types.int_type(ty) else { return Vec::new() };
                let near = [bits.wrapping_add(1), bits.wrapping_sub(1), 0, 1, bits.wrapping_neg()];
                let near =
                    near.iter().map(|&b| int.wrap(b)).chain(constants(self.program, ty, self.max_others));
                let mut seen = vec![bits];
                for bits in near {
                    if !seen.contains(&bits) {
                        seen.push(bits);
                        kinds.push(ExprKind::Int(bits));
                    }
                }
                kinds.extend(self.others(ty, None).into_iter().map(ExprKind::Load));
            }
            ExprKind::Load(place) => {
                kinds.extend(self.places(place, ty).into_iter().map(ExprKind::Load));
                if self.program.types.int_type(ty).is_some() {
                    let one = self.make(expr, ExprKind::Int(1));
                    kinds.extend([BinOp::Add, BinOp::Sub].map(|op| ExprKind::Binary(op, expr, one)));
                    kinds.push(ExprKind::Unary(UnOp::Neg, expr));
                }
            }
            ExprKind::Unary(op, a) => {
                for a in self.expr(a) {
                    kinds.push(ExprKind::Unary(op, a));
                }
                let made = self.all(expr, kinds);
                return made.into_iter().chain([a]).collect();
            }
            ExprKind::Binary(op, a, b) => {
                kinds.extend(
                    alternatives(op).iter().filter(|o| **o != op).map(|&o| ExprKind::Binary(o, a, b)),
                );
                if matches!(op, BinOp::Sub | BinOp::Div | BinOp::Rem) {
                    kinds.push(ExprKind::Binary(op, b, a));
                }
                for a in self.expr(a) {
                    kinds.push(ExprKind::Binary(op, a, b));
                }
                for b in self.expr(b) {
                    kinds.push(ExprKind::Binary(op, a, b));
                }
            }
            ExprKind::Cast(a) => {
                for a in self.expr(a) {
                    kinds.push(ExprKind::Cast(a));
                }
            }
            ExprKind::Float(_)
            | ExprKind::Zeroed
            | ExprKind::AddrOf(_)
            | ExprKind::FnAddr(_)
            | ExprKind::Fact(..) => {}
        }
        self.all(expr, kinds)
    }

    fn all(&mut self, of: ExprId, kinds: Vec<ExprKind>) -> Vec<ExprId> {
        kinds.into_iter().map(|kind| self.make(of, kind)).collect()
    }

    /// Places in the place of one.
    fn places(&mut self, place: PlaceId, ty: TypeId) -> Vec<PlaceId> {
        match self.program.places[place].kind.clone() {
            PlaceKind::Var(var) => self.others(ty, Some(var)),
            PlaceKind::Index(base, index) => {
                let Place { ty, span, .. } = self.program.places[place];
                let indices = self.expr(index);
                let at = |index| Place { kind: PlaceKind::Index(base, index), ty, span };
                indices.into_iter().map(|index| self.program.places.push(at(index))).collect()
            }
            PlaceKind::Deref(_) | PlaceKind::Field(..) => Vec::new(),
        }
    }

    /// Variables of a type that the function can name, but for one.
    fn others(&mut self, ty: TypeId, but: Option<VarId>) -> Vec<PlaceId> {
        let (program, function, max) = (&mut *self.program, self.function, self.max_others);
        let known = self.variables.entry(ty).or_insert_with(|| variables(program, function, ty, max));
        let is_it = |place: &PlaceId| match program.places[*place].kind {
            PlaceKind::Var(var) => Some(var) == but,
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
        };
        known.iter().copied().filter(|place| !is_it(place)).collect()
    }
}

/// Constants of the program that have a type, up to a number of them, the last ones first: checks tend to come last.
fn constants(program: &Program, ty: TypeId, max: usize) -> Vec<u128> {
    let mut found = Vec::new();
    for expr in program.exprs.iter().rev().filter(|e| e.ty == ty) {
        if let ExprKind::Int(bits) = expr.kind
            && !found.contains(&bits)
        {
            found.push(bits);
            if found.len() >= max {
                break;
            }
        }
    }
    found
}

/// Operators in the place of one.
fn alternatives(op: BinOp) -> &'static [BinOp] {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => &[BinOp::Add, BinOp::Sub, BinOp::Mul],
        BinOp::Div | BinOp::Rem => &[BinOp::Div, BinOp::Rem, BinOp::Mul],
        BinOp::And | BinOp::Or | BinOp::Xor => &[BinOp::And, BinOp::Or, BinOp::Xor],
        BinOp::Shl | BinOp::Shr => &[BinOp::Shl, BinOp::Shr],
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
            &[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge]
        }
        BinOp::PtrAdd | BinOp::PtrDiff => &[],
    }
}

/// The function's own variables of a type, then global ones, up to a number.
fn variables(program: &mut Program, function: FnId, ty: TypeId, max: usize) -> Vec<PlaceId> {
    let named = |var: &VarId| {
        let var = &program.vars[*var];
        var.ty.ty == ty
            && match var.storage {
                Storage::Param(f) | Storage::Local(f) => f == function,
                Storage::Global { .. } | Storage::Static => true,
                Storage::StaticLocal(_) | Storage::Literal | Storage::Temp(_) | Storage::Return(_) => false,
            }
    };
    let vars: Vec<VarId> = program.vars.indices().filter(named).take(max).collect();
    let place = |program: &mut Program, var: VarId| {
        let span = program.vars[var].span;
        program.places.push(Place { kind: PlaceKind::Var(var), ty, span })
    };
    vars.into_iter().map(|var| place(program, var)).collect()
}

/// Other variables, or other elements of the same array, in the place of one that is written.
fn other_places(program: &mut Program, limits: &FaultLimits, function: FnId, place: PlaceId) -> Vec<PlaceId> {
    let ty = program.places[place].ty;
    let (mut left, max_others) = (limits.max_mutated_nodes, limits.max_replacements);
    let variables = FxHashMap::default();
    let mut change = Change { program, function, left: &mut left, max_others, variables };
    change.places(place, ty)
}
