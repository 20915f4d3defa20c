//! Accesses that a machine does not do at once. A record, a number of two words, or a block of bytes is read and written
//! piece by piece; a store to a bit-field reads the bytes that it lies in and writes them back, neighbours and all.
//!
//! Such accesses to what threads share become several steps here, in ascending order. Compilers are free to use other
//! orders and other sizes: the steps are noted as [torn](tour_ir::program::Threads::torn), and a run in which another
//! thread may access the same memory at the same time is not modelled any further.

use super::footprint::Footprints;
use super::graph::ThreadGraph;
use super::instance::{call, primitive};
use super::split::is_shared;
use super::{race, redirect, visible};
use crate::block::Step;
use std::collections::BTreeMap;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    ArrayLen, BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, Op, Place, PlaceId, PlaceKind, Program,
    RecordKind, Type, TypeId,
};
use tour_ir::source::LIBRARY;
use tour_ir::source::Span;

/// Records of more parts than this are copied in one step (which is noted as torn, like the others).
/// The shape of the program, which the checker of evidence is given too.
const MAX_PARTS: usize = 64;

/// The bytes of the widest store that compilers use everywhere.
const VECTOR: u64 = 16;

/// Blocks of more bytes are filled and copied in one step.
/// The shape of the program, too.
const MAX_BLOCK: u64 = 256;

/// The library's functions on texts and blocks of bytes.
const BYTEWISE: [&str; 4] = ["string.c", "memory.c", "format.c", "wide.c"];

/// Makes several steps of the accesses of a program that are several, where they are to what threads share, and notes all
/// such accesses. With `races`, it is seen where a store to a bit-field begins.
pub(super) fn split(program: &mut Program, races: bool) {
    let candidates: Vec<EdgeId> =
        program.cfa.edges.indices().filter(|edge| is_several(program, *edge)).collect();
    if candidates.is_empty() {
        return;
    }
    let shared: Vec<EdgeId> = {
        let mut prints = Footprints::new(program);
        let graph = ThreadGraph::of(program, &mut prints);
        let plain = visible::plain_locations(program, &graph.out);
        let concerns = |edge: &EdgeId| {
            let from = program.cfa.edges[*edge].from;
            let returned = match &program.cfa.edges[*edge].op {
                Op::Call(Call { callee: Callee::Direct(f), dest: Some(dest), .. }) => {
                    program.functions[*f].body.is_some() && is_shared(program, *dest)
                }
                _ => false,
            };
            plain.contains(&from) && (returned || graph.visible.steps.contains(&from))
        };
        candidates.into_iter().filter(concerns).collect()
    };
    let [begin, end] = [Builtin::AtomicBegin, Builtin::AtomicEnd].map(|b| primitive(program, b));
    for edge in shared {
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        let span = program.cfa.edges[edge].span;
        Tear { program, function, span, begin, end, races, steps: Vec::new(), sections: 0 }.edge(edge);
    }
}

/// The operation accesses more than a machine does at once.
fn is_several(program: &Program, edge: EdgeId) -> bool {
    let op = &program.cfa.edges[edge].op;
    let steps = match op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) if program.functions[*f].body.is_some() => {
            vec![Step::Enter { call: edge, callee: *f, guard: None }, Step::Leave { call: edge, callee: *f }]
        }
        Op::Call(Call { callee: Callee::Direct(f), .. })
            if program.functions[*f].builtin == Some(Builtin::Free) =>
        {
            return false;
        }
        _ => vec![Step::Edge(edge)],
    };
    // A byte that is copied in one step is read and written.
    let copies = match op {
        Op::Assign(place, value) => match program.exprs[*value].kind {
            ExprKind::Load(from) => is_shared(program, *place) && is_shared(program, from),
            _ => false,
        },
        _ => false,
    };
    copies
        || is_of_library(program, edge)
        || steps.into_iter().any(|step| race::is_several(program, step, |place| is_wide(program, place)))
}

/// More than a machine accesses at once lies there, and it is not atomic by its type: more than a word, something of
/// several parts, or a scalar that may lie across two words.
pub(super) fn is_wide(program: &Program, place: PlaceId) -> bool {
    let word = program.model.pointer_bytes();
    let ty = program.places[place].ty;
    let size = program.types.size(ty);
    is_shared(program, place)
        && !program.place_quals(place).atomic
        && program.bit_field(place).is_none()
        && (size.is_none_or(|size| size > word) || has_parts(program, ty) || is_askew(program, place))
}

