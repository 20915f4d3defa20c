//! Lvalues: where they lie, and reading them.

use super::cell::Leaf;
use super::expr::Eval;
use super::{Encode, unsupported};
use crate::regions::{Home, Position, RegionId, bound};
use smallvec::SmallVec;
use tour_ir::program::{ArrayLen, BitField, ExprId, ExprKind, PlaceId, PlaceKind, Type, TypeId, VarId};
use tour_logic::term::{Sort, TermId};

/// What an lvalue is a part of.
#[derive(Clone, Debug)]
pub enum Root {
    /// A variable that is made of cells.
    Cells {
        /// The variable.
        var: VarId,
        /// Its frame.
        instance: u32,
        /// Fields, from the outside in.
        fields: SmallVec<[u32; 2]>,
        /// The element, counted over all dimensions.
        index: Option<TermId>,
    },
    /// An object in memory.
    Memory {
        /// Its region.
        region: RegionId,
        /// Its number.
        object: TermId,
        /// Where in it, in bytes.
        offset: TermId,
        /// Nothing says yet that the access is inside of a live object.
        unchecked: bool,
    },
}

/// Where an lvalue lies.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What it is a part of.
    pub root: Root,
    /// Its position, from the variable's beginning or from where the pointer points.
    pub at: Position,
    /// The type of what lies there.
    pub ty: TypeId,
    /// It is a bit-field.
    pub bits: Option<BitField>,
}

impl Resolved {
    /// The width of a bit-field.
    pub fn width(&self) -> Option<u32> {
        self.bits.map(|b| b.width)
    }
}

impl Eval<'_, '_> {
    /// Which frame of its function a variable belongs to.
    pub fn instance_of(&self, var: VarId) -> u32 {
        if self.encoder.program.vars[var].function().is_some() { self.instance } else { 0 }
    }

    /// A whole variable.
    pub fn whole(&mut self, var: VarId) -> Resolved {
        let instance = self.instance_of(var);
        let zero = self.terms.bv(self.encoder.pointer_bits(), 0);
        let root = match self.encoder.regions.home(var) {
            Home::Cells(_) => Root::Cells { var, instance, fields: SmallVec::new(), index: None },
            Home::Object(region, number) => {
                let object = self.encoder.object(self.terms, number);
                Root::Memory { region, object, offset: zero, unchecked: false }
            }
            Home::Fresh(region) => {
                let home = self.encoder.home_cell(self.terms, var, instance);
                let object = self.ssa.value(self.terms, home);
                Root::Memory { region, object, offset: zero, unchecked: false }
            }
        };
        let ty = self.encoder.program.vars[var].ty.ty;
        Resolved { root, at: Position::START, ty, bits: None }
    }

