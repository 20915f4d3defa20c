//! Rust's types as C has them: the same record where Rust and C declare it alike.

use crate::harness::lower::read::Struct;
use crate::harness::lower::ty::{Int, Ty};
use rustc_hash::FxHashMap;
use tour_ir::program::{
    FloatKind, IntKind, Member, Program, Record, RecordAttrs, RecordId, RecordKind, Type, TypeId, lay_out,
};
use tour_ir::source::Span;

/// The types that were needed so far.
#[derive(Default)]
pub(crate) struct Layout {
    known: FxHashMap<Ty, TypeId>,
    /// The record of each struct.
    records: FxHashMap<usize, RecordId>,
}

/// Field of the length of a slice's reference, and of the value of an `Option`; the pointer, and whether there is a value,
/// come first.
pub(crate) const SECOND: u32 = 1;

/// The C type of an integer.
pub(crate) fn int_kind(int: Int) -> IntKind {
    match (int.bits, int.signed) {
        (8, false) => IntKind::UChar,
        (8, true) => IntKind::SChar,
        (16, false) => IntKind::UShort,
        (16, true) => IntKind::Short,
        (32, false) => IntKind::UInt,
        (32, true) => IntKind::Int,
        (64, false) => IntKind::ULong,
        (64, true) => IntKind::Long,
        (_, false) => IntKind::UInt128,
        (_, true) => IntKind::Int128,
    }
}

impl Layout {
    /// The record that a struct is: that of the C program, if the two agree.
    pub(crate) fn bind(&mut self, index: usize, record: RecordId) {
        self.records.entry(index).or_insert(record);
    }

    /// The two do not agree after all.
    pub(crate) fn release(&mut self, index: usize) {
        self.records.remove(&index);
    }

    /// The record of a struct, if it has one yet.
    pub(crate) fn record(&self, index: usize) -> Option<RecordId> {
        self.records.get(&index).copied()
    }

    /// A type of C that is laid out like a type of Rust.
    pub(crate) fn c_type(
        &mut self,
        program: &mut Program,
        structs: &[Struct],
        ty: &Ty,
    ) -> Result<TypeId, String> {
        if let Some(&known) = self.known.get(ty) {
            return Ok(known);
        }
        let id = match ty {
            Ty::Int(int) => {
                let mut kind = int_kind(*int);
                if int.bits == 64 && program.model.pointer_bits() == 32 {
                    kind = if int.signed { IntKind::LongLong } else { IntKind::ULongLong };
                }
                program.types.int(kind)
            }
            Ty::Bool => program.types.int(IntKind::Bool),
            Ty::Unit | Ty::Void | Ty::Var(_) => program.types.void(),
            Ty::Float(32) => program.types.float(FloatKind::Float),
            Ty::Float(64) => program.types.float(FloatKind::Double),
            Ty::Float(_) => program.types.float(FloatKind::LongDouble),
            Ty::FnPtr => {
                let void = program.types.void();
                program.types.pointer(void)
            }
            Ty::Array(of, n) => {
                let of = self.c_type(program, structs, of)?;
                program.types.array(of, *n)
            }
            Ty::Slice(_) => return Err("a slice has no size: use a reference to it".into()),
            Ty::Uninit(of) => self.c_type(program, structs, of)?,
            Ty::Ptr(_, to) | Ty::Ref(_, to) => match &**to {
                Ty::Slice(of) => {
                    let of = self.c_type(program, structs, of)?;
                    let (pointer, len) = (program.types.pointer(of), program.types.size_t());
                    record(program, &[("ptr", pointer), ("len", len)])
                }
                to => {
                    let to = self.c_type(program, structs, to)?;
                    program.types.pointer(to)
                }
            },
            Ty::Option(of) => {
                let (some, of) = (program.types.int(IntKind::Bool), self.c_type(program, structs, of)?);
                record(program, &[("some", some), ("value", of)])
            }
            Ty::Tuple(of) => {
                let mut fields = Vec::with_capacity(of.len());
                for ty in of {
                    fields.push(self.c_type(program, structs, ty)?);
                }
                let names: Vec<String> = (0..of.len()).map(|i| i.to_string()).collect();
                let fields: Vec<(&str, TypeId)> = names.iter().map(String::as_str).zip(fields).collect();
                record(program, &fields)
            }
            Ty::Struct(index) => return self.struct_type(program, structs, *index),
        };
        self.known.insert(ty.clone(), id);
        Ok(id)
    }

    fn struct_type(
        &mut self,
        program: &mut Program,
        structs: &[Struct],
        index: usize,
    ) -> Result<TypeId, String> {
        let Some(found) = structs.get(index) else { return Err("a struct is missing".into()) };
        if let Some(record) = self.records.get(&index).copied().or(found.record) {
            return Ok(program.types.intern(Type::Record(record)));
        }
        // Fields may point to the struct itself.
        let id = program.types.records.push(Record {
            kind: RecordKind::Struct,
            tag: Some(found.name.clone()),
            fields: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
            transparent: false,
            span: found.span,
        });
        self.records.insert(index, id);
        let mut members = Vec::with_capacity(found.fields.len());
        for (name, ty) in &found.fields {
            let ty = self.c_type(program, structs, ty)?;
            members.push(member(name, ty, found.span));
        }
        let attrs = RecordAttrs { align: found.repr.align, pack: found.repr.packed, packed: false };
        let (fields, size, align) = lay_out(&program.types, RecordKind::Struct, members, attrs);
        let record = &mut program.types.records[id];
        (record.fields, record.size, record.align, record.complete) = (fields, size, align, true);
        Ok(program.types.intern(Type::Record(id)))
    }
}

fn member(name: &str, ty: TypeId, span: Span) -> Member {
    Member { name: Some(name.to_owned()), ty: ty.into(), bit_width: None, align: None, packed: false, span }
}

fn record(program: &mut Program, fields: &[(&str, TypeId)]) -> TypeId {
    let span = program.functions.first().map_or(Span::new(tour_ir::source::UnitId::new(0), 0, 0), |f| f.span);
    let members = fields.iter().map(|(name, ty)| member(name, *ty, span)).collect();
    let (fields, size, align) = lay_out(&program.types, RecordKind::Struct, members, RecordAttrs::default());
    let id = program.types.records.push(Record {
        kind: RecordKind::Struct,
        tag: None,
        fields,
        size,
        align,
        complete: true,
        transparent: false,
        span,
    });
    program.types.intern(Type::Record(id))
}
