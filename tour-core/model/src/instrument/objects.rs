//! What pointers may point to, before anything is checked: a check that nothing can violate is not made.

use crate::regions::{Home, Position, RegionId, Regions, Scalar};
use index_vec::IndexVec;
use tour_ir::program::{
    Builtin, Callee, ExprId, Op, PlaceId, PlaceKind, Program, QualType, Type, TypeId, VarId,
};

/// The objects of a program, by region.
pub(super) struct Objects {
    regions: Regions,
    /// Expressions and places that are newer belong to checks.
    exprs: usize,
    places: usize,
    of: IndexVec<RegionId, Members>,
}

/// The objects of a region.
#[derive(Clone, Debug)]
pub(super) struct Members {
    /// Variables in memory.
    pub vars: Vec<VarId>,
    /// Blocks without a declared type: of the heap, the stack, or from outside.
    pub blocks: bool,
}

impl Objects {
    /// The objects of a program.
    pub fn of(program: &Program) -> Objects {
        let regions = Regions::of(program);
        let none = Members { vars: Vec::new(), blocks: false };
        let mut of: IndexVec<RegionId, Members> = regions.regions.iter().map(|_| none.clone()).collect();
        for (var, variable) in program.vars.iter_enumerated() {
            if let Home::Object(region, _) | Home::Fresh(region) = regions.home(var) {
                let unit = &program.sources.unit(variable.span.unit).path;
                // What Rust declares has no type for C, as a block has none.
                match unit.extension().is_some_and(|extension| extension == "rs") {
                    true => of[region].blocks = true,
                    false => of[region].vars.push(var),
                }
            }
        }
        for edge in &program.cfa.edges {
            let Op::Call(call) = &edge.op else { continue };
            let (Callee::Direct(f), Some(dest)) = (call.callee, call.dest) else { continue };
            let Some(builtin) = program.functions[f].builtin else { continue };
            let makes = matches!(
                builtin,
                Builtin::Malloc | Builtin::Calloc | Builtin::Realloc | Builtin::Alloca | Builtin::Outside
            );
            if let Some(region) = content(program, &regions, dest).filter(|_| makes) {
                of[region].blocks = true;
            }
        }
        Objects { regions, exprs: program.exprs.len(), places: program.places.len(), of }
    }

    /// The region that a pointer points into.
    pub fn pointee(&self, pointer: ExprId) -> Option<RegionId> {
        if pointer.index() < self.exprs { self.regions.pointee(pointer) } else { None }
    }

    /// The objects of a region.
    pub fn members(&self, region: RegionId) -> &Members {
        &self.of[region]
    }

    /// The addresses of all objects of the region are multiples of this number of bytes.
    pub fn align(&self, program: &Program, region: RegionId) -> u64 {
        self.regions[region].least_align(program)
    }

    /// Pointers into the region are multiples of this number of bytes from the beginning of their object; 0 if they always point
    /// there.
    pub fn stride(&self, region: RegionId) -> u64 {
        self.regions[region].stride
    }

    /// Some objects of the region are literals, or static and `const`.
    pub fn has_constants(&self, region: RegionId) -> bool {
        self.regions[region].constants > 0
    }

    /// The region in which an lvalue lies, and where in its variable or behind its pointer.
    pub fn spot(&self, program: &Program, place: PlaceId) -> Option<(RegionId, Position)> {
        if place.index() < self.places { self.regions.spot(program, place) } else { None }
    }
}

/// Where a pointer that is stored in a place points to.
fn content(program: &Program, regions: &Regions, place: PlaceId) -> Option<RegionId> {
    let (region, at) = regions.spot(program, place)?;
    let at = at.sized(u64::from(program.model.pointer_bits()));
    let slot = regions[region].slot(at, Scalar::Pointer)?;
    regions[region].slots[slot].content
}

/// A scalar in the declared type of an object, or of what an access touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypedPart {
    pub at: Position,
    pub ty: QualType,
}

/// The scalars of something of type `ty` that lies at `at`, with their types. Elements of an array are one part.
pub(super) fn typed_parts(program: &Program, at: Position, ty: QualType) -> Vec<TypedPart> {
    let mut parts = Vec::new();
    let mut work = vec![(at, ty)];
    while let Some((at, ty)) = work.pop() {
        match &program.types[ty.ty] {
            Type::Array(of, _) => {
                let size = program.types.size(of.ty).unwrap_or(0).saturating_mul(8);
                let count = match program.types.element(ty.ty) {
                    Some((_, tour_ir::program::ArrayLen::Fixed(n))) => Some(n),
                    _ => None,
                };
                let of = QualType { ty: of.ty, quals: of.quals.union(ty.quals) };
                work.push((if size == 0 { at } else { at.element(size, count) }, of));
            }
            Type::Record(id) => {
                for field in program.types.records[*id].fields.iter().rev() {
                    let inner = QualType { ty: field.ty.ty, quals: field.ty.quals.union(ty.quals) };
                    match field.bits {
                        Some(bits) => parts.push(TypedPart {
                            at: at.field(bits.offset).sized(u64::from(bits.width)),
                            ty: inner,
                        }),
                        None => work.push((at.field(field.offset.saturating_mul(8)), inner)),
                    }
                }
            }
            _ => {
                let size = program.types.size(ty.ty).unwrap_or(0).saturating_mul(8);
                parts.push(TypedPart { at: at.sized(size), ty });
            }
        }
    }
    parts
}

/// All lvalues that operations of the program read or write, each with its type as it is accessed.
pub(super) fn accesses(program: &Program) -> Vec<(PlaceId, TypeId)> {
    let mut found = Vec::new();
    let mut exprs = Vec::new();
    let mut written = Vec::new();
    for edge in &program.cfa.edges {
        match &edge.op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                written.push(*place);
                exprs.push(*value);
            }
            Op::Assume { cond, .. } => exprs.push(*cond),
            Op::Return(Some(value)) => exprs.push(*value),
            Op::Havoc(place, _) => written.push(*place),
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    exprs.push(pointer);
                }
                exprs.extend(&call.args);
                written.extend(call.dest);
            }
        }
    }
    let mut seen = IndexVec::<ExprId, bool>::from_vec(vec![false; program.exprs.len()]);
    let mut places = Vec::new();
    for place in written {
        found.push((place, program.places[place].ty));
        places.push(place);
    }
    loop {
        while let Some(place) = places.pop() {
            match program.places[place].kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(pointer) => exprs.push(pointer),
                PlaceKind::Field(base, _) => places.push(base),
                PlaceKind::Index(base, index) => {
                    places.push(base);
                    exprs.push(index);
                }
            }
        }
        let Some(expr) = exprs.pop() else { return found };
        if std::mem::replace(&mut seen[expr], true) {
            continue;
        }
        use tour_ir::program::ExprKind;
        match program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                found.push((place, program.exprs[expr].ty));
                places.push(place);
            }
            ExprKind::AddrOf(place) => places.push(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => exprs.push(a),
            ExprKind::Binary(_, a, b) => exprs.extend([a, b]),
        }
    }
}