    /// Where an lvalue lies.
    pub fn resolve(&mut self, place: PlaceId) -> Encode<Resolved> {
        let program = self.encoder.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(self.whole(var)),
            PlaceKind::Deref(pointer) => {
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind {
                    let mut at = self.resolve(inner)?;
                    at.ty = node.ty;
                    return Ok(at);
                }
                let Some(region) = self.encoder.regions.pointee(pointer) else {
                    return unsupported("memory", format!("an access: `{}`", program.show_place(place)));
                };
                let value = self.value(pointer)?;
                let (object, offset) = self.split(value);
                let root = Root::Memory { region, object, offset, unchecked: true };
                Ok(Resolved { root, at: Position::START, ty: node.ty, bits: None })
            }
            PlaceKind::Field(base, field) => {
                let at = self.resolve(base)?;
                self.field(at, field)
            }
            PlaceKind::Index(base, index) => {
                let at = self.resolve(base)?;
                let zero = program.const_value(index) == Some(0);
                let index = self.index(index)?;
                self.element(at, index, zero)
            }
        }
    }

    /// A field of a record.
    pub fn field(&mut self, at: Resolved, field: u32) -> Encode<Resolved> {
        let program = self.encoder.program;
        let Type::Record(id) = &program.types[at.ty] else {
            return unsupported("field", "a field of something that is no record");
        };
        let Some(of) = program.types.records[*id].fields.get(field as usize) else {
            return unsupported("field", "a field that its record has not");
        };
        let mut at = at;
        match &mut at.root {
            Root::Cells { fields, .. } => fields.push(field),
            Root::Memory { offset, .. } => {
                let by = self.terms.bv(self.encoder.program.model.pointer_bits(), u128::from(of.offset));
                *offset = self.terms.bv_add(*offset, by);
            }
        }
        at.at = at.at.field(of.bits.map_or(of.offset.saturating_mul(8), |b| b.offset));
        // From the byte in which it begins.
        at.bits = of.bits.map(|b| BitField { offset: b.offset - 8 * of.offset, width: b.width });
        at.ty = of.ty.ty;
        Ok(at)
    }

    /// An element of an array. `first`: the index is the constant 0.
    pub fn element(&mut self, at: Resolved, index: TermId, first: bool) -> Encode<Resolved> {
        let program = self.encoder.program;
        let width = self.encoder.pointer_bits();
        let Some((of, len)) = program.types.element(at.ty) else {
            return unsupported("index", "an element of something that is no array");
        };
        let mut at = at;
        let size = program.types.size(of.ty);
        match &mut at.root {
            Root::Cells { index: outer, .. } => {
                let n = match len {
                    ArrayLen::Fixed(n) => self.terms.bv(width, u128::from(n)),
                    ArrayLen::Variable(v) => {
                        let len = self.load_var(v)?;
                        self.terms.resize(len, width, false)
                    }
                    ArrayLen::Unknown => return unsupported("array", "an array of unknown length"),
                };
                let in_bounds = self.terms.bv_ult(index, n);
                *outer = Some(match *outer {
                    None => index,
                    Some(outer) => {
                        let rows = self.terms.bv_mul(outer, n);
                        self.terms.bv_add(rows, index)
                    }
                });
                self.require_index(in_bounds);
            }
            Root::Memory { offset, unchecked, .. } => {
                let Some(size) = size else {
                    return unsupported("vla", "an element of unknown size in memory");
                };
                let size = self.terms.bv(width, u128::from(size));
                let by = self.terms.bv_mul(index, size);
                *offset = self.terms.bv_add(*offset, by);
                if !first {
                    match bound(len) {
                        Some(n) => {
                            let n = self.terms.bv(width, u128::from(n));
                            let in_bounds = self.terms.bv_ult(index, n);
                            self.require_index(in_bounds);
                        }
                        None => *unchecked = true,
                    }
                }
            }
        }
        if !first {
            at.at = match size {
                Some(size) => at.at.element(size.saturating_mul(8), bound(len)),
                None => at.at.element(8, None),
            };
        }
        at.ty = of.ty;
        Ok(at)
    }

    /// An index as an unsigned number of a pointer's width.
    pub(super) fn index(&mut self, expr: ExprId) -> Encode<TermId> {
        let signed = self.encoder.program.int_type_of(expr).is_some_and(|i| i.signed);
        let value = self.value(expr)?;
        Ok(self.terms.resize(value, self.encoder.pointer_bits(), signed))
    }

    /// The value of a scalar lvalue, of the sort of its type.
    pub fn load(&mut self, place: PlaceId) -> Encode<TermId> {
        let at = self.resolve(place)?;
        self.load_at(&at)
    }

    /// The value of a scalar.
    pub fn load_at(&mut self, at: &Resolved) -> Encode<TermId> {
        match &at.root {
            Root::Cells { var, index: Some(index), .. } if self.encoder.regions.is_table_variable(*var) => {
                self.table_value(*var, at, *index)
            }
            Root::Cells { var, instance, fields, index } => {
                let leaf = self.encoder.leaf(
                    self.terms,
                    *var,
                    *instance,
                    fields,
                    at.at,
                    at.ty,
                    at.width(),
                    index.is_some(),
                )?;
                self.load_leaf(leaf, *index)
            }
            Root::Memory { region, object, offset, unchecked } => {
                self.load_memory(at, *region, *object, *offset, *unchecked)
            }
        }
    }

    /// A number in a table.
    fn table_value(&mut self, var: VarId, at: &Resolved, index: TermId) -> Encode<TermId> {
        let program = self.encoder.program;
        let size = program.types.size(at.ty).unwrap_or(0);
        let regions = self.encoder.regions.clone();
        match regions.read_table_variable(self.terms, program, var, at.at.first / 8, 8 * size, index) {
            Some(value) => self.stored_value(value, at),
            None => unsupported("array", "an element of an empty table"),
        }
    }

    /// The value of cells.
    fn load_leaf(&mut self, leaf: Leaf, index: Option<TermId>) -> Encode<TermId> {
        let read = |eval: &mut Self, base| {
            let whole = eval.ssa.value(eval.terms, base);
            match index {
                Some(index) => eval.terms.select(whole, index),
                None => whole,
            }
        };
        let value = read(self, leaf.base);
        let Some(content) = leaf.pointer else {
            return self.widen_bit_field(value, leaf.ty, leaf.bits);
        };
        let offset = match leaf.offset {
            Some(offset) => read(self, offset),
            None => self.terms.bv(self.encoder.pointer_bits(), 0),
        };
        self.known_pointer(content, value);
        Ok(self.terms.concat(value, offset))
    }

    /// From the bits of a bit-field to a value of its type.
    fn widen_bit_field(&mut self, value: TermId, ty: TypeId, bits: Option<u32>) -> Encode<TermId> {
        let (Some(_), Sort::BitVec(width)) = (bits, self.encoder.sort(ty)?) else { return Ok(value) };
        let signed = self.encoder.program.types.int_type(ty).is_some_and(|i| i.signed);
        Ok(self.terms.resize(value, width, signed))
    }

    /// The value of a whole scalar variable.
    pub fn load_var(&mut self, var: VarId) -> Encode<TermId> {
        let at = self.whole(var);
        self.load_at(&at)
    }

    /// The address of an lvalue.
    pub fn address(&mut self, place: PlaceId) -> Encode<TermId> {
        let program = self.encoder.program;
        let node = &program.places[place];
        let bits = self.encoder.pointer_bits();
        match node.kind {
            PlaceKind::Var(var) => match self.whole(var).root {
                Root::Memory { object, offset, .. } => Ok(self.terms.concat(object, offset)),
                Root::Cells { .. } => {
                    unsupported("memory", format!("the address of `{}`", program.vars[var].name))
                }
            },
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Field(base, field) => {
                let address = self.address(base)?;
                let Type::Record(id) = &program.types[program.places[base].ty] else {
                    return unsupported("field", "a field of something that is no record");
                };
                let offset = program.types.records[*id].fields.get(field as usize).map_or(0, |f| f.offset);
                let offset = self.terms.bv(bits, u128::from(offset));
                Ok(self.displace(address, offset))
            }
            PlaceKind::Index(base, index) => {
                let address = self.address(base)?;
                let Some(size) = program.types.size(node.ty) else {
                    return unsupported("vla", "the address of an element of unknown size");
                };
                let index = self.index(index)?;
                let size = self.terms.bv(bits, u128::from(size));
                let offset = self.terms.bv_mul(index, size);
                Ok(self.displace(address, offset))
            }
        }
    }
}
