//! What the program does with pointers, as classes that become one: a walk over all operations, each seen once.

use super::Regions;
use super::carriers::{Carriers, Origin};
use super::classes::{ClassId, Classes, Object};
use super::position::Position;
use super::scalars::{Scalar, part_at, parts, scalar};
use index_vec::IndexVec;
use std::collections::BTreeMap;
use tour_ir::cfa::{CallGraph, EdgeId, Targets};
use tour_ir::program::{
    BinOp, Builtin, Call, ExprId, ExprKind, FnId, InitItem, IntType, Op, PlaceId, PlaceKind, Program, Type,
    TypeId, VarId,
};

/// Where an lvalue lies.
#[derive(Clone, Copy)]
struct Spot {
    class: ClassId,
    at: Position,
}

/// The classes of a program and what belongs to them.
pub(super) struct Constraints<'p> {
    program: &'p Program,
    pub classes: Classes,
    pub vars: IndexVec<VarId, ClassId>,
    pub functions: IndexVec<FnId, Option<ClassId>>,
    /// What the value of an expression points to.
    pub exprs: IndexVec<ExprId, Option<ClassId>>,
    seen: IndexVec<ExprId, bool>,
    pub carriers: Carriers,
    /// What integer variables that are pointers point to.
    pub carried: BTreeMap<VarId, ClassId>,
    /// Variables whose address is a value somewhere.
    pub addressed: IndexVec<VarId, bool>,
}

impl<'p> Constraints<'p> {
    /// Walks over the whole program.
    pub fn of(program: &'p Program, calls: &CallGraph) -> Constraints<'p> {
        let mut classes = Classes::default();
        let vars: IndexVec<VarId, ClassId> = (program.vars.indices())
            .map(|var| {
                let class = classes.fresh();
                classes.add(class, Object::Var(var));
                class
            })
            .collect();
        let mut all = Constraints {
            program,
            classes,
            vars,
            functions: program.functions.iter().map(|_| None).collect(),
            exprs: program.exprs.iter().map(|_| None).collect(),
            seen: program.exprs.iter().map(|_| false).collect(),
            addressed: program.vars.iter().map(|_| false).collect(),
            carriers: Carriers::of(program),
            carried: BTreeMap::new(),
        };
        for &var in &program.globals {
            let whole = all.var(var);
            all.touch(whole, program.vars[var].ty.ty, false);
            for item in program.vars[var].init.iter().flat_map(|i| &i.items) {
                match item {
                    InitItem::Value { place, value } => all.assign(*place, *value),
                    InitItem::Bytes { place, .. } => {
                        let spot = all.place(*place);
                        all.touch(spot, program.places[*place].ty, false);
                    }
                }
            }
        }
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            all.op(id, program.cfa.locs[edge.from].function, &edge.op);
        }
        all.close(calls);
        all
    }

    /// Calls through pointers go to the functions of the pointer's class, which depends on what calls pass on.
    fn close(&mut self, calls: &CallGraph) {
        let program = self.program;
        let mut bound = rustc_hash::FxHashSet::default();
        loop {
            self.classes.settle();
            let before = self.classes.changes;
            for (id, edge) in program.cfa.edges.iter_enumerated() {
                let Op::Call(call) = &edge.op else { continue };
                let Targets::Indirect(_, targets) = calls.targets(program, call) else { continue };
                let tour_ir::program::Callee::Indirect(pointer) = call.callee else { continue };
                let Some(class) = self.expr(pointer) else { continue };
                for &f in targets {
                    let same =
                        self.functions[f].is_some_and(|c| self.classes.find(c) == self.classes.find(class));
                    if same && bound.insert((id, f)) {
                        self.bind(call, f);
                    }
                }
            }
            if self.classes.changes == before {
                return;
            }
        }
    }

    fn var(&self, var: VarId) -> Spot {
        Spot { class: self.vars[var], at: Position::START }
    }

