//! Values that go from one place to another point into one region, and pointers move by multiples of its stride.

use super::slots::knows;
use rustc_hash::FxHashSet;
use tour_ir::program::{
    ArrayLen, BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, InitItem, IntType, Op, PlaceId,
    PlaceKind, Program, Type, TypeId, VarId,
};
use tour_model::regions::{Heap, Home, Origin, Position, RegionId, Regions, Scalar, scalar};

/// Where an lvalue lies.
#[derive(Clone, Copy)]
struct Spot {
    region: RegionId,
    at: Position,
}

type Checked<T> = Result<T, String>;

fn demand(holds: bool, what: &str) -> Checked<()> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// What was seen on the way.
#[derive(Default)]
pub(super) struct Seen {
    /// Variables whose addresses are taken.
    pub addressed: FxHashSet<VarId>,
    /// Regions in which blocks are made, by `malloc` and its kin.
    pub blocks: FxHashSet<RegionId>,
}

/// Looks at every operation.
pub(super) fn check(program: &Program, regions: &Regions) -> Checked<Seen> {
    let mut walk = Walk { program, regions, done: FxHashSet::default(), seen: Seen::default() };
    for &var in &program.globals {
        for item in program.vars[var].init.iter().flat_map(|init| &init.items) {
            match item {
                InitItem::Value { place, value } => walk.assign(*place, *value)?,
                InitItem::Bytes { place, .. } => _ = walk.place(*place)?,
            }
        }
    }
    for edge in &program.cfa.edges {
        let function = program.cfa.locs[edge.from].function;
        let checked = walk.op(function, &edge.op);
        checked.map_err(|why| format!("{}: {why}", program.show_op(&edge.op)))?;
    }
    Ok(walk.seen)
}

struct Walk<'a> {
    program: &'a Program,
    regions: &'a Regions,
    done: FxHashSet<ExprId>,
    seen: Seen,
}

