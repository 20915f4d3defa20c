//! Variable arguments: `va_start`, `va_arg`, `va_copy`, and the calls that pass them.
//!
//! A call that passes variable arguments puts them into an array of *slots*, and passes a pointer to the first of them in a
//! hidden parameter. A slot says of what kind its argument is, and has a member for each kind, so that numbers and pointers
//! stay apart. The last slot is of no kind.
//!
//! ```text
//!     sum(2, x, p)         $args[0].kind = INT;  $args[0].integer = x;
//!                          $args[1].kind = POINTER;  $args[1].pointer = p;
//!                          $args[2].kind = END;
//!                          sum(2, &$args[0])
//!
//!     va_start(ap, n)      ap->next = ...
//!     va_arg(ap, int)      $1 = ap->next;  [$1 == 0 || $1->kind != INT: unsupported]
//!                          $2 = (int)$1->integer;  ap->next = $1 + 1
//! ```
//!
//! `va_list` is what it is natively: on x86-64 an array of one structure of 24 bytes, which is passed as a pointer, on i386 a
//! pointer. So copies of lists, and pointers to them, behave as they do there.
//!
//! To read what was not passed, or was passed as something else, is undefined: here it is unsupported. A function whose
//! address is taken keeps its type, and finds its slots in a variable that the caller sets just before the call.

use super::expr::Value;
use super::{Fail, Lower, Sema};
use index_vec::IndexVec;
use lang_c::ast::{Expression, UnaryOperator, VaArgExpression};
use lang_c::span::Node;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, LocKind};
use tour_ir::program::{
    BinOp, Body, Builtin, Callee, DataModel, ExprId, ExprKind, Field, FloatKind, FnId, IntKind, Op, Place,
    PlaceId, PlaceKind, Program, Record, RecordId, RecordKind, Storage, Type, TypeId, Unsupported, VarId,
};
use tour_ir::source::Span;

/// Members of a slot, by their index.
const KIND: u32 = 0;
const INTEGER: u32 = 1;
const REAL: u32 = 2;
const POINTER: u32 = 3;

/// What the units of a program say about variable arguments.
#[derive(Debug, Default)]
pub(crate) struct VarArgs {
    /// The types of a slot and of a `va_list`, once someone needs them.
    types: Option<(TypeId, TypeId)>,
    /// The functions that begin a list, with the variable that says where its slots are.
    begin: Vec<(FnId, VarId)>,
    /// The functions that read an argument.
    read: Vec<FnId>,
}

/// Of what kind an argument is, and the member of the slot that it is in. Of a record, the slot points to a copy.
fn kind_of(program: &Program, ty: TypeId) -> Option<(i128, u32)> {
    match &program.types[ty] {
        Type::Int(_) | Type::Enum(_) => match program.types.size(ty)? {
            4 => Some((1, INTEGER)),
            8 => Some((2, INTEGER)),
            _ => None,
        },
        Type::Float(FloatKind::Double) => Some((3, REAL)),
        Type::Pointer(_) => Some((4, POINTER)),
        Type::Record(id) => Some((record_kind(program, *id, ty), POINTER)),
        Type::Void | Type::Float(_) | Type::Array(..) | Type::Function(_) | Type::Opaque { .. } => None,
    }
}

/// A number for a record: the same in all units, as far as it has the same members.
fn record_kind(program: &Program, id: RecordId, ty: TypeId) -> i128 {
    let record = &program.types.records[id];
    let mut shown = format!("{} {}", program.show_type(ty), record.size);
    for field in &record.fields {
        let name = field.name.as_deref().unwrap_or("");
        shown.push_str(&format!(" {} {name} {}", program.show_type(field.ty.ty), field.offset));
    }
    let hash =
        shown.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    i128::from(hash >> 2) + 16
}

