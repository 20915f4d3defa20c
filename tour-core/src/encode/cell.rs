//! Cells: the scalars and arrays of scalars that variables are made of.

use super::{Encode, Encoder, unsupported};
use crate::program::{ArrayLen, FloatKind, RecordKind, Storage, Type, TypeId, VarId};
use crate::term::{BaseId, FloatSort, Sort, Terms};
use smallvec::SmallVec;

/// A part of a variable that one variable of the formulas stands for. Elements of arrays are one cell together.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// The variable.
    pub var: VarId,
    /// Which frame of a recursive function; 0 for static storage.
    pub instance: u32,
    /// Fields, from the outside in. Elements are not told apart.
    pub fields: SmallVec<[u32; 2]>,
}

/// A cell with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The declared variable.
    pub base: BaseId,
    /// The type of the scalar, or of one element.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub bits: Option<u32>,
    /// It is an array of such scalars.
    pub array: bool,
}

impl Encoder<'_> {
    /// The sort of a scalar type.
    pub fn sort(&self, ty: TypeId) -> Encode<Sort> {
        let types = &self.program.types;
        Ok(match &types[ty] {
            Type::Int(_) | Type::Enum(_) => match types.int_type(ty) {
                Some(int) => Sort::BitVec(int.bits),
                None => return unsupported("type", "an integer type of unknown width"),
            },
            Type::Pointer(_) => Sort::BitVec(self.pointer_bits()),
            Type::Float(FloatKind::Float) => Sort::Float(FloatSort::F32),
            Type::Float(FloatKind::Double) => Sort::Float(FloatSort::F64),
            Type::Float(FloatKind::LongDouble | FloatKind::Float128) => {
                return unsupported("long-double", format!("arithmetic in `{}`", self.program.show_type(ty)));
            }
            Type::Void | Type::Array(..) | Type::Record(_) | Type::Function(_) => {
                return unsupported("type", format!("a value of type `{}`", self.program.show_type(ty)));
            }
            Type::VaList => return unsupported("varargs", "the value of a `va_list`"),
            Type::Opaque { name, .. } => return unsupported("type", format!("a value of type `{name}`")),
        })
    }

    /// Bits of a pointer.
    pub(super) fn pointer_bits(&self) -> u32 {
        self.program.model.pointer_bits()
    }

    /// The declared variable of a cell, whose scalars (or elements) have type `ty`.
    pub(super) fn base(
        &mut self,
        terms: &mut Terms,
        cell: Cell,
        ty: TypeId,
        bits: Option<u32>,
        array: bool,
    ) -> Encode<BaseId> {
        if let Some(&base) = self.bases.get(&cell) {
            return Ok(base);
        }
        let scalar = match bits {
            Some(bits) => Sort::BitVec(bits),
            None => self.sort(ty)?,
        };
        let sort = if array {
            match scalar.as_elem() {
                Some(elem) => Sort::Array { index: self.pointer_bits(), elem },
                None => return unsupported("array", "an array of this element type"),
            }
        } else {
            scalar
        };
        let signed = self.program.types.int_type(ty).is_some_and(|int| int.signed);
        let base = self.declare(terms, &self.cell_name(&cell), sort, signed);
        self.cells[base] = Some(cell.clone());
        self.bases.insert(cell, base);
        Ok(base)
    }

    /// A name that no other cell has: `x`, `f::x`, `f::x#1.field`. The id keeps homonyms apart.
    fn cell_name(&self, cell: &Cell) -> String {
        let var = &self.program.vars[cell.var];
        let mut name = match var.function() {
            Some(f) => format!("{}::{}", self.program.functions[f].name, var.name),
            None => match var.storage {
                Storage::StaticLocal(f) => format!("{}::{}", self.program.functions[f].name, var.name),
                _ => var.name.clone(),
            },
        };
        name += &format!("${}", cell.var.index());
        if cell.instance > 0 {
            name += &format!("#{}", cell.instance);
        }
        let mut ty = var.ty.ty;
        for &field in &cell.fields {
            while let Some((of, _)) = self.program.types.element(ty) {
                ty = of.ty;
            }
            let Type::Record(record) = &self.program.types[ty] else { break };
            let field = &self.program.types.records[*record].fields[field as usize];
            name += ".";
            name += field.name.as_deref().unwrap_or("_");
            ty = field.ty.ty;
        }
        name
    }

    /// All cells of the part `fields` of a variable; `ty` is the type of that part.
    pub fn leaves(
        &mut self,
        terms: &mut Terms,
        var: VarId,
        instance: u32,
        fields: &[u32],
        ty: TypeId,
        in_array: bool,
    ) -> Encode<Vec<Leaf>> {
        let mut leaves = Vec::new();
        let mut work = vec![(SmallVec::<[u32; 2]>::from_slice(fields), ty, in_array, None)];
        while let Some((fields, ty, array, bits)) = work.pop() {
            match &self.program.types[ty] {
                Type::Array(of, len) => {
                    if array && !matches!(len, ArrayLen::Fixed(_)) {
                        return unsupported("vla", "an array of variable-length arrays");
                    }
                    work.push((fields, of.ty, true, bits));
                }
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    if record.kind == RecordKind::Union && record.fields.len() > 1 {
                        return unsupported(
                            "union",
                            format!("a value of type `{}`", self.program.show_type(ty)),
                        );
                    }
                    for (i, field) in record.fields.iter().enumerate().rev() {
                        let mut fields = fields.clone();
                        fields.push(i as u32);
                        work.push((fields, field.ty.ty, array, field.bits.map(|b| b.width)));
                    }
                }
                _ => {
                    let base = self.base(terms, Cell { var, instance, fields }, ty, bits, array)?;
                    leaves.push(Leaf { base, ty, bits, array });
                }
            }
        }
        Ok(leaves)
    }
}