    /// Notes accesses to all scalars of an object, and returns what its pointers point to, in a fixed order.
    fn touch(&mut self, spot: Spot, ty: TypeId, read: bool) -> Vec<ClassId> {
        parts(self.program, spot.at, ty)
            .into_iter()
            .filter_map(|part| self.classes.access(spot.class, part.at, part.scalar, read))
            .collect()
    }

    fn place(&mut self, place: PlaceId) -> Spot {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => self.var(var),
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.place(inner),
                _ => {
                    let class = self.expr(pointer).unwrap_or_else(|| self.classes.fresh());
                    Spot { class, at: Position::START }
                }
            },
            PlaceKind::Field(base, _) => {
                let spot = self.place(base);
                Spot { at: part_at(program, place, spot.at), ..spot }
            }
            PlaceKind::Index(base, index) => {
                let spot = self.place(base);
                self.expr(index);
                Spot { at: part_at(program, place, spot.at), ..spot }
            }
        }
    }

    fn size_of_place(&self, place: PlaceId) -> Option<(Scalar, u64)> {
        match self.program.bit_field(place) {
            Some(bits) => Some((Scalar::Bits, u64::from(bits.width))),
            None => scalar(self.program, self.program.places[place].ty),
        }
    }

    /// Notes an access to a scalar; what it points to.
    fn access(&mut self, place: PlaceId, read: bool) -> Option<ClassId> {
        let spot = self.place(place);
        let (kind, size) = self.size_of_place(place)?;
        self.classes.access(spot.class, spot.at.sized(size), kind, read)
    }

    /// What the value of an expression points to, if it is a pointer.
    fn expr(&mut self, expr: ExprId) -> Option<ClassId> {
        if self.seen[expr] {
            return self.exprs[expr];
        }
        self.seen[expr] = true;
        let class = self.value(expr);
        self.exprs[expr] = class;
        class
    }

    fn value(&mut self, expr: ExprId) -> Option<ClassId> {
        let program = self.program;
        let node = &program.exprs[expr];
        let is_pointer = matches!(program.types[node.ty], Type::Pointer(_));
        match node.kind {
            ExprKind::Int(bits) if is_pointer => {
                let class = self.classes.fresh();
                let address = IntType::signed(program.model.pointer_bits()).to_i128(bits);
                self.classes.displace(class, (address.unsigned_abs() as u64).saturating_mul(8));
                Some(class)
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed => None,
            ExprKind::Load(place) if program.types.is_scalar(node.ty) => self.access(place, true),
            ExprKind::Load(place) => {
                let spot = self.place(place);
                self.touch(spot, node.ty, true);
                None
            }
            ExprKind::AddrOf(place) => {
                if let Some(var) = Regions::root(program, place) {
                    self.addressed[var] = true;
                }
                let spot = self.place(place);
                self.classes.displace(spot.class, spot.at.displacement());
                Some(spot.class)
            }
            ExprKind::FnAddr(f) => Some(self.function(f)),
            ExprKind::Unary(_, a) => {
                self.expr(a);
                None
            }
            ExprKind::Fact(_, pointer) => {
                self.expr(pointer);
                None
            }
            ExprKind::Binary(BinOp::PtrAdd, p, count) => {
                let class = self.expr(p);
                self.expr(count);
                let class = class?;
                let size = match program.types.pointee(node.ty).map(|to| &program.types[to.ty]) {
                    Some(Type::Void | Type::Function(_)) => 1,
                    _ => program.types.pointee(node.ty).and_then(|to| program.types.size(to.ty)).unwrap_or(1),
                };
                let count = match (program.const_value(count), program.int_type_of(count)) {
                    (Some(bits), Some(int)) => int.to_i128(bits).unsigned_abs() as u64,
                    _ => 1,
                };
                self.classes.displace(class, size.saturating_mul(8).saturating_mul(count));
                Some(class)
            }
            ExprKind::Binary(BinOp::Eq, ..) if program.is_unordered(expr) => None,
            ExprKind::Binary(_, a, b) => {
                // Pointers that are compared or subtracted point into the same class.
                if let (Some(a), Some(b)) = (self.expr(a), self.expr(b)) {
                    self.classes.unify(a, b);
                }
                None
            }
            ExprKind::Cast(a) => {
                let inner = self.expr(a);
                match (inner, is_pointer) {
                    (_, false) => None,
                    (Some(class), true) => Some(class),
                    (None, true) => Some(self.integer(a).unwrap_or_else(|| {
                        let class = self.classes.fresh();
                        self.classes.displace(class, 8);
                        class
                    })),
                }
            }
        }
    }

    /// What an integer that is a pointer points to.
    fn integer(&mut self, expr: ExprId) -> Option<ClassId> {
        let program = self.program;
        let origin = self.carriers.origin(program, expr)?;
        Some(match origin {
            Origin::Pointer(pointer) => self.expr(pointer).unwrap_or_else(|| self.classes.fresh()),
            Origin::Same(inner) => return self.integer(inner),
            Origin::Variable(var) => self.carrier(var),
            Origin::Plus(pointer, by) | Origin::Minus(pointer, by) => {
                let class = self.integer(pointer)?;
                let bytes = match (program.const_value(by), program.int_type_of(by)) {
                    (Some(bits), Some(int)) => int.to_i128(bits).unsigned_abs() as u64,
                    _ => 1,
                };
                self.classes.displace(class, bytes.saturating_mul(8));
                class
            }
        })
    }

    fn carrier(&mut self, var: VarId) -> ClassId {
        if let Some(&class) = self.carried.get(&var) {
            return class;
        }
        let class = self.classes.fresh();
        self.carried.insert(var, class);
        class
    }

    fn function(&mut self, f: FnId) -> ClassId {
        if let Some(class) = self.functions[f] {
            return class;
        }
        let class = self.classes.fresh();
        self.classes.add(class, Object::Function(f));
        self.functions[f] = Some(class);
        class
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let ty = self.program.places[place].ty;
        if self.program.types.is_scalar(ty) {
            let to = self.access(place, false);
            self.flow(to, value);
            if let PlaceKind::Var(var) = self.program.places[place].kind
                && self.carriers.contains(var)
            {
                let to = self.carrier(var);
                if let Some(from) = self.integer(value) {
                    self.classes.unify(to, from);
                }
            }
        } else {
            let spot = self.place(place);
            self.copy(spot, ty, value);
        }
    }

    fn flow(&mut self, to: Option<ClassId>, value: ExprId) {
        if let (Some(to), Some(from)) = (to, self.expr(value)) {
            self.classes.unify(to, from);
        }
    }

    /// A record or array is stored.
    fn copy(&mut self, to: Spot, ty: TypeId, value: ExprId) {
        let targets = self.touch(to, ty, false);
        if let ExprKind::Load(from) = self.program.exprs[value].kind {
            self.expr(value);
            let from = self.place(from);
            let sources = self.touch(from, self.program.exprs[value].ty, true);
            if sources.len() == targets.len() {
                targets.into_iter().zip(sources).for_each(|(a, b)| self.classes.unify(a, b));
            } else {
                self.classes.unify(to.class, from.class);
            }
        }
    }

    fn assign_var(&mut self, var: VarId, value: ExprId) {
        let ty = self.program.vars[var].ty.ty;
        let spot = self.var(var);
        match scalar(self.program, ty) {
            Some((kind, size)) => {
                let to = self.classes.access(spot.class, spot.at.sized(size), kind, false);
                self.flow(to, value);
            }
            None => self.copy(spot, ty, value),
        }
    }

    fn op(&mut self, id: EdgeId, function: FnId, op: &Op) {
        let program = self.program;
        match op {
            Op::Nop | Op::Unsupported(_) | Op::Return(None) => {}
            Op::Assign(place, value) => self.assign(*place, *value),
            Op::Assume { cond, .. } => _ = self.expr(*cond),
            Op::Return(Some(value)) => match program.functions[function].ret {
                Some(ret) => self.assign_var(ret, *value),
                None => _ = self.expr(*value),
            },
            Op::Havoc(place, _) => {
                let spot = self.place(*place);
                match self.size_of_place(*place) {
                    Some((kind, size)) => {
                        self.classes.access(spot.class, spot.at.sized(size), kind, false);
                    }
                    None => _ = self.touch(spot, program.places[*place].ty, false),
                }
            }
            Op::Declare(_) | Op::Expire(_) => {}
            Op::Call(call) => {
                for &arg in &call.args {
                    self.expr(arg);
                }
                match call.callee {
                    tour_ir::program::Callee::Direct(f) => match program.functions[f].builtin {
                        Some(builtin) if program.functions[f].body.is_none() => {
                            self.builtin(id, call, builtin);
                        }
                        _ => self.bind(call, f),
                    },
                    tour_ir::program::Callee::Indirect(pointer) => {
                        self.expr(pointer);
                        if let Some(dest) = call.dest {
                            self.place(dest);
                        }
                    }
                }
            }
        }
    }

    /// Arguments go to parameters, the result to its destination.
    fn bind(&mut self, call: &Call, f: FnId) {
        let program = self.program;
        let function = &program.functions[f];
        for (&param, &arg) in function.params.iter().zip(&call.args) {
            self.assign_var(param, arg);
        }
        let Some(dest) = call.dest else { return };
        let ty = program.places[dest].ty;
        let to = self.place(dest);
        let Some(ret) = function.ret else {
            self.touch(to, ty, false);
            return;
        };
        let from = self.var(ret);
        let (targets, sources) = match self.size_of_place(dest) {
            Some((kind, size)) => {
                let target = self.classes.access(to.class, to.at.sized(size), kind, false);
                (target.into_iter().collect(), self.touch(from, program.vars[ret].ty.ty, true))
            }
            None => (self.touch(to, ty, false), self.touch(from, program.vars[ret].ty.ty, true)),
        };
        targets.into_iter().zip(sources).for_each(|(a, b)| self.classes.unify(a, b));
    }

    /// Library functions that the encoding knows; what others do is unsupported there.
    fn builtin(&mut self, id: EdgeId, call: &Call, builtin: Builtin) {
        let dest = call.dest.and_then(|dest| self.access(dest, false));
        let arg = |all: &mut Constraints, i: usize| call.args.get(i).and_then(|&a| all.expr(a));
        let result = match builtin {
            Builtin::Malloc | Builtin::Outside | Builtin::Calloc | Builtin::Alloca => {
                let class = self.classes.fresh();
                self.classes.add(class, Object::Allocated(id));
                Some(class)
            }
            Builtin::Realloc => {
                let class = arg(self, 0).unwrap_or_else(|| self.classes.fresh());
                self.classes.add(class, Object::Allocated(id));
                self.classes.free(class);
                self.classes.copied(class);
                Some(class)
            }
            Builtin::Free => {
                if let Some(class) = arg(self, 0) {
                    self.classes.free(class);
                }
                None
            }
            Builtin::Memcpy | Builtin::Memmove => {
                if let (Some(to), Some(from)) = (arg(self, 0), arg(self, 1)) {
                    self.classes.unify(to, from);
                    self.classes.copied(to);
                }
                arg(self, 0)
            }
            Builtin::Memset | Builtin::Strcpy | Builtin::Strncpy | Builtin::Strcat | Builtin::Strchr => {
                arg(self, 0)
            }
            Builtin::Memcmp
            | Builtin::Strlen
            | Builtin::Strcmp
            | Builtin::Strncmp
            | Builtin::Printf
            | Builtin::Puts
            | Builtin::Putchar
            | Builtin::ThreadCreate
            | Builtin::ThreadJoin
            | Builtin::ThreadExit
            | Builtin::ThreadSelf
            | Builtin::AtomicBegin
            | Builtin::AtomicEnd
            | Builtin::ThreadStart
            | Builtin::ThreadFinished
            | Builtin::Blocked => None,
        };
        if let (Some(dest), Some(result)) = (dest, result) {
            self.classes.unify(dest, result);
        }
    }
}