impl Sema<'_> {
    /// `va_list`
    pub(crate) fn va_list_type(&mut self, span: Span) -> TypeId {
        self.va_types(span).1
    }

    fn va_types(&mut self, span: Span) -> (TypeId, TypeId) {
        if let Some(types) = self.shared.varargs.types {
            return types;
        }
        let types = &mut self.program.types;
        let (int, word) = (types.int(IntKind::Int), types.int(IntKind::ULongLong));
        let (real, void) = (types.intern(Type::Float(FloatKind::Double)), types.void());
        let bytes = types.pointer(void);
        let mut record = |tag: &str, members: &[(&str, TypeId)], least: u64| {
            let (mut fields, mut size, mut align) = (Vec::new(), 0u64, 1);
            for (name, ty) in members {
                let (own, aligned) = types.size_align(*ty).unwrap_or((8, 8));
                size = size.next_multiple_of(aligned);
                let name = Some((*name).to_owned());
                fields.push(Field { name, ty: (*ty).into(), offset: size, bits: None, span });
                (size, align) = (size + own, align.max(aligned));
            }
            let id = types.records.push(Record {
                kind: RecordKind::Struct,
                tag: Some(tag.to_owned()),
                fields,
                size: size.next_multiple_of(align).max(least),
                align,
                complete: true,
                transparent: false,
                span,
            });
            let ty = types.intern(Type::Record(id));
            (ty, types.pointer(ty))
        };
        let members = [("kind", int), ("integer", word), ("real", real), ("pointer", bytes)];
        let (slot, slots) = record("__va_slot", &members, 0);
        let list = match self.program.model {
            DataModel::Ilp32 => slots,
            DataModel::Lp64 => {
                let (tag, _) = record("__va_list_tag", &[("next", slots)], 24);
                self.program.types.array(tag, 1)
            }
        };
        *self.shared.varargs.types.insert((slot, list))
    }

    /// Where a `va_list` keeps the next slot. Some tools write lists as arrays of lists, and cast their addresses.
    fn list_place(&mut self, list: &Node<Expression>) -> Lower<PlaceId> {
        let span = self.span(list.span);
        let (slot, ty) = self.va_types(span);
        let slots = self.program.types.pointer(slot);
        let mut value = self.value(without_casts(list), true)?;
        loop {
            let found = match value {
                Value::Place(place) => self.program.places[place].ty,
                Value::Rvalue(value) => self.ty(value),
                Value::Function(_) | Value::Void => self.program.types.void(),
            };
            let part = match (value, &self.program.types[found]) {
                (Value::Place(place), _) if found == slots && (found == ty || self.is_next(place)) => {
                    return self.fix_place(place, span);
                }
                (Value::Place(place), Type::Array(of, _)) if self.leads_to_list(found, ty) => {
                    let (of, ptrdiff) = (of.ty, self.program.types.ptrdiff_t());
                    let zero = self.program.int(0, ptrdiff, span);
                    Some(Value::Place(self.add_place(PlaceKind::Index(place, zero), of, span)))
                }
                (Value::Place(place), Type::Record(_)) if self.leads_to_list(found, ty) => {
                    Some(Value::Place(self.field(place, "next", span)?))
                }
                (_, Type::Pointer(to)) if self.leads_to_list(to.ty, ty) => {
                    let pointer = self.use_value(value, span)?;
                    Some(self.dereference(pointer, span)?)
                }
                _ => None,
            };
            match part {
                Some(part) => value = part,
                None => return Fail::unsupported("varargs", "this is no `va_list`", span),
            }
        }
    }

    /// The place is the member of a `va_list`.
    fn is_next(&self, place: PlaceId) -> bool {
        matches!(self.program.places[place].kind, PlaceKind::Field(..))
            && self.program.model == DataModel::Lp64
    }

    /// The type is that of a list, of its record, or of an array of lists.
    fn leads_to_list(&self, ty: TypeId, list: TypeId) -> bool {
        let tag = self.program.types.element(list).map(|(tag, _)| tag.ty);
        if ty == list || Some(ty) == tag {
            return true;
        }
        self.program.types.element(ty).is_some_and(|(of, _)| self.leads_to_list(of.ty, list))
    }

    /// `va_start(list, …)`
    pub(crate) fn va_start(&mut self, list: &Node<Expression>, span: Span) -> Lower<()> {
        let place = self.list_place(list)?;
        let function = self.current(span)?.function;
        let sig = self.program.functions.get(function).map(|f| f.sig(&self.program.types));
        if !sig.is_some_and(|sig| sig.variadic) {
            let message = "`va_start` in a function without variable arguments";
            return Fail::unsupported("varargs", message, span);
        }
        let known = self.shared.varargs.begin.iter().find(|(f, _)| *f == function).map(|(_, var)| *var);
        let var = match known {
            Some(var) => var,
            None => {
                let ty = self.program.places[place].ty;
                let var = self.add_local("$...".to_owned(), ty.into(), Storage::Temp(function), span);
                if !self.is_scratch() {
                    self.shared.varargs.begin.push((function, var));
                }
                var
            }
        };
        let from = self.program.var_place(var, span);
        let first = self.program.load(from, span);
        self.store(place, first, span)
    }

    /// `va_copy(to, from)`
    pub(crate) fn va_copy(
        &mut self,
        to: &Node<Expression>,
        from: &Node<Expression>,
        span: Span,
    ) -> Lower<()> {
        let to = self.list_place(to)?;
        let mark = self.mark();
        let from = self.list_place(from)?;
        let to = self.keep_place(to, mark, span)?;
        let next = self.program.load(from, span);
        self.store(to, next, span)
    }

    /// `va_arg(list, type)`
    pub(crate) fn va_arg(&mut self, arg: &Node<VaArgExpression>) -> Lower<Value> {
        let span = self.span(arg.span);
        let ty = self.type_name(&arg.node.type_name)?.ty;
        let Some((kind, member)) = kind_of(self.program, ty) else {
            let message = format!("`va_arg` of the type `{}` is not modelled", self.program.show_type(ty));
            return Fail::unsupported("varargs", message, span);
        };
        let place = self.list_place(&arg.node.va_list)?;
        let function = self.current(span)?.function;
        if !self.is_scratch() {
            self.shared.varargs.read.push(function);
        }
        let next = self.program.load(place, span);
        let slot = self.save(next, span)?;
        let (known, fits, other) = (self.point(span)?, self.point(span)?, self.point(span)?);
        let null = self.program.int(0, self.ty(slot), span);
        let there = self.binary(BinOp::Ne, slot, null, span)?;
        self.branch_on(there, known, other, span)?;
        self.go_on(known);
        let found = slot_member(self.program, slot, KIND, span);
        let (found, kind) = (self.program.load(found, span), self.int(kind, span));
        let same = self.binary(BinOp::Eq, found, kind, span)?;
        self.branch_on(same, fits, other, span)?;
        self.go_on(other);
        let message = "`va_arg` of an argument that was not passed, or not with this type".to_owned();
        self.emit_to(
            Op::Unsupported(Box::new(Unsupported { kind: Unsupported::UNDEFINED, message })),
            fits,
            span,
        )?;
        self.go_on(fits);
        let held = slot_member(self.program, slot, member, span);
        let held = self.program.load(held, span);
        let value = if let Type::Record(_) = self.program.types[ty] {
            let pointer = self.program.types.pointer(ty);
            let pointer = self.program.cast(held, pointer, span);
            let whole = self.add_place(PlaceKind::Deref(pointer), ty, span);
            self.program.load(whole, span)
        } else {
            self.program.cast(held, ty, span)
        };
        let value = self.save(value, span)?;
        let one = {
            let ptrdiff = self.program.types.ptrdiff_t();
            self.program.int(1, ptrdiff, span)
        };
        let slots = self.ty(slot);
        let after = self.program.binary(BinOp::PtrAdd, slot, one, slots, span);
        self.store(place, after, span)?;
        Ok(Value::Rvalue(value))
    }
}