/// It is no scalar, nor a record or an array of nothing but one.
fn has_parts(program: &Program, mut ty: TypeId) -> bool {
    loop {
        match &program.types[ty] {
            Type::Record(id) => match &program.types.records[*id].fields[..] {
                [only] if only.bits.is_none() => ty = only.ty.ty,
                fields => return !fields.is_empty(),
            },
            Type::Array(of, ArrayLen::Fixed(1)) => ty = of.ty,
            Type::Array(..) => return true,
            _ => return false,
        }
    }
}

/// A scalar that need not be aligned: a member of a packed record, or one reached by a pointer that was converted from
/// one to smaller things.
fn is_askew(program: &Program, place: PlaceId) -> bool {
    let types = &program.types;
    let ty = program.places[place].ty;
    let Some(align) = types.align(ty).filter(|align| *align > 1 && types.is_scalar(ty)) else { return false };
    let mut at = place;
    let mut offset = 0;
    loop {
        match program.places[at].kind {
            PlaceKind::Var(var) => {
                let own = program.vars[var].align.or(types.align(program.vars[var].ty.ty));
                return offset % align != 0 || own.is_some_and(|own| own < align);
            }
            PlaceKind::Field(base, index) => {
                let Type::Record(id) = types[program.places[base].ty] else { return false };
                offset += types.records[id].fields[index as usize].offset;
                at = base;
            }
            PlaceKind::Index(base, _) => {
                // All elements lie as the first one, up to their size.
                if types.size(program.places[at].ty).is_some_and(|size| size % align != 0) {
                    return true;
                }
                at = base;
            }
            PlaceKind::Deref(pointer) => {
                let own = types.align(program.places[at].ty);
                let from = match program.exprs[pointer].kind {
                    ExprKind::Cast(inner) => types.pointee(program.exprs[inner].ty),
                    _ => None,
                };
                let from =
                    from.filter(|to| !matches!(types[to.ty], Type::Void)).and_then(|to| types.align(to.ty));
                return offset % align != 0
                    || own.is_some_and(|own| own < align)
                    || from.is_some_and(|from| from < align);
            }
        }
    }
}

/// Functions of the library read and write the bytes that they are given in any order and in pieces of any size. What
/// they keep themselves has names.
fn is_of_library(program: &Program, edge: EdgeId) -> bool {
    let function = program.cfa.locs[program.cfa.edges[edge].from].function;
    let path = &program.sources.unit(program.functions[function].span.unit).path;
    let is_theirs = path
        .to_str()
        .is_some_and(|path| path.strip_prefix(LIBRARY).is_some_and(|file| BYTEWISE.contains(&file)));
    is_theirs && race::is_through_pointer(program, Step::Edge(edge))
}

struct Tear<'a> {
    program: &'a mut Program,
    function: FnId,
    span: Span,
    begin: FnId,
    end: FnId,
    /// Data races are looked for.
    races: bool,
    /// What is done in place of the operation; for steps that are torn, with how many sections of their own around them.
    steps: Vec<(Op, Option<u32>)>,
    sections: u32,
}

/// The way to a part of a record or array.
#[derive(Clone, Copy)]
enum Part {
    Field(u32),
    Element(u64),
}

