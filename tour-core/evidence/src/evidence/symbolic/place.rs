//! Where lvalues lie, and reading and writing scalars there.

use super::{Exec, Executor, Flow, Unmodelled};
use smallvec::SmallVec;
use tour_ir::program::{
    ArrayLen, BitField, ExprKind, FloatKind, PlaceId, PlaceKind, RecordKind, Type, TypeId, VarId,
};
use tour_logic::term::{FloatSort, Sort, TermId};
use tour_model::encode::{Cell, Part};
use tour_model::regions::{Home, OBJECT_BITS, Position, RegionId, Scalar, bound};

/// What an lvalue is a part of.
#[derive(Clone, Debug)]
pub(super) enum Where {
    /// A variable.
    Cells { var: VarId, instance: u32, fields: SmallVec<[u32; 2]>, index: Option<TermId> },
    /// An object. `sure`: the access is inside of it.
    Memory { region: RegionId, object: TermId, offset: TermId, sure: bool },
}

/// Where an lvalue lies.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub lies: Where,
    pub at: Position,
    pub ty: TypeId,
    pub bits: Option<BitField>,
}

/// The cells of a scalar: its value, or a pointer's object and offset.
pub(super) struct Cells {
    pub cells: Vec<(Cell, Sort)>,
    /// Which bits were written, where that is followed.
    pub marks: Option<(Cell, Sort)>,
    /// Where the pointer points.
    pub content: Option<RegionId>,
}

impl Cells {
    /// All of them.
    pub fn all(self) -> impl Iterator<Item = (Cell, Sort)> {
        self.cells.into_iter().chain(self.marks)
    }
}