/// `(T *)&list` is `list`.
fn without_casts(list: &Node<Expression>) -> &Node<Expression> {
    let mut list = list;
    loop {
        list = match &list.node {
            Expression::Cast(cast) => &cast.node.expression,
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                &unary.node.operand
            }
            _ => return list,
        }
    }
}

/// A member of the slot that a pointer points to.
fn slot_member(program: &mut Program, slot: ExprId, member: u32, span: Span) -> PlaceId {
    let slots = program.exprs[slot].ty;
    let of = program.types.pointee(slots).map_or(slots, |to| to.ty);
    let base = program.places.push(Place { kind: PlaceKind::Deref(slot), ty: of, span });
    member_of(program, base, member, span)
}

fn member_of(program: &mut Program, base: PlaceId, member: u32, span: Span) -> PlaceId {
    let of = program.places[base].ty;
    let ty = match program.types[of] {
        Type::Record(id) => program.types.records[id].fields[member as usize].ty.ty,
        _ => of,
    };
    program.places.push(Place { kind: PlaceKind::Field(base, member), ty, span })
}

/// Lets calls pass variable arguments to the functions that may read them.
pub(super) fn pass_arguments(program: &mut Program, varargs: &VarArgs) {
    let Some((slot, _)) = varargs.types else { return };
    let begin: Vec<(FnId, VarId)> = (varargs.begin.iter().copied())
        .filter(|(f, var)| program.functions[*f].locals.contains(var) && program.functions[*f].body.is_some())
        .collect();
    if begin.is_empty() {
        return;
    }
    let calls = CallGraph::of(program);
    let reads = readers(program, &calls, &varargs.read);
    let threads = program.functions.iter().any(|f| f.builtin == Some(Builtin::ThreadCreate));
    let mut pass = Pass { how: program.functions.iter().map(|_| How::Nothing).collect(), slot, shared: None };
    for (f, var) in begin {
        let by_pointer = calls.is_address_taken(f) || f == program.entry;
        if !reads[f] || by_pointer && threads {
            begin_with(program, f, |program, span| {
                let place = program.var_place(var, span);
                vec![Op::Assign(place, program.int(0, program.places[place].ty, span))]
            });
        } else if by_pointer {
            let from = pass.shared_place(program);
            begin_with(program, f, |program, span| {
                let place = program.var_place(var, span);
                let first = program.load(from, span);
                let null = program.int(0, program.places[place].ty, span);
                vec![Op::Assign(place, first), Op::Assign(from, null)]
            });
            pass.how[f] = How::Variable;
        } else {
            add_parameter(program, f, var);
            pass.how[f] = How::Parameter;
        }
    }
    for index in 0..program.cfa.edges.len() {
        pass.call(program, EdgeId::new(index));
    }
}