impl Tear<'_> {
    fn edge(mut self, edge: EdgeId) {
        let op = self.program.cfa.edges[edge].op.clone();
        self.op(op);
        let to = self.program.cfa.edges[edge].to;
        let mut steps = std::mem::take(&mut self.steps).into_iter();
        let Some((first, torn)) = steps.next() else { return };
        self.program.cfa.edges[edge].op = first;
        self.note(edge, torn);
        let mut last = edge;
        for (op, torn) in steps {
            let mid: LocId = self.program.cfa.add_loc(self.function, LocKind::Plain);
            redirect(self.program, last, mid);
            last = self.program.cfa.add_edge(mid, to, op, self.span);
            self.note(last, torn);
        }
    }

    fn note(&mut self, edge: EdgeId, torn: Option<u32>) {
        if let Some(sections) = torn {
            self.program.threads.torn.insert(edge, sections);
        }
    }

    fn push(&mut self, op: Op, torn: bool) {
        self.steps.push((op, torn.then_some(self.sections)));
    }

    /// What follows up to the end of the section is done at once.
    fn begin(&mut self) {
        self.push(call(self.begin, Vec::new()), false);
        self.sections += 1;
    }

    fn end(&mut self) {
        self.sections -= 1;
        self.push(call(self.end, Vec::new()), false);
    }

    fn op(&mut self, op: Op) {
        // A copy of what was not written is not written: records stay whole where that is asked.
        let whole = self.program.asks_what_is_written;
        match op {
            Op::Assign(place, value) if self.program.bit_field(place).is_some() && !whole => {
                self.store_bits(place, value);
            }
            Op::Assign(place, value) => self.assign(place, value, whole),
            Op::Return(Some(value)) if !whole && self.is_wide_load(value) => {
                let value = self.read(value);
                self.push(Op::Return(Some(value)), false);
            }
            Op::Call(Call { callee, args, dest }) if !whole => self.call(callee, args, dest),
            op => self.push(op, true),
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId, whole: bool) {
        let (wide, reads) = (is_wide(self.program, place), self.is_wide_load(value));
        let scalar = self.program.types.is_scalar(self.program.places[place].ty);
        match (scalar, wide, reads) {
            (true, true, false) if self.halves(place, value) => {}
            (true, false, true) if self.read_halves(place, value) => {}
            (false, true, true) if !whole => {
                let value = self.read(value);
                self.copy(place, value);
            }
            (false, ..) if !whole => self.copy(place, value),
            _ => self.push(Op::Assign(place, value), true),
        }
    }

    fn is_wide_load(&self, value: ExprId) -> bool {
        matches!(self.program.exprs[value].kind, ExprKind::Load(place) if is_wide(self.program, place))
    }

    /// What is read, in a variable of the thread.
    fn read(&mut self, value: ExprId) -> ExprId {
        let ty = self.program.exprs[value].ty;
        let to = self.temp(ty);
        match self.program.types.is_scalar(ty) {
            true if self.read_halves(to, value) => {}
            true => self.push(Op::Assign(to, value), true),
            false => self.copy(to, value),
        }
        self.program.load(to, self.span)
    }

    fn temp(&mut self, ty: TypeId) -> PlaceId {
        let var = self.program.add_temp(self.function, "$", ty, self.span);
        self.program.var_place(var, self.span)
    }

    /// The unsigned type of an integer of two words, with the bits of its lower half.
    fn half(&mut self, ty: TypeId) -> Option<(TypeId, u128)> {
        let kind = match self.program.types[ty] {
            Type::Int(kind) => kind.to_unsigned(),
            _ => return None,
        };
        let word = self.program.model.pointer_bits();
        let bits = self.program.model.int_type(kind).bits;
        (bits == 2 * word).then(|| (self.program.types.int(kind), (1u128 << word) - 1))
    }

    /// `(a & mask) | (b & !mask)`, or only the first part.
    fn merge(&mut self, a: ExprId, mask: u128, b: Option<ExprId>, unsigned: TypeId, ty: TypeId) -> ExprId {
        let span = self.span;
        let part = |program: &mut Program, value: ExprId, mask: u128| {
            let mask = program.int(mask as i128, unsigned, span);
            let value = program.cast(value, unsigned, span);
            program.binary(BinOp::And, value, mask, unsigned, span)
        };
        let mut value = part(self.program, a, mask);
        if let Some(b) = b {
            let b = part(self.program, b, !mask);
            value = self.program.binary(BinOp::Or, value, b, unsigned, span);
        }
        self.program.cast(value, ty, span)
    }

    /// Both words are stored, the lower one first.
    fn halves(&mut self, place: PlaceId, value: ExprId) -> bool {
        let ty = self.program.places[place].ty;
        let Some((unsigned, low)) = self.half(ty) else { return false };
        for mask in [low, !low] {
            let old = self.program.load(place, self.span);
            let new = self.merge(value, mask, Some(old), unsigned, ty);
            self.push(Op::Assign(place, new), true);
        }
        true
    }

    /// Both words are read, the lower one first.
    fn read_halves(&mut self, to: PlaceId, value: ExprId) -> bool {
        let ty = self.program.exprs[value].ty;
        let Some((unsigned, low)) = self.half(ty).filter(|_| self.program.places[to].ty == ty) else {
            return false;
        };
        let first = self.merge(value, low, None, unsigned, ty);
        self.push(Op::Assign(to, first), true);
        let so_far = self.program.load(to, self.span);
        let both = self.merge(so_far, low, Some(value), unsigned, ty);
        self.push(Op::Assign(to, both), true);
        true
    }

    /// `place = value`, of records or arrays, word by word; not both are shared.
    fn copy(&mut self, place: PlaceId, value: ExprId) {
        let mut parts = Vec::new();
        let ty = self.program.places[place].ty;
        let from = match self.program.exprs[value].kind {
            ExprKind::Load(from) => Some(from),
            _ => None,
        };
        if !self.parts(ty, 0, &mut Vec::new(), &mut parts)
            || from.is_none() && !is_zeroed(self.program, value)
        {
            return self.push(Op::Assign(place, value), true);
        }
        let word = self.program.model.pointer_bytes();
        let mut words: BTreeMap<u64, Vec<Vec<Part>>> = BTreeMap::new();
        for (offset, path) in parts {
            words.entry(offset / word).or_default().push(path);
        }
        for parts in words.into_values() {
            let alone = parts.len() == 1;
            // Most compilers copy a word at once: what others see between its parts is no violation, nor a proof.
            if !alone {
                self.push(call(self.begin, Vec::new()), true);
                self.sections += 1;
            }
            for path in parts {
                let to = self.part(place, &path);
                let value = match from {
                    Some(from) => {
                        let from = self.part(from, &path);
                        self.program.load(from, self.span)
                    }
                    None => self.zero(self.program.places[to].ty),
                };
                self.push(Op::Assign(to, value), true);
            }
            if !alone {
                self.end();
            }
        }
    }

    fn zero(&mut self, ty: TypeId) -> ExprId {
        match self.program.types[ty] {
            Type::Float(_) => self.program.add_expr(ExprKind::Float(0.0), ty, self.span),
            _ if self.program.types.is_scalar(ty) => self.program.int(0, ty, self.span),
            _ => self.program.add_expr(ExprKind::Zeroed, ty, self.span),
        }
    }

    /// The scalars and unions that something is made of, with their offsets; false if there are too many.
    fn parts(&self, ty: TypeId, at: u64, path: &mut Vec<Part>, out: &mut Vec<(u64, Vec<Part>)>) -> bool {
        if out.len() > MAX_PARTS {
            return false;
        }
        let types = &self.program.types;
        match &types[ty] {
            Type::Record(id) if types.records[*id].kind == RecordKind::Struct => {
                types.records[*id].fields.iter().enumerate().all(|(i, field)| {
                    if field.bits.is_some() && field.name.is_none() {
                        return true;
                    }
                    path.push(Part::Field(i as u32));
                    let all = self.parts(field.ty.ty, at + field.offset, path, out);
                    path.pop();
                    all
                })
            }
            Type::Array(of, ArrayLen::Fixed(len)) => {
                let Some(size) = types.size(of.ty).filter(|_| *len <= MAX_PARTS as u64) else { return false };
                (0..*len).all(|i| {
                    path.push(Part::Element(i));
                    let all = self.parts(of.ty, at + i * size, path, out);
                    path.pop();
                    all
                })
            }
            Type::Array(..) => false,
            _ => {
                out.push((at, path.clone()));
                true
            }
        }
    }

    fn part(&mut self, mut place: PlaceId, path: &[Part]) -> PlaceId {
        for part in path {
            let ty = self.program.places[place].ty;
            let (kind, ty) = match (*part, &self.program.types[ty]) {
                (Part::Field(i), Type::Record(id)) => {
                    (PlaceKind::Field(place, i), self.program.types.records[*id].fields[i as usize].ty.ty)
                }
                (Part::Element(i), Type::Array(of, _)) => {
                    let of = of.ty;
                    let long = self.program.types.ptrdiff_t();
                    (PlaceKind::Index(place, self.program.int(i.into(), long, self.span)), of)
                }
                _ => return place,
            };
            place = self.program.places.push(Place { kind, ty, span: self.span });
        }
        place
    }

    /// The bytes that a bit-field lies in are read and written back, with the bit-fields that share them.
    fn store_bits(&mut self, place: PlaceId, value: ExprId) {
        let neighbours = self.neighbours(place);
        if neighbours.is_empty() {
            return self.push(Op::Assign(place, value), true);
        }
        self.about_to_access(place);
        let mut kept = Vec::new();
        self.begin();
        for field in neighbours {
            let to = self.temp(self.program.places[field].ty);
            let old = self.program.load(field, self.span);
            self.push(Op::Assign(to, old), true);
            kept.push((field, to));
        }
        self.end();
        self.begin();
        for (field, old) in kept {
            let old = self.program.load(old, self.span);
            self.push(Op::Assign(field, old), true);
        }
        self.push(Op::Assign(place, value), true);
        self.end();
    }

    /// Two accesses are never both inside of their sections: where data races are looked for, each is seen before.
    fn about_to_access(&mut self, place: PlaceId) {
        if self.races {
            let seen = self.temp(self.program.places[place].ty);
            let old = self.program.load(place, self.span);
            self.push(Op::Assign(seen, old), true);
        }
    }

    /// The other bit-fields of which some bit lies in the same byte.
    fn neighbours(&mut self, place: PlaceId) -> Vec<PlaceId> {
        let (PlaceKind::Field(base, own), Some(bits)) =
            (self.program.places[place].kind.clone(), self.program.bit_field(place))
        else {
            return Vec::new();
        };
        let Type::Record(id) = self.program.types[self.program.places[base].ty] else { return Vec::new() };
        let bytes = |b: tour_ir::program::BitField| b.offset / 8..(b.offset + u64::from(b.width)).div_ceil(8);
        let mine = bytes(bits);
        let fields = self.program.types.records[id].fields.clone();
        let mut found = Vec::new();
        for (i, field) in fields.iter().enumerate() {
            let shares = field.bits.is_some_and(|b| bytes(b).start < mine.end && mine.start < bytes(b).end);
            if shares && i as u32 != own && field.name.is_some() {
                let kind = PlaceKind::Field(base, i as u32);
                found.push(self.program.places.push(Place { kind, ty: field.ty.ty, span: self.span }));
            }
        }
        found
    }

    fn call(&mut self, callee: Callee, args: Vec<ExprId>, dest: Option<PlaceId>) {
        let builtin = match callee {
            Callee::Direct(f) if self.program.functions[f].body.is_none() => {
                self.program.functions[f].builtin
            }
            _ => None,
        };
        if let (Some(Builtin::Memset | Builtin::Memcpy), [.., size]) = (builtin, &args[..])
            && let Some(size) = self.program.const_value(*size)
            && (VECTOR as u128 + 1..=MAX_BLOCK.into()).contains(&size)
        {
            let moved = if builtin == Some(Builtin::Memset) { 1 } else { 2 };
            return self.block(callee, &args, dest, moved, size as u64);
        }
        if builtin.is_some() {
            return self.push(Op::Call(Call { callee, args, dest }), true);
        }
        let args =
            args.into_iter().map(|arg| if self.is_wide_load(arg) { self.read(arg) } else { arg }).collect();
        match dest.filter(|dest| is_wide(self.program, *dest)) {
            Some(dest) => {
                let result = self.temp(self.program.places[dest].ty);
                self.push(Op::Call(Call { callee, args, dest: Some(result) }), false);
                let value = self.program.load(result, self.span);
                self.assign(dest, value, false);
            }
            None => self.push(Op::Call(Call { callee, args, dest }), false),
        }
    }

    /// Bytes are set or copied piece by piece; the first `moved` arguments are where.
    fn block(&mut self, callee: Callee, args: &[ExprId], dest: Option<PlaceId>, moved: usize, size: u64) {
        let long = self.program.types.ptrdiff_t();
        let mut at = 0;
        while at < size {
            let mut own = args.to_vec();
            for pointer in &mut own[..moved] {
                if at > 0 {
                    let void = self.program.types.void();
                    let bytes = self.program.types.pointer(void);
                    let base = self.program.cast(*pointer, bytes, self.span);
                    let offset = self.program.int(at.into(), long, self.span);
                    *pointer = self.program.binary(BinOp::PtrAdd, base, offset, bytes, self.span);
                }
            }
            if let Some(last) = own.last_mut() {
                let ty = self.program.exprs[*last].ty;
                *last = self.program.int((size - at).min(VECTOR).into(), ty, self.span);
            }
            let dest = dest.filter(|_| at == 0);
            self.push(Op::Call(Call { callee, args: own, dest }), true);
            at += VECTOR;
        }
    }
}

fn is_zeroed(program: &Program, value: ExprId) -> bool {
    matches!(program.exprs[value].kind, ExprKind::Zeroed)
}