impl Executor<'_> {
    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Pointer(_))
    }

    pub(super) fn pointer_bits(&self) -> u32 {
        self.program.model.pointer_bits()
    }

    pub(super) fn whole(&mut self, flow: &Flow, var: VarId, instance: u32) -> Spot {
        let variable = &self.program.vars[var];
        let (static_storage, ty) = (variable.is_static(), variable.ty.ty);
        let instance = if static_storage { 0 } else { instance };
        let offset = self.terms.bv(self.pointer_bits(), 0);
        let lies = match self.regions.home(var) {
            Home::Cells(_) => Where::Cells { var, instance, fields: SmallVec::new(), index: None },
            Home::Object(region, number) => {
                Where::Memory { region, object: self.number(number), offset, sure: true }
            }
            Home::Fresh(region) => {
                let cell = Cell::Home { var, instance };
                let object = self.get(flow, &cell, Sort::BitVec(OBJECT_BITS));
                Where::Memory { region, object, offset, sure: true }
            }
        };
        Spot { lies, at: Position::START, ty, bits: None }
    }

    pub(super) fn spot(&mut self, flow: &Flow, place: PlaceId, instance: u32) -> Exec<Spot> {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(self.whole(flow, var, instance)),
            PlaceKind::Deref(pointer) => {
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind {
                    let spot = self.spot(flow, inner, instance)?;
                    return Ok(Spot { ty: node.ty, ..spot });
                }
                let region = self.regions.pointee(pointer).ok_or(Unmodelled)?;
                let value = self.value(flow, pointer, instance)?;
                let (object, offset) = self.halves(value);
                let lies = Where::Memory { region, object, offset, sure: false };
                Ok(Spot { lies, at: Position::START, ty: node.ty, bits: None })
            }
            PlaceKind::Field(base, field) => {
                let spot = self.spot(flow, base, instance)?;
                self.field(spot, field)
            }
            PlaceKind::Index(base, index) => {
                let spot = self.spot(flow, base, instance)?;
                let first = program.const_value(index) == Some(0);
                let signed = program.int_type_of(index).ok_or(Unmodelled)?.signed;
                let value = self.value(flow, index, instance)?;
                let value = self.terms.resize(value, self.pointer_bits(), signed);
                self.element(flow, spot, value, first, instance)
            }
        }
    }

    pub(super) fn field(&mut self, mut spot: Spot, field: u32) -> Exec<Spot> {
        let Type::Record(id) = &self.program.types[spot.ty] else { return Err(Unmodelled) };
        let record = &self.program.types.records[*id];
        let of = record.fields.get(field as usize).ok_or(Unmodelled)?;
        match &mut spot.lies {
            Where::Cells { fields, .. } => {
                if record.kind == RecordKind::Union && record.fields.len() > 1 {
                    return Err(Unmodelled);
                }
                fields.push(field);
            }
            Where::Memory { offset, .. } => {
                let by = self.terms.bv(self.program.model.pointer_bits(), u128::from(of.offset));
                *offset = self.terms.bv_add(*offset, by);
            }
        }
        let first_bit = of.bits.map_or(of.offset * 8, |b| b.offset);
        Ok(Spot {
            at: spot.at.field(first_bit),
            ty: of.ty.ty,
            bits: of.bits.map(|b| BitField { offset: b.offset - of.offset * 8, width: b.width }),
            ..spot
        })
    }

    pub(super) fn element(
        &mut self,
        flow: &Flow,
        mut spot: Spot,
        index: TermId,
        first: bool,
        instance: u32,
    ) -> Exec<Spot> {
        let width = self.pointer_bits();
        let (of, len) = self.program.types.element(spot.ty).ok_or(Unmodelled)?;
        let size = self.program.types.size(of.ty);
        let mut claims = Vec::new();
        match &mut spot.lies {
            Where::Cells { index: outer, .. } => {
                let n = match len {
                    ArrayLen::Fixed(n) => self.terms.bv(width, u128::from(n)),
                    ArrayLen::Variable(var) => {
                        let len = self.whole(flow, var, instance);
                        let len = self.load(flow, &len)?;
                        self.terms.resize(len, width, false)
                    }
                    ArrayLen::Unknown => return Err(Unmodelled),
                };
                claims.push(self.terms.bv_ult(index, n));
                *outer = Some(match *outer {
                    None => index,
                    Some(row) => {
                        let first = self.terms.bv_mul(row, n);
                        self.terms.bv_add(first, index)
                    }
                });
            }
            Where::Memory { offset, sure, .. } => {
                let bytes = self.terms.bv(width, u128::from(size.ok_or(Unmodelled)?));
                let by = self.terms.bv_mul(bytes, index);
                *offset = self.terms.bv_add(*offset, by);
                match bound(len) {
                    _ if first => {}
                    Some(n) => {
                        let n = self.terms.bv(width, u128::from(n));
                        claims.push(self.terms.bv_ult(index, n));
                    }
                    None => *sure = false,
                }
            }
        }
        for claim in claims {
            match self.program.undefined_ends {
                true => self.facts.push(claim),
                false => self.oblige(claim),
            }
        }
        if !first {
            spot.at = match size {
                Some(size) => spot.at.element(size * 8, bound(len)),
                None => spot.at.element(8, None),
            };
        }
        spot.ty = of.ty;
        Ok(spot)
    }

    /// The step is as executed only if this holds.
    pub(super) fn oblige(&mut self, claim: TermId) {
        if claim != self.terms.yes() {
            self.obligations.push(claim);
        }
    }

    pub(super) fn sort(&self, ty: TypeId) -> Exec<Sort> {
        match &self.program.types[ty] {
            Type::Int(_) | Type::Enum(_) => {
                Ok(Sort::BitVec(self.program.types.int_type(ty).ok_or(Unmodelled)?.bits))
            }
            Type::Pointer(_) => Ok(Sort::BitVec(OBJECT_BITS + self.pointer_bits())),
            Type::Float(FloatKind::Float) => Ok(Sort::Float(FloatSort::F32)),
            Type::Float(FloatKind::Double) => Ok(Sort::Float(FloatSort::F64)),
            _ => Err(Unmodelled),
        }
    }

    /// The cells of a scalar of a variable; arrays of them, if it is inside an array (or `array`).
    pub(super) fn cells(&self, spot: &Spot, array: bool) -> Exec<Cells> {
        let Where::Cells { var, instance, fields, index } = &spot.lies else { return Err(Unmodelled) };
        let width = self.pointer_bits();
        let sort = |scalar: Sort| -> Exec<Sort> {
            if !array && index.is_none() {
                return Ok(scalar);
            }
            Ok(Sort::Array { index: width, elem: scalar.as_elem().ok_or(Unmodelled)? })
        };
        let cell = |part| Cell::Var { var: *var, instance: *instance, fields: fields.clone(), part };
        let marks = match self.is_followed(spot) {
            true => Some((cell(Part::Written), sort(Sort::BitVec(1))?)),
            false => None,
        };
        if !self.is_pointer(spot.ty) {
            let scalar = match spot.bits {
                Some(bits) => Sort::BitVec(bits.width),
                None => self.sort(spot.ty)?,
            };
            return Ok(Cells { cells: vec![(cell(Part::Value), sort(scalar)?)], marks, content: None });
        }
        let (Home::Cells(home) | Home::Object(home, _) | Home::Fresh(home)) = self.regions.home(*var);
        let region = &self.regions[home];
        let slot = region.slot(spot.at.sized(u64::from(width)), Scalar::Pointer);
        let content = slot.and_then(|slot| region.slots[slot].content);
        let mut cells = vec![(cell(Part::Object), sort(Sort::BitVec(OBJECT_BITS))?)];
        if content.is_some_and(|region| self.regions[region].stride != 0) {
            cells.push((cell(Part::Offset), sort(Sort::BitVec(width))?));
        }
        Ok(Cells { cells, marks, content })
    }

    /// The parts that the cells of a value of this type hold.
    pub(super) fn pieces(
        &mut self,
        value: TermId,
        ty: TypeId,
        bits: Option<u32>,
        count: usize,
    ) -> Vec<TermId> {
        if self.is_pointer(ty) {
            let (object, offset) = self.halves(value);
            return [object, offset].into_iter().take(count).collect();
        }
        match bits {
            Some(bits) if self.terms.width(value) > bits => vec![self.terms.extract(value, bits - 1, 0)],
            _ => vec![value],
        }
    }

    /// Writes a scalar; the value has the sort of the type.
    pub(super) fn set(&mut self, flow: &mut Flow, spot: &Spot, value: TermId) -> Exec<()> {
        let yes = self.terms.yes();
        self.set_as(flow, spot, value, yes)
    }

    /// Writes a scalar, which counts as written just if `set` holds.
    pub(super) fn set_as(&mut self, flow: &mut Flow, spot: &Spot, value: TermId, set: TermId) -> Exec<()> {
        self.set_value(flow, spot, value)?;
        self.mark_scalar(flow, spot, set)
    }

    fn set_value(&mut self, flow: &mut Flow, spot: &Spot, value: TermId) -> Exec<()> {
        if self.terms.sort(value) != self.sort(spot.ty)? {
            return Err(Unmodelled);
        }
        if let Where::Memory { region, object, offset, .. } = spot.lies {
            return self.write(flow, spot, region, object, offset, value);
        }
        if let Where::Cells { var, instance, .. } = spot.lies {
            self.remember(flow, var, instance, None);
        }
        let cells = self.cells(spot, false)?.cells;
        let index = match spot.lies {
            Where::Cells { index, .. } => index,
            Where::Memory { .. } => None,
        };
        let pieces = self.pieces(value, spot.ty, spot.bits.map(|b| b.width), cells.len());
        for ((cell, sort), piece) in cells.into_iter().zip(pieces) {
            let value = match index {
                Some(index) => {
                    let old = self.get(flow, &cell, sort);
                    self.terms.store(old, index, piece)
                }
                None => piece,
            };
            self.put(flow, cell, value);
        }
        Ok(())
    }

    /// The value of a scalar, of the sort of its type.
    pub(super) fn load(&mut self, flow: &Flow, spot: &Spot) -> Exec<TermId> {
        let index = match spot.lies {
            Where::Memory { region, object, offset, .. } => {
                self.confirm_read(flow, spot)?;
                return self.read(flow, spot, region, object, offset);
            }
            Where::Cells { var, index: Some(index), .. } if self.regions.is_table_variable(var) => {
                let (first, size) = (spot.at.first / 8, 8 * self.bytes_of(spot)?);
                let (regions, program) = (self.regions.clone(), self.program);
                let value = regions.read_table_variable(self.terms, program, var, first, size, index);
                return self.interpret(value.ok_or(Unmodelled)?, spot);
            }
            Where::Cells { index, .. } => index,
        };
        let Cells { cells, content, .. } = self.cells(spot, false)?;
        let mut values = Vec::with_capacity(2);
        for (cell, sort) in cells {
            let whole = self.get(flow, &cell, sort);
            values.push(match index {
                Some(index) => self.terms.select(whole, index),
                None => whole,
            });
        }
        if self.is_pointer(spot.ty) {
            return Ok(self.assemble(flow, content, &values));
        }
        match (spot.bits, self.sort(spot.ty)?) {
            (Some(_), Sort::BitVec(width)) => {
                let signed = self.int_type(spot.ty)?.signed;
                Ok(self.terms.resize(values[0], width, signed))
            }
            _ => Ok(values[0]),
        }
    }

    /// A pointer from its parts: it points to null, to something unknown, or to an object that was made before.
    pub(super) fn assemble(&mut self, flow: &Flow, content: Option<RegionId>, parts: &[TermId]) -> TermId {
        let object = parts[0];
        let offset = match parts.get(1) {
            Some(&offset) => offset,
            None => self.terms.bv(self.pointer_bits(), 0),
        };
        if self.terms.value(object).is_none() {
            let end = match content {
                Some(region) => self.objects_end(flow, region),
                None => self.number(tour_model::regions::FIRST),
            };
            let made = self.terms.bv_ult(object, end);
            self.facts.push(made);
        }
        self.terms.concat(object, offset)
    }

    /// The object and the offset of a pointer.
    pub(super) fn halves(&mut self, pointer: TermId) -> (TermId, TermId) {
        let bits = self.pointer_bits();
        let object = self.terms.extract(pointer, bits + OBJECT_BITS - 1, bits);
        (object, self.terms.extract(pointer, bits - 1, 0))
    }
}