/// The functions that may read an argument while they run.
fn readers(program: &Program, calls: &CallGraph, read: &[FnId]) -> IndexVec<FnId, bool> {
    let mut reads: IndexVec<FnId, bool> = program.functions.iter().map(|_| false).collect();
    read.iter().for_each(|f| reads[*f] = true);
    // Callees come before their callers.
    for component in calls.components() {
        let any = component.iter().any(|&f| reads[f] || calls.callees(f).iter().any(|(g, _)| reads[*g]));
        component.iter().for_each(|&f| reads[f] = any);
    }
    reads
}

/// The function begins with these operations.
fn begin_with(program: &mut Program, f: FnId, ops: impl FnOnce(&mut Program, Span) -> Vec<Op>) {
    let Some(body) = program.functions[f].body else { return };
    let span = program.functions[f].span;
    let ops = ops(program, span);
    let entry = program.cfa.add_loc(f, LocKind::Entry);
    program.cfa.locs[body.entry].kind = LocKind::Plain;
    let mut at = entry;
    let last = ops.len() - 1;
    for (i, op) in ops.into_iter().enumerate() {
        let to = if i == last { body.entry } else { program.cfa.add_loc(f, LocKind::Plain) };
        program.cfa.add_edge(at, to, op, span);
        at = to;
    }
    program.functions[f].body = Some(Body { entry, ..body });
}

/// The variable becomes a parameter behind the others. The type of the function stays what the user wrote.
fn add_parameter(program: &mut Program, f: FnId, var: VarId) {
    program.vars[var].storage = Storage::Param(f);
    let function = &mut program.functions[f];
    function.locals.retain(|local| *local != var);
    function.params.push(var);
}

/// How a function is given its slots.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Nothing,
    Parameter,
    Variable,
}

struct Pass {
    how: IndexVec<FnId, How>,
    slot: TypeId,
    /// The variable for functions whose address is taken.
    shared: Option<VarId>,
}

impl Pass {
    fn shared_place(&mut self, program: &mut Program) -> PlaceId {
        let span = program.functions[program.entry].span;
        let var = *self.shared.get_or_insert_with(|| {
            let ty = program.types.pointer(self.slot);
            program.add_static("$passed", ty, span)
        });
        program.var_place(var, span)
    }

