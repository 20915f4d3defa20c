//! Locks and the like as variables of their own. The system's headers declare them as unions, which lie in memory; where
//! all operations on a kind of them name the object, each becomes a plain record that nothing else can reach.

use crate::program::{
    ExprId, ExprKind, Init, InitItem, Place, PlaceId, PlaceKind, Program, Storage, Type, TypeId, Var, VarId,
};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The records that the library declares for them.
const PREFIX: &str = "__tour_";

/// The variable that a place belongs to, if no pointer is followed.
pub(super) fn root(program: &Program, mut place: PlaceId) -> Option<VarId> {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(var) => return Some(var),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Deref(_) => return None,
        }
    }
}

/// A place whose position is known: its variable and how many bytes from its beginning.
pub(super) fn constant_place(program: &Program, place: PlaceId) -> Option<(VarId, u64)> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some((var, 0)),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, index) => {
            let (var, offset) = constant_place(program, base)?;
            let Type::Record(id) = program.types[program.places[base].ty] else { return None };
            let field = program.types.records[id].fields.get(index as usize)?;
            field.bits.is_none().then(|| (var, offset + field.offset))
        }
        PlaceKind::Index(base, index) => {
            let (var, offset) = constant_place(program, base)?;
            let size = program.types.size(program.places[place].ty)?;
            let index = u64::try_from(program.const_value(index)?).ok()?;
            Some((var, offset.checked_add(index.checked_mul(size)?)?))
        }
    }
}

/// The objects that were found.
pub(super) struct Objects<'a> {
    in_memory: &'a BTreeSet<String>,
    /// By kind, variable and offset.
    made: BTreeMap<(String, VarId, u64), VarId>,
    /// Kinds that pointers reach which are not constant.
    pub dynamic: BTreeSet<String>,
}

impl<'a> Objects<'a> {
    /// None yet. Kinds that lie in memory stay there.
    pub fn new(in_memory: &'a BTreeSet<String>) -> Objects<'a> {
        Objects { in_memory, made: BTreeMap::new(), dynamic: BTreeSet::new() }
    }

    /// The variable that stands for what a pointer points to, if its type is that of a lock.
    pub fn at(&mut self, program: &mut Program, pointer: ExprId, ty: TypeId, span: Span) -> Option<PlaceId> {
        let Type::Record(record) = program.types[ty] else { return None };
        let tag = program.types.records[record].tag.clone().filter(|tag| tag.starts_with(PREFIX))?;
        if self.in_memory.contains(&tag) {
            return None;
        }
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = program.exprs[pointer].kind {
            pointer = inner;
        }
        let found = match program.exprs[pointer].kind {
            ExprKind::AddrOf(place) => constant_place(program, place),
            ExprKind::Int(0) => return None,
            _ => None,
        };
        let Some((var, offset)) = found.filter(|(var, _)| program.vars[*var].is_static()) else {
            self.dynamic.insert(tag);
            return None;
        };
        let name = program.vars[var].name.clone();
        let object = *self.made.entry((tag, var, offset)).or_insert_with(|| {
            let object = program.vars.push(Var {
                name: if offset == 0 { name } else { format!("{name}+{offset}") },
                ty: ty.into(),
                storage: Storage::Static,
                thread_local: false,
                address_taken: false,
                align: None,
                init: None,
                span,
            });
            program.globals.push(object);
            object
        });
        Some(program.places.push(Place { kind: PlaceKind::Var(object), ty, span }))
    }

    /// Gives the objects the values that their initialisers say.
    pub fn give_values(&self, program: &mut Program) {
        for ((_, var, offset), &object) in &self.made {
            let Some(init) = program.vars[*var].init.clone() else { continue };
            let Type::Record(record) = program.types[program.vars[object].ty.ty] else { continue };
            let fields = program.types.records[record].fields.clone();
            let mut items = Vec::new();
            for item in &init.items {
                let InitItem::Value { place, value } = item else { continue };
                let Some((_, at)) = constant_place(program, *place) else { continue };
                let Some(number) = program.const_value(*value).filter(|n| *n != 0) else { continue };
                let field = fields.iter().position(|f| {
                    offset + f.offset == at
                        && program.types.size(f.ty.ty) == program.types.size(program.places[*place].ty)
                });
                let Some(field) = field else { continue };
                let (ty, span) = (fields[field].ty.ty, program.places[*place].span);
                let whole = program.var_place(object, span);
                let place =
                    program.places.push(Place { kind: PlaceKind::Field(whole, field as u32), ty, span });
                let value = program.int(number as i128, ty, span);
                items.push(InitItem::Value { place, value });
            }
            if !items.is_empty() {
                program.vars[object].init = Some(Init { items });
            }
        }
    }
}
