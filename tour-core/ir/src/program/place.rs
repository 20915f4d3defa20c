//! What a place is a part of, and what it is.

use super::{
    ArrayLen, BitField, ExprId, ExprKind, Place, PlaceId, PlaceKind, Program, Quals, RecordKind, Type, VarId,
};

impl Program {
    /// What a place is a part of: a variable, or what a pointer points to.
    pub fn base(&self, mut place: PlaceId) -> PlaceId {
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = self.places[place].kind {
            place = base;
        }
        place
    }

    /// The variable that a place is a part of, if it is not reached through a pointer.
    pub fn root(&self, place: PlaceId) -> Option<VarId> {
        match self.places[self.base(place)].kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        }
    }

    /// The pointer that a place is reached through.
    pub fn pointer_to(&self, place: PlaceId) -> Option<ExprId> {
        match self.places[self.base(place)].kind {
            PlaceKind::Deref(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The bit-field that a place is.
    pub fn bit_field(&self, place: PlaceId) -> Option<BitField> {
        let PlaceKind::Field(base, index) = self.places[place].kind else { return None };
        match self.types[self.places[base].ty] {
            Type::Record(id) => self.types.records[id].fields.get(index as usize)?.bits,
            _ => None,
        }
    }

    /// The place is a member of a union, or in one.
    pub fn is_in_union(&self, mut place: PlaceId) -> bool {
        loop {
            match self.places[place].kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return false,
                PlaceKind::Index(base, _) => place = base,
                PlaceKind::Field(base, _) => {
                    if let Type::Record(id) = self.types[self.places[base].ty]
                        && self.types.records[id].kind == RecordKind::Union
                    {
                        return true;
                    }
                    place = base;
                }
            }
        }
    }

    /// The qualifiers with which a place is accessed.
    pub fn place_quals(&self, place: PlaceId) -> Quals {
        let Place { kind, ty, .. } = &self.places[place];
        let own = match kind {
            PlaceKind::Var(v) => self.vars[*v].ty.quals,
            PlaceKind::Deref(p) => {
                self.types.pointee(self.exprs[*p].ty).map(|to| to.quals).unwrap_or_default()
            }
            PlaceKind::Field(base, index) => {
                let field = match self.types[self.places[*base].ty] {
                    Type::Record(id) => self.types.records[id].fields.get(*index as usize),
                    _ => None,
                };
                self.place_quals(*base).union(field.map(|f| f.ty.quals).unwrap_or_default())
            }
            PlaceKind::Index(base, _) => self.place_quals(*base),
        };
        match self.types.element(*ty) {
            Some((of, _)) => own.union(of.quals),
            None => own,
        }
    }

    /// An array is the last member of all records around it, and these are reached by a pointer; or is what a pointer
    /// points to itself. What is behind its end may be the object's: `struct { …; char text[1]; }` is common.
    pub fn ends_object(&self, mut array: PlaceId) -> bool {
        loop {
            match self.places[array].kind {
                PlaceKind::Var(_) | PlaceKind::Index(..) => return false,
                // `int (*rows)[4]`: the type says how long a row is.
                PlaceKind::Deref(_) => {
                    return !matches!(self.types[self.places[array].ty], Type::Array(..));
                }
                PlaceKind::Field(base, index) => {
                    let Type::Record(id) = self.types[self.places[base].ty] else { return false };
                    let record = &self.types.records[id];
                    let last = index as usize + 1 == record.fields.len();
                    if !last && record.kind == RecordKind::Struct {
                        return false;
                    }
                    array = base;
                }
            }
        }
    }

    /// The array or member inside of an object that the address of a place is made from, and its size; `None` if that is
    /// the whole object.
    pub fn inner_part(&self, place: PlaceId) -> Option<(PlaceId, u64)> {
        let size = |place: PlaceId| self.types.size(self.places[place].ty);
        match self.places[place].kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => None,
            PlaceKind::Index(array, _) => {
                let element = self.types.element(self.places[array].ty);
                let fixed = matches!(element, Some((_, ArrayLen::Fixed(len))) if len > 0);
                let whole = matches!(self.places[array].kind, PlaceKind::Var(_));
                let inner = fixed && !whole && !self.ends_object(array);
                size(array).filter(|_| inner).map(|size| (array, size))
            }
            PlaceKind::Field(base, _) => {
                let Type::Record(id) = self.types[self.places[base].ty] else { return None };
                let inner = self.types.records[id].kind == RecordKind::Struct
                    && self.types.is_scalar(self.places[place].ty);
                size(place).filter(|_| inner).map(|size| (place, size))
            }
        }
    }

    /// The place that an assignment copies a byte from to another place in memory, as it is. That does not count as reading
    /// what was never written: the copy was not written either, then.
    pub fn copied_byte(&self, to: PlaceId, value: ExprId) -> Option<PlaceId> {
        let ExprKind::Load(from) = self.exprs[value].kind else { return None };
        let is_part = |place: PlaceId| {
            !matches!(self.places[place].kind, PlaceKind::Var(_)) && self.bit_field(place).is_none()
        };
        let byte = matches!(self.types[self.exprs[value].ty], Type::Int(kind) if kind.rank() == 1);
        (self.asks_what_is_written && byte && is_part(to) && is_part(from)).then_some(from)
    }
}