impl Walk<'_> {
    fn home(&self, var: VarId) -> Spot {
        let (Home::Cells(region) | Home::Object(region, _) | Home::Fresh(region)) = self.regions.home(var);
        Spot { region, at: Position::START }
    }

    /// The place of a scalar, which the slots of its region know.
    fn scalar_at(&self, spot: Spot, kind: Scalar, bits: u64) -> Checked<Position> {
        let at = spot.at.sized(bits);
        demand(knows(&self.regions[spot.region], at, kind), "an access that no slot was made for")?;
        Ok(at)
    }

    /// Where a pointer that is stored in a place points to; `None` if nothing is known of it.
    fn content(&self, spot: Spot) -> Checked<Option<RegionId>> {
        let at = self.scalar_at(spot, Scalar::Pointer, u64::from(self.program.model.pointer_bits()))?;
        let region = &self.regions[spot.region];
        Ok(region.slot(at, Scalar::Pointer).and_then(|slot| region.slots[slot].content))
    }

    /// All scalars of a type at a place, and what its pointers point to.
    fn contents(&self, spot: Spot, ty: TypeId, into: &mut Vec<Option<RegionId>>) -> Checked<()> {
        let types = &self.program.types;
        match &types[ty] {
            Type::Array(of, len) => {
                let Some(size) = types.size(of.ty) else { return Ok(()) };
                let count = match len {
                    ArrayLen::Fixed(n) => Some(*n),
                    ArrayLen::Variable(_) | ArrayLen::Unknown => None,
                };
                let at = spot.at.element(size.saturating_mul(8), count);
                self.contents(Spot { at, ..spot }, of.ty, into)
            }
            Type::Record(id) => {
                for field in &types.records[*id].fields {
                    match field.bits {
                        Some(bits) => {
                            let at = spot.at.field(bits.offset);
                            self.scalar_at(Spot { at, ..spot }, Scalar::Bits, u64::from(bits.width))?;
                        }
                        None => {
                            let at = spot.at.field(field.offset.saturating_mul(8));
                            self.contents(Spot { at, ..spot }, field.ty.ty, into)?;
                        }
                    }
                }
                Ok(())
            }
            _ => {
                match scalar(self.program, ty) {
                    Some((Scalar::Pointer, _)) => into.push(self.content(spot)?),
                    Some((kind, bits)) => _ = self.scalar_at(spot, kind, bits)?,
                    None => {}
                }
                Ok(())
            }
        }
    }

    fn place(&mut self, place: PlaceId) -> Checked<Spot> {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(self.home(var)),
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.place(inner),
                _ => {
                    let region = self.pointer(pointer)?.ok_or("a pointer to no region is followed")?;
                    Ok(Spot { region, at: Position::START })
                }
            },
            PlaceKind::Field(base, index) => {
                let spot = self.place(base)?;
                let Type::Record(id) = &program.types[program.places[base].ty] else {
                    return Err("a member of what is no record".into());
                };
                let field =
                    program.types.records[*id].fields.get(index as usize).ok_or("a missing member")?;
                let bits = field.bits.map_or(field.offset.saturating_mul(8), |b| b.offset);
                Ok(Spot { at: spot.at.field(bits), ..spot })
            }
            PlaceKind::Index(base, index) => {
                let spot = self.place(base)?;
                self.expr(index)?;
                let len = program.types.element(program.places[base].ty).map(|(_, len)| len);
                let at = match (program.types.size(node.ty), len) {
                    _ if program.const_value(index) == Some(0) => spot.at,
                    (Some(size), Some(ArrayLen::Fixed(n))) if n > 1 => {
                        spot.at.element(size.saturating_mul(8), Some(n))
                    }
                    (Some(size), Some(_)) => spot.at.element(size.saturating_mul(8), None),
                    _ => spot.at.element(8, None),
                };
                Ok(Spot { at, ..spot })
            }
        }
    }

    /// Pointers into the region may be this number of bytes apart.
    fn moves(&self, region: RegionId, bytes: u64) -> Checked<()> {
        let stride = self.regions[region].stride;
        demand(
            bytes == 0 || (stride != 0 && bytes.is_multiple_of(stride)),
            "a pointer moves off its region's stride",
        )
    }

    /// An expression of pointer type: where it points.
    fn pointer(&mut self, expr: ExprId) -> Checked<Option<RegionId>> {
        self.expr(expr)?;
        Ok(self.regions.pointee(expr))
    }

    fn same(&self, expr: ExprId, region: Option<RegionId>) -> Checked<()> {
        demand(self.regions.pointee(expr) == region, "a pointer changes its region on the way")
    }

    fn expr(&mut self, expr: ExprId) -> Checked<()> {
        if !self.done.insert(expr) {
            return Ok(());
        }
        let program = self.program;
        let node = &program.exprs[expr];
        let is_pointer = matches!(program.types[node.ty], Type::Pointer(_));
        match node.kind {
            ExprKind::Int(bits) if is_pointer => match self.regions.pointee(expr) {
                Some(region) => {
                    let address = IntType::signed(program.model.pointer_bits()).to_i128(bits);
                    self.moves(region, address.unsigned_abs() as u64)
                }
                None => Ok(()),
            },
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed => Ok(()),
            ExprKind::Load(place) => {
                let spot = self.place(place)?;
                match program.bit_field(place) {
                    Some(bits) => self.scalar_at(spot, Scalar::Bits, u64::from(bits.width)).map(drop),
                    None if is_pointer => {
                        let content = self.content(spot)?;
                        self.same(expr, content)
                    }
                    None => self.contents(spot, node.ty, &mut Vec::new()),
                }
            }
            ExprKind::AddrOf(place) => {
                if let Some(var) = Regions::root(program, place) {
                    self.seen.addressed.insert(var);
                }
                let spot = self.place(place)?;
                self.same(expr, Some(spot.region))?;
                let Position { first, step, .. } = spot.at;
                demand(first.is_multiple_of(8) && step.is_multiple_of(8), "the address of a bit")?;
                self.moves(spot.region, first / 8)?;
                self.moves(spot.region, step / 8)
            }
            ExprKind::FnAddr(f) => self.same(expr, self.regions.function(f).map(|(region, _)| region)),
            ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Fact(_, a) => self.expr(a),
            ExprKind::Binary(BinOp::PtrAdd, p, count) => {
                self.expr(count)?;
                let Some(region) = self.pointer(p)? else { return self.same(expr, None) };
                self.same(expr, Some(region))?;
                let size = match program.types.pointee(node.ty).map(|to| to.ty) {
                    Some(to) if matches!(program.types[to], Type::Void | Type::Function(_)) => 1,
                    Some(to) => program.types.size(to).unwrap_or(1),
                    None => 1,
                };
                let count = match (program.const_value(count), program.int_type_of(count)) {
                    (Some(bits), Some(int)) => int.to_i128(bits).unsigned_abs() as u64,
                    _ => 1,
                };
                // One that is too far to be known may be anywhere.
                match size.checked_mul(count).filter(|bytes| *bytes < u64::MAX / 8) {
                    Some(bytes) => self.moves(region, bytes),
                    None => {
                        demand(self.regions[region].stride == 1, "a pointer moves off its region's stride")
                    }
                }
            }
            ExprKind::Binary(_, a, b) => match (self.pointer(a)?, self.pointer(b)?) {
                (Some(x), Some(y)) => demand(x == y, "pointers into two regions are compared"),
                _ => Ok(()),
            },
            ExprKind::Cast(a) => {
                self.expr(a)?;
                let from_pointer = matches!(program.types[program.exprs[a].ty], Type::Pointer(_));
                match (is_pointer, from_pointer) {
                    (false, _) => Ok(()),
                    (true, true) => self.same(expr, self.regions.pointee(a)),
                    (true, false) => match self.integer(a)? {
                        Some(region) => self.same(expr, Some(region)),
                        None => match self.regions.pointee(expr) {
                            Some(region) => self.moves(region, 1),
                            None => Ok(()),
                        },
                    },
                }
            }
        }
    }

    /// Where an integer that is a pointer points to; `None` if it is none.
    fn integer(&mut self, expr: ExprId) -> Checked<Option<RegionId>> {
        let program = self.program;
        let Some(origin) = self.regions.carriers().origin(program, expr) else { return Ok(None) };
        Ok(match origin {
            Origin::Pointer(pointer) => self.pointer(pointer)?,
            Origin::Same(inner) => return self.integer(inner),
            Origin::Variable(var) => self.regions.carried(var),
            Origin::Plus(pointer, by) | Origin::Minus(pointer, by) => {
                let region = self.integer(pointer)?;
                let bytes = match (program.const_value(by), program.int_type_of(by)) {
                    (Some(bits), Some(int)) => int.to_i128(bits).unsigned_abs() as u64,
                    _ => 1,
                };
                if let Some(region) = region {
                    self.moves(region, bytes)?;
                }
                region
            }
        })
    }

    /// A value is stored.
    fn store(&mut self, to: Spot, ty: TypeId, value: ExprId) -> Checked<()> {
        self.expr(value)?;
        if let Type::Pointer(_) = self.program.types[ty] {
            let content = self.content(to)?;
            return match (content, self.regions.pointee(value)) {
                (Some(a), Some(b)) => demand(a == b, "a pointer is stored where another region is expected"),
                // It is not a pointer to begin with: see calls.
                _ => Ok(()),
            };
        }
        let mut targets = Vec::new();
        self.contents(to, ty, &mut targets)?;
        if let ExprKind::Load(from) = self.program.exprs[value].kind
            && !targets.is_empty()
        {
            let from = self.place(from)?;
            let mut sources = Vec::new();
            self.contents(from, self.program.exprs[value].ty, &mut sources)?;
            demand(targets == sources, "pointers are copied to where another region is expected")?;
        }
        Ok(())
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) -> Checked<()> {
        let to = self.place(place)?;
        if let Some(bits) = self.program.bit_field(place) {
            self.expr(value)?;
            return self.scalar_at(to, Scalar::Bits, u64::from(bits.width)).map(drop);
        }
        self.store(to, self.program.places[place].ty, value)?;
        if let PlaceKind::Var(var) = self.program.places[place].kind
            && self.regions.carriers().contains(var)
            && let Some(region) = self.integer(value)?
        {
            demand(self.regions.carried(var) == Some(region), "an integer points into two regions")?;
        }
        Ok(())
    }

    fn op(&mut self, function: FnId, op: &Op) -> Checked<()> {
        let program = self.program;
        match op {
            Op::Nop | Op::Unsupported(_) | Op::Return(None) | Op::Declare(_) | Op::Expire(_) => Ok(()),
            Op::Assign(place, value) => self.assign(*place, *value),
            Op::Assume { cond, .. } => self.expr(*cond),
            Op::Return(Some(value)) => match program.functions[function].ret {
                Some(ret) => self.store(self.home(ret), program.vars[ret].ty.ty, *value),
                None => self.expr(*value),
            },
            Op::Havoc(place, _) => {
                let spot = self.place(*place)?;
                match program.bit_field(*place) {
                    Some(bits) => self.scalar_at(spot, Scalar::Bits, u64::from(bits.width)).map(drop),
                    None => self.contents(spot, program.places[*place].ty, &mut Vec::new()),
                }
            }
            Op::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) -> Checked<()> {
        let program = self.program;
        for &arg in &call.args {
            self.expr(arg)?;
        }
        match call.callee {
            Callee::Direct(f) => match program.functions[f].builtin {
                Some(builtin) if program.functions[f].body.is_none() => self.builtin(call, builtin),
                _ => self.bind(call, f),
            },
            Callee::Indirect(pointer) => {
                let region = self.pointer(pointer)?;
                for (f, function) in program.functions.iter_enumerated() {
                    if function.body.is_some()
                        && let Some((of, _)) = self.regions.function(f)
                        && Some(of) == region
                    {
                        self.bind(call, f)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Arguments go to parameters, the result to its destination. What does not fit is not executed.
    fn bind(&mut self, call: &Call, f: FnId) -> Checked<()> {
        let program = self.program;
        let function = &program.functions[f];
        let is_pointer = |ty: TypeId| matches!(program.types[ty], Type::Pointer(_));
        let fits = |(param, arg): (&VarId, &ExprId)| {
            is_pointer(program.vars[*param].ty.ty) == is_pointer(program.exprs[*arg].ty)
        };
        if function.params.len() > call.args.len() || !function.params.iter().zip(&call.args).all(fits) {
            return Ok(());
        }
        for (&param, &arg) in function.params.iter().zip(&call.args) {
            self.store(self.home(param), program.vars[param].ty.ty, arg)?;
        }
        let (Some(dest), Some(ret)) = (call.dest, function.ret) else { return Ok(()) };
        let (to, ty) = (self.place(dest)?, program.places[dest].ty);
        if is_pointer(ty) != is_pointer(program.vars[ret].ty.ty) || program.bit_field(dest).is_some() {
            return Ok(());
        }
        let (mut targets, mut sources) = (Vec::new(), Vec::new());
        self.contents(to, ty, &mut targets)?;
        self.contents(self.home(ret), program.vars[ret].ty.ty, &mut sources)?;
        demand(targets == sources, "a result is stored where another region is expected")
    }

    /// Library functions that are executed as one operation.
    fn builtin(&mut self, call: &Call, builtin: Builtin) -> Checked<()> {
        let program = self.program;
        let dest = match call.dest {
            Some(dest) => {
                let to = self.place(dest)?;
                match program.types[program.places[dest].ty] {
                    Type::Pointer(_) => self.content(to)?,
                    _ => None,
                }
            }
            None => None,
        };
        let (regions, blocks) = (self.regions, &mut self.seen.blocks);
        let arg = |i: usize| call.args.get(i).and_then(|&arg| regions.pointee(arg));
        let same = |a: Option<RegionId>, b: Option<RegionId>| match (a, b) {
            (Some(a), Some(b)) => demand(a == b, "a block of bytes is in two regions"),
            _ => Ok(()),
        };
        let mortal = |region: Option<RegionId>| {
            demand(region.is_none_or(|r| regions[r].mortal), "an object dies in a region of immortal ones")
        };
        match builtin {
            Builtin::Malloc | Builtin::Outside | Builtin::Calloc | Builtin::Alloca | Builtin::Realloc => {
                if builtin == Builtin::Realloc {
                    same(dest, arg(0))?;
                    mortal(arg(0))?;
                }
                let Some(region) = dest else { return Ok(()) };
                blocks.insert(region);
                let of = &regions[region];
                demand(of.grows && !of.zeroed, "a block is made in a region that does not grow")?;
                let input = matches!(call.callee, Callee::Direct(f) if program.functions[f].name == tour_ir::program::INPUT_OBJECT);
                demand(of.inputs || !input, "the object of an input in a region without any")?;
                let set = matches!(builtin, Builtin::Calloc | Builtin::Outside);
                demand(of.blank || set, "a block that nothing was written to in a region without any")?;
                let size = block_size(program, call, builtin);
                demand(
                    of.size.is_none() || of.size == size,
                    "a block has another size than its region says",
                )?;
                match builtin {
                    Builtin::Alloca => {
                        demand(of.heap != Heap::All, "a block of the stack in a region of the heap")?;
                        mortal(Some(region))
                    }
                    _ => demand(of.heap != Heap::None, "a block of the heap in a region of the stack"),
                }
            }
            Builtin::Free => mortal(arg(0)),
            Builtin::Memcpy | Builtin::Memmove => {
                same(arg(0), arg(1))?;
                same(dest, arg(0))
            }
            Builtin::Memset | Builtin::Strcpy | Builtin::Strncpy | Builtin::Strcat | Builtin::Strchr => {
                same(dest, arg(0))
            }
            Builtin::Memcmp
            | Builtin::Strlen
            | Builtin::Strcmp
            | Builtin::Strncmp
            | Builtin::Printf
            | Builtin::Puts
            | Builtin::Putchar => Ok(()),
            // Threads were made explicit: what they are given is assigned to their parameters.
            Builtin::ThreadCreate
            | Builtin::ThreadJoin
            | Builtin::ThreadExit
            | Builtin::ThreadSelf
            | Builtin::AtomicBegin
            | Builtin::AtomicEnd
            | Builtin::ThreadStart
            | Builtin::ThreadFinished
            | Builtin::Blocked => Ok(()),
        }
    }
}

/// The size of a new block, if it is a constant that no conversion changes.
fn block_size(program: &Program, call: &Call, builtin: Builtin) -> Option<u64> {
    let constant = |i: usize| {
        let mut expr = *call.args.get(i)?;
        loop {
            let value = program.int_type_of(expr)?.to_i128(program.const_value(expr)?);
            if !(0..1 << 31).contains(&value) {
                return None;
            }
            match program.exprs[expr].kind {
                ExprKind::Cast(inner) => expr = inner,
                _ => return u64::try_from(value).ok(),
            }
        }
    };
    match builtin {
        Builtin::Malloc | Builtin::Outside | Builtin::Alloca => constant(0),
        Builtin::Calloc => constant(0)?.checked_mul(constant(1)?),
        Builtin::Realloc => constant(1),
        _ => None,
    }
}
