//! Cells: where values lie, reading and writing them, joining two stores.

use super::{Exec, Executor, Flow, Spot, Unmodelled};
use crate::encode::Cell;
use crate::program::{
    ArrayLen, ExprId, ExprKind, FloatKind, InitItem, PlaceId, PlaceKind, RecordKind, Storage, Type, TypeId,
    VarId,
};
use crate::term::{FloatSort, Sort, TermId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

impl Executor<'_> {
    pub(super) fn whole(&self, var: VarId, instance: u32) -> Spot {
        let variable = &self.program.vars[var];
        let instance = if variable.is_static() { 0 } else { instance };
        let cell = Cell { var, instance, fields: SmallVec::new() };
        Spot { cell, index: None, ty: variable.ty.ty, bits: None }
    }

    pub(super) fn spot(&mut self, flow: &Flow, place: PlaceId, instance: u32) -> Exec<Spot> {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(self.whole(var, instance)),
            PlaceKind::Deref(_) => Err(Unmodelled),
            PlaceKind::Field(base, field) => {
                let mut spot = self.spot(flow, base, instance)?;
                let Type::Record(id) = &program.types[spot.ty] else { return Err(Unmodelled) };
                let record = &program.types.records[*id];
                if record.kind == RecordKind::Union && record.fields.len() > 1 {
                    return Err(Unmodelled);
                }
                spot.cell.fields.push(field);
                spot.ty = node.ty;
                spot.bits = record.fields.get(field as usize).ok_or(Unmodelled)?.bits.map(|b| b.width);
                Ok(spot)
            }
            PlaceKind::Index(base, index) => {
                let mut spot = self.spot(flow, base, instance)?;
                let (_, len) = program.types.element(spot.ty).ok_or(Unmodelled)?;
                let width = program.model.pointer_bits();
                let signed = program.int_type_of(index).ok_or(Unmodelled)?.signed;
                let value = self.value(flow, index, instance)?;
                let value = self.terms.resize(value, width, signed);
                let n = match len {
                    ArrayLen::Fixed(n) => self.terms.bv(width, u128::from(n)),
                    ArrayLen::Variable(var) => {
                        let len = self.whole(var, instance);
                        let len = self.load(flow, &len)?;
                        self.terms.resize(len, width, false)
                    }
                    ArrayLen::Unknown => return Err(Unmodelled),
                };
                let in_bounds = self.terms.bv_ult(value, n);
                if in_bounds != self.terms.yes() {
                    self.obligations.push(in_bounds);
                }
                spot.index = Some(match spot.index {
                    None => value,
                    Some(row) => {
                        let first = self.terms.bv_mul(row, n);
                        self.terms.bv_add(first, value)
                    }
                });
                spot.ty = node.ty;
                Ok(spot)
            }
        }
    }

    pub(super) fn sort(&self, ty: TypeId) -> Exec<Sort> {
        match &self.program.types[ty] {
            Type::Int(_) | Type::Enum(_) => {
                Ok(Sort::BitVec(self.program.types.int_type(ty).ok_or(Unmodelled)?.bits))
            }
            Type::Pointer(_) => Ok(Sort::BitVec(self.program.model.pointer_bits())),
            Type::Float(FloatKind::Float) => Ok(Sort::Float(FloatSort::F32)),
            Type::Float(FloatKind::Double) => Ok(Sort::Float(FloatSort::F64)),
            _ => Err(Unmodelled),
        }
    }

    pub(super) fn cell_sort(&self, ty: TypeId, bits: Option<u32>, array: bool) -> Exec<Sort> {
        let scalar = match bits {
            Some(bits) => Sort::BitVec(bits),
            None => self.sort(ty)?,
        };
        if !array {
            return Ok(scalar);
        }
        let elem = scalar.as_elem().ok_or(Unmodelled)?;
        Ok(Sort::Array { index: self.program.model.pointer_bits(), elem })
    }

    /// The value of a cell: what was stored there, or what it had at the beginning.
    pub(super) fn get(&mut self, flow: &Flow, cell: &Cell, sort: Sort) -> TermId {
        if let Some(&value) = flow.values.get(cell) {
            return value;
        }
        let base = match self.bases.get(cell).or_else(|| self.own.get(cell)) {
            Some(&base) => base,
            None => {
                let base = self.terms.declare(&format!("{cell:?}"), sort, false);
                self.own.insert(cell.clone(), base);
                base
            }
        };
        self.terms.var(base, 0)
    }

    /// A variable that nothing is known of.
    pub(super) fn anything(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        let base = self.terms.declare("any", sort, false);
        self.terms.var(base, self.fresh)
    }

    pub(super) fn set(&mut self, flow: &mut Flow, spot: &Spot, value: TermId) -> Exec<()> {
        let sort = self.cell_sort(spot.ty, spot.bits, spot.index.is_some())?;
        let value = match spot.bits {
            Some(bits) if self.terms.width(value) > bits => self.terms.extract(value, bits - 1, 0),
            _ => value,
        };
        let value = match spot.index {
            Some(index) => {
                let old = self.get(flow, &spot.cell, sort);
                self.terms.store(old, index, value)
            }
            None => value,
        };
        Rc::make_mut(&mut flow.values).insert(spot.cell.clone(), value);
        Ok(())
    }

    pub(super) fn load(&mut self, flow: &Flow, spot: &Spot) -> Exec<TermId> {
        let sort = self.cell_sort(spot.ty, spot.bits, spot.index.is_some())?;
        let whole = self.get(flow, &spot.cell, sort);
        Ok(match spot.index {
            Some(index) => self.terms.select(whole, index),
            None => whole,
        })
    }

    /// The scalars of an lvalue. Elements of an array that is a whole are one spot each cell.
    pub(super) fn parts(&self, spot: &Spot) -> Exec<Vec<(Spot, bool)>> {
        let mut out = Vec::new();
        let first = Spot { cell: spot.cell.clone(), index: spot.index, ty: spot.ty, bits: spot.bits };
        let mut work = vec![(first, false)];
        while let Some((spot, array)) = work.pop() {
            match &self.program.types[spot.ty] {
                Type::Array(..) if spot.index.is_some() => return Err(Unmodelled),
                Type::Array(of, _) => work.push((Spot { ty: of.ty, ..spot }, true)),
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    if record.kind == RecordKind::Union && record.fields.len() > 1 {
                        return Err(Unmodelled);
                    }
                    for (i, field) in record.fields.iter().enumerate().rev() {
                        let mut cell = spot.cell.clone();
                        cell.fields.push(i as u32);
                        let bits = field.bits.map(|b| b.width);
                        work.push((Spot { cell, index: spot.index, ty: field.ty.ty, bits }, array));
                    }
                }
                _ => out.push((spot, array)),
            }
        }
        Ok(out)
    }

    pub(super) fn forget(&mut self, flow: &mut Flow, spot: Spot) -> Exec<()> {
        for (part, array) in self.parts(&spot)? {
            if array {
                let sort = self.cell_sort(part.ty, part.bits, true)?;
                let any = self.anything(sort);
                Rc::make_mut(&mut flow.values).insert(part.cell, any);
            } else {
                let sort = self.cell_sort(part.ty, part.bits, false)?;
                let any = self.anything(sort);
                self.set(flow, &part, any)?;
            }
        }
        Ok(())
    }

    pub(super) fn zero(&mut self, sort: Sort) -> TermId {
        match sort {
            Sort::BitVec(bits) => self.terms.bv(bits, 0),
            Sort::Float(format) => self.terms.float(format, 0.0),
            Sort::Array { index, elem } => {
                let zero = self.zero(elem.sort());
                self.terms.const_array(index, zero)
            }
            Sort::Bool | Sort::Int => self.terms.no(),
        }
    }

    pub(super) fn clear(&mut self, flow: &mut Flow, spot: Spot) -> Exec<()> {
        for (part, array) in self.parts(&spot)? {
            let sort = self.cell_sort(part.ty, part.bits, array)?;
            let zero = self.zero(sort);
            if array {
                Rc::make_mut(&mut flow.values).insert(part.cell, zero);
            } else {
                self.set(flow, &part, zero)?;
            }
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, flow: &mut Flow, to: Spot, from: Spot) -> Exec<()> {
        let (targets, sources) = (self.parts(&to)?, self.parts(&from)?);
        if targets.len() != sources.len() {
            return Err(Unmodelled);
        }
        let before = flow.clone();
        for ((to, to_array), (from, from_array)) in targets.into_iter().zip(sources) {
            if to_array != from_array {
                return Err(Unmodelled);
            }
            if to_array {
                let sort = self.cell_sort(from.ty, from.bits, true)?;
                let value = self.get(&before, &from.cell, sort);
                Rc::make_mut(&mut flow.values).insert(to.cell, value);
            } else {
                let value = self.load(&before, &from)?;
                self.set(flow, &to, value)?;
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, flow: &mut Flow, to: Spot, value: ExprId, instance: u32) -> Exec<()> {
        if self.program.types.is_scalar(to.ty) {
            let value = self.value(flow, value, instance)?;
            return self.set(flow, &to, value);
        }
        match self.program.exprs[value].kind {
            ExprKind::Zeroed => self.clear(flow, to),
            ExprKind::Load(from) => {
                let from = self.spot(flow, from, instance)?;
                self.copy(flow, to, from)
            }
            _ => Err(Unmodelled),
        }
    }

    pub(super) fn join(&mut self, a: Flow, b: Flow) -> Flow {
        let mut values = (*b.values).clone();
        let mut cells: Vec<Cell> = a.values.keys().chain(b.values.keys()).cloned().collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let known = a.values.get(&cell).or(b.values.get(&cell)).copied();
            let Some(known) = known else { continue };
            let sort = self.terms.sort(known);
            let (x, y) = (self.get(&a, &cell, sort), self.get(&b, &cell, sort));
            let value = self.terms.ite(a.guard, x, y);
            values.insert(cell, value);
        }
        let guard = self.terms.or2(a.guard, b.guard);
        Flow { guard, values: Rc::new(values) }
    }

    /// The state in which the program begins.
    pub fn initial(&mut self) -> Flow {
        let program = self.program;
        let mut flow = Flow::from_state(self.terms.yes());
        let mut named: FxHashSet<VarId> = FxHashSet::default();
        for place in &program.places {
            if let PlaceKind::Var(var) = place.kind {
                named.insert(var);
            }
        }
        for &var in &program.globals {
            let known = match program.vars[var].storage {
                Storage::Global { defined } => defined,
                _ => true,
            };
            if !known || !named.contains(&var) {
                continue;
            }
            let mut with = flow.clone();
            if self.initialise(&mut with, var).is_ok() {
                flow = with;
            }
        }
        flow
    }

    pub(super) fn initialise(&mut self, flow: &mut Flow, var: VarId) -> Exec<()> {
        let program = self.program;
        let whole = self.whole(var, 0);
        self.clear(flow, whole)?;
        for item in program.vars[var].init.iter().flat_map(|i| &i.items) {
            match item {
                InitItem::Value { place, value } => {
                    let spot = self.spot(flow, *place, 0)?;
                    self.store(flow, spot, *value, 0)?;
                }
                InitItem::Bytes { place, bytes } => {
                    let spot = self.spot(flow, *place, 0)?;
                    let (of, _) = program.types.element(spot.ty).ok_or(Unmodelled)?;
                    if spot.index.is_some() {
                        return Err(Unmodelled);
                    }
                    for (i, byte) in bytes.iter().enumerate() {
                        let index = self.terms.bv(program.model.pointer_bits(), i as u128);
                        let value = self.terms.bv(8, u128::from(*byte));
                        let element =
                            Spot { cell: spot.cell.clone(), index: Some(index), ty: of.ty, bits: None };
                        self.set(flow, &element, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}