    /// Puts the slots before a call.
    fn call(&mut self, program: &mut Program, edge: EdgeId) {
        let Op::Call(call) = &program.cfa.edges[edge].op else { return };
        let (fixed, how) = match call.callee {
            Callee::Direct(f) => {
                let hidden = usize::from(self.how[f] == How::Parameter);
                (program.functions[f].params.len() - hidden, self.how[f])
            }
            Callee::Indirect(pointer) => {
                let to = program.types.pointee(program.exprs[pointer].ty).map(|to| &program.types[to.ty]);
                match to {
                    Some(Type::Function(sig)) if sig.variadic && self.shared.is_some() => {
                        (sig.params.len(), How::Variable)
                    }
                    _ => (0, How::Nothing),
                }
            }
        };
        if how == How::Nothing || call.args.len() < fixed {
            return;
        }
        let mut call = call.clone();
        let (span, to) = (program.cfa.edges[edge].span, program.cfa.edges[edge].to);
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        let extra = call.args.split_off(fixed);
        let array = program.types.array(self.slot, extra.len() as u64 + 1);
        let slots = program.add_local_object(function, "$args", array, span);
        let mut ops = vec![Op::Declare(slots)];
        let mut lives = vec![slots];
        for (index, arg) in extra.iter().enumerate() {
            let (kind, held) = self.argument(program, function, *arg, &mut ops, &mut lives, span);
            self.fill(program, slots, index, kind, held, &mut ops, span);
        }
        self.fill(program, slots, extra.len(), 0, None, &mut ops, span);
        let first = self.slot_place(program, slots, 0, span);
        let pointer = program.types.pointer(self.slot);
        let first = program.add_expr(ExprKind::AddrOf(first), pointer, span);
        let mut after = Vec::new();
        if how == How::Parameter {
            call.args.push(first);
        } else {
            call.args.extend(extra);
            let shared = self.shared_place(program);
            ops.push(Op::Assign(shared, first));
            let null = program.int(0, pointer, span);
            after.push(Op::Assign(shared, null));
        }
        ops.push(Op::Call(call));
        ops.extend(after);
        ops.extend(lives.into_iter().rev().map(Op::Expire));
        chain(program, edge, to, ops, span);
    }

    /// The kind of an argument, and what is stored in its slot.
    fn argument(
        &self,
        program: &mut Program,
        function: FnId,
        arg: ExprId,
        ops: &mut Vec<Op>,
        lives: &mut Vec<VarId>,
        span: Span,
    ) -> (i128, Option<(u32, ExprId)>) {
        let ty = program.exprs[arg].ty;
        // No `va_arg` asks for this kind.
        let Some((kind, member)) = kind_of(program, ty) else { return (5, None) };
        let Type::Record(_) = program.types[ty] else { return (kind, Some((member, arg))) };
        let copy = program.add_local_object(function, "$struct", ty, span);
        let place = program.var_place(copy, span);
        ops.extend([Op::Declare(copy), Op::Assign(place, arg)]);
        lives.push(copy);
        let pointer = program.types.pointer(ty);
        let address = program.add_expr(ExprKind::AddrOf(place), pointer, span);
        (kind, Some((member, address)))
    }

    fn slot_place(&self, program: &mut Program, slots: VarId, index: usize, span: Span) -> PlaceId {
        let whole = program.var_place(slots, span);
        let ptrdiff = program.types.ptrdiff_t();
        let index = program.int(index as i128, ptrdiff, span);
        program.places.push(Place { kind: PlaceKind::Index(whole, index), ty: self.slot, span })
    }

    #[expect(clippy::too_many_arguments)]
    fn fill(
        &self,
        program: &mut Program,
        slots: VarId,
        index: usize,
        kind: i128,
        held: Option<(u32, ExprId)>,
        ops: &mut Vec<Op>,
        span: Span,
    ) {
        let slot = self.slot_place(program, slots, index, span);
        let place = member_of(program, slot, KIND, span);
        let ty = program.places[place].ty;
        let kind = program.int(kind, ty, span);
        ops.push(Op::Assign(place, kind));
        if let Some((member, value)) = held {
            let place = member_of(program, slot, member, span);
            let ty = program.places[place].ty;
            let value = program.cast(value, ty, span);
            ops.push(Op::Assign(place, value));
        }
    }
}

/// Puts operations one after the other in place of an edge.
fn chain(program: &mut Program, edge: EdgeId, to: LocId, ops: Vec<Op>, span: Span) {
    let function = program.cfa.locs[program.cfa.edges[edge].from].function;
    let last = ops.len() - 1;
    let mut at = None;
    for (i, op) in ops.into_iter().enumerate() {
        let next = if i == last { to } else { program.cfa.add_loc(function, LocKind::Plain) };
        match at {
            None => {
                program.cfa.edges[edge].op = op;
                program.cfa.redirect(edge, next);
            }
            Some(from) => _ = program.cfa.add_edge(from, next, op, span),
        }
        at = Some(next);
    }
}
