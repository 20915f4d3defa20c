//! One type for what several units declare alike: equal records and enumerations become one.

use super::{EnumId, FnSig, Program, QualType, RecordId, Type, TypeId};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;

impl Program {
    /// Makes compatible records (same kind, tag and members) and enumerations of different units the same type
    /// everywhere. An incomplete record is the complete one of its tag, if there is just one.
    pub fn unify_records(&mut self) {
        let records = self.record_classes();
        let enums = self.enum_classes();
        // Types are made of types with smaller ids, so that one pass maps them all.
        let mut map: IndexVec<TypeId, TypeId> = IndexVec::new();
        for index in 0..self.types.len() {
            let qual = |ty: QualType| QualType { ty: map[ty.ty], ..ty };
            let ty = match self.types[TypeId::new(index)].clone() {
                Type::Pointer(to) => Type::Pointer(qual(to)),
                Type::Array(of, len) => Type::Array(qual(of), len),
                Type::Record(id) => Type::Record(records[id]),
                Type::Enum(id) => Type::Enum(enums[id]),
                Type::Function(sig) => Type::Function(FnSig {
                    ret: map[sig.ret],
                    params: sig.params.iter().map(|ty| map[*ty]).collect(),
                    ..sig
                }),
                same @ (Type::Void | Type::Int(_) | Type::Float(_) | Type::Opaque { .. }) => same,
            };
            map.push(self.types.intern(ty));
        }
        for record in &mut self.types.records {
            for field in &mut record.fields {
                field.ty.ty = map[field.ty.ty];
            }
        }
        for expr in &mut self.exprs {
            expr.ty = map[expr.ty];
        }
        for place in &mut self.places {
            place.ty = map[place.ty];
        }
        for var in &mut self.vars {
            var.ty.ty = map[var.ty.ty];
        }
        for function in &mut self.functions {
            function.ty = map[function.ty];
        }
    }

    fn record_classes(&mut self) -> IndexVec<RecordId, RecordId> {
        let ids: IndexVec<RecordId, TypeId> =
            self.types.records.indices().map(|id| self.types.intern(Type::Record(id))).collect();
        let mut classes: IndexVec<RecordId, RecordId> = self.types.records.indices().collect();
        let mut complete: FxHashMap<Option<String>, Vec<RecordId>> = FxHashMap::default();
        for (id, record) in self.types.records.iter_enumerated().filter(|(_, record)| record.complete) {
            let known = complete.entry(record.tag.clone()).or_default();
            let same = known.iter().find(|other| {
                self.types.records[**other].size == record.size
                    && self.types.compatible(ids[**other], ids[id])
            });
            match same {
                Some(other) => classes[id] = *other,
                None => known.push(id),
            }
        }
        for (id, record) in self.types.records.iter_enumerated().filter(|(_, record)| !record.complete) {
            if let Some([only]) = complete.get(&record.tag).map(|known| &known[..])
                && self.types.records[*only].kind == record.kind
                && record.tag.is_some()
            {
                classes[id] = *only;
            }
        }
        classes
    }

    fn enum_classes(&self) -> IndexVec<EnumId, EnumId> {
        let mut known = FxHashMap::default();
        let enums = self.types.enums.iter_enumerated();
        enums.map(|(id, def)| *known.entry((&def.tag, &def.constants)).or_insert(id)).collect()
    }
}
