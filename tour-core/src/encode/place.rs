//! Lvalues.

use super::cell::{Cell, Leaf};
use super::expr::Eval;
use super::{Encode, unsupported};
use crate::program::{ArrayLen, PlaceId, PlaceKind, RecordKind, Type, TypeId, VarId};
use crate::term::{Sort, TermId};
use smallvec::SmallVec;

/// Where an lvalue lies: a part of a variable, and which element if it is inside an array.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The variable.
    pub var: VarId,
    /// Its frame.
    pub instance: u32,
    /// Fields, from the outside in.
    pub fields: SmallVec<[u32; 2]>,
    /// The element, counted over all dimensions.
    pub index: Option<TermId>,
    /// The type of what lies there.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

impl Eval<'_, '_> {
    /// Which frame of its function a variable belongs to.
    pub fn instance_of(&self, var: VarId) -> u32 {
        if self.encoder.program.vars[var].function().is_some() { self.instance } else { 0 }
    }

    /// Where an lvalue lies.
    pub fn resolve(&mut self, place: PlaceId) -> Encode<Resolved> {
        let program = self.encoder.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(Resolved {
                var,
                instance: self.instance_of(var),
                fields: SmallVec::new(),
                index: None,
                ty: node.ty,
                bits: None,
            }),
            PlaceKind::Field(base, field) => {
                let mut at = self.resolve(base)?;
                let Type::Record(id) = &program.types[at.ty] else {
                    return unsupported("field", "a field of something that is no record");
                };
                let record = &program.types.records[*id];
                if record.kind == RecordKind::Union && record.fields.len() > 1 {
                    return unsupported("union", format!("a member of `{}`", program.show_type(at.ty)));
                }
                at.fields.push(field);
                at.ty = node.ty;
                at.bits = record.fields.get(field as usize).and_then(|f| f.bits).map(|b| b.width);
                Ok(at)
            }
            PlaceKind::Index(base, index) => {
                let mut at = self.resolve(base)?;
                let Some((_, len)) = program.types.element(at.ty) else {
                    return unsupported("index", "an element of something that is no array");
                };
                let index = self.index(index)?;
                let len = match len {
                    ArrayLen::Fixed(n) => self.terms.bv(self.encoder.pointer_bits(), u128::from(n)),
                    ArrayLen::Variable(v) => {
                        let len = self.load_var(v)?;
                        self.terms.resize(len, self.encoder.pointer_bits(), false)
                    }
                    ArrayLen::Unknown => return unsupported("array", "an array of unknown length"),
                };
                let in_bounds = self.terms.bv_ult(index, len);
                if in_bounds != self.terms.yes() {
                    self.encoder.obligations.push(in_bounds);
                    self.side.push(in_bounds);
                }
                at.index = Some(match at.index {
                    None => index,
                    Some(outer) => {
                        let rows = self.terms.bv_mul(outer, len);
                        self.terms.bv_add(rows, index)
                    }
                });
                at.ty = node.ty;
                Ok(at)
            }
            PlaceKind::Deref(_) => {
                unsupported("memory", format!("an access through a pointer: `{}`", program.show_place(place)))
            }
        }
    }

    /// An index as an unsigned number of a pointer's width.
    fn index(&mut self, expr: crate::program::ExprId) -> Encode<TermId> {
        let signed = self.encoder.program.int_type_of(expr).is_some_and(|i| i.signed);
        let value = self.value(expr)?;
        Ok(self.terms.resize(value, self.encoder.pointer_bits(), signed))
    }

    /// The cell of a scalar lvalue.
    pub fn leaf(&mut self, at: &Resolved) -> Encode<Leaf> {
        let cell = Cell { var: at.var, instance: at.instance, fields: at.fields.clone() };
        let array = at.index.is_some();
        let base = self.encoder.base(self.terms, cell, at.ty, at.bits, array)?;
        Ok(Leaf { base, ty: at.ty, bits: at.bits, array })
    }

    /// The value of a scalar lvalue, of the sort of its type.
    pub fn load(&mut self, place: PlaceId) -> Encode<TermId> {
        let at = self.resolve(place)?;
        let leaf = self.leaf(&at)?;
        let whole = self.ssa.value(self.terms, leaf.base);
        let value = match at.index {
            Some(index) => self.terms.select(whole, index),
            None => whole,
        };
        self.widen_bit_field(value, at.ty, at.bits)
    }

    /// The value of a whole scalar variable.
    pub fn load_var(&mut self, var: VarId) -> Encode<TermId> {
        let ty = self.encoder.program.vars[var].ty.ty;
        let at = Resolved {
            var,
            instance: self.instance_of(var),
            fields: SmallVec::new(),
            index: None,
            ty,
            bits: None,
        };
        let leaf = self.leaf(&at)?;
        Ok(self.ssa.value(self.terms, leaf.base))
    }

    /// From the bits of a bit-field to a value of its type.
    fn widen_bit_field(&mut self, value: TermId, ty: TypeId, bits: Option<u32>) -> Encode<TermId> {
        let (Some(_), Sort::BitVec(width)) = (bits, self.encoder.sort(ty)?) else { return Ok(value) };
        let signed = self.encoder.program.types.int_type(ty).is_some_and(|i| i.signed);
        Ok(self.terms.resize(value, width, signed))
    }

    /// The address of an lvalue.
    pub fn address(&mut self, place: PlaceId) -> Encode<TermId> {
        let program = self.encoder.program;
        let node = &program.places[place];
        let bits = self.encoder.pointer_bits();
        match node.kind {
            PlaceKind::Var(var) => {
                let name = format!("&{}${}#{}", program.vars[var].name, var.index(), self.instance_of(var));
                self.nonnull_constant(&name)
            }
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Field(base, field) => {
                let address = self.address(base)?;
                let Type::Record(id) = &program.types[program.places[base].ty] else {
                    return unsupported("field", "a field of something that is no record");
                };
                let offset = program.types.records[*id].fields.get(field as usize).map_or(0, |f| f.offset);
                let offset = self.terms.bv(bits, u128::from(offset));
                Ok(self.terms.bv_add(address, offset))
            }
            PlaceKind::Index(base, index) => {
                let address = self.address(base)?;
                let Some(size) = program.types.size(node.ty) else {
                    return unsupported("vla", "the address of an element of unknown size");
                };
                let index = self.index(index)?;
                let size = self.terms.bv(bits, u128::from(size));
                let offset = self.terms.bv_mul(index, size);
                Ok(self.terms.bv_add(address, offset))
            }
        }
    }

    /// A pointer that never changes and is not null: nothing else is known of it.
    pub fn nonnull_constant(&mut self, name: &str) -> Encode<TermId> {
        let bits = self.encoder.pointer_bits();
        let base = self.encoder.declare(self.terms, name, Sort::BitVec(bits), false);
        let symbol = self.ssa.symbol(base);
        let address = self.terms.symbol(symbol);
        let null = self.terms.bv(bits, 0);
        let is_null = self.terms.eq(address, null);
        let nonnull = self.terms.not(is_null);
        self.side.push(nonnull);
        Ok(address)
    }
}
