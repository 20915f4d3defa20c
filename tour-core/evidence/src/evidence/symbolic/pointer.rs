//! Pointers as values: addresses, comparisons, conversions.

use super::{Exec, Executor, Flow, Unmodelled};
use tour_ir::program::{
    BinOp, ExprId, ExprKind, FnId, InitItem, PlaceId, PlaceKind, PointerFact, Type, VarId,
};
use tour_logic::term::{Elem, Sort, TermId};
use tour_model::encode::{Cell, Part};
use tour_model::regions::{FIRST, Heap, Known, NULL, OBJECT_BITS, Origin, RegionId, UNKNOWN};

/// No object lies so near to address 0, on either side.
const NEAR: u128 = 4096;

impl<'a> Executor<'a> {
    pub(super) fn function_address(&mut self, f: FnId) -> Exec<TermId> {
        let (_, number) = self.regions.function(f).ok_or(Unmodelled)?;
        let (object, zero) = (self.number(number), self.terms.bv(self.pointer_bits(), 0));
        Ok(self.terms.concat(object, zero))
    }

    /// A constant address: null, or one at which no object can be.
    pub(super) fn fixed_address(&mut self, bits: u128) -> Exec<TermId> {
        let width = self.pointer_bits();
        let address = self.terms.bv(width, bits);
        let far = self.is_far(address);
        if far != self.terms.no() {
            return Err(Unmodelled);
        }
        let null = self.number(NULL);
        Ok(self.terms.concat(null, address))
    }

    /// An object may lie at an address.
    pub(super) fn is_far(&mut self, address: TermId) -> TermId {
        let width = self.pointer_bits();
        let (low, high) = (self.terms.bv(width, NEAR), self.terms.bv(width, u128::MAX - NEAR));
        let (above, below) = (self.terms.bv_ule(low, address), self.terms.bv_ule(address, high));
        self.terms.and2(above, below)
    }

    pub(super) fn moved(&mut self, pointer: TermId, by: TermId) -> TermId {
        let (object, offset) = self.halves(pointer);
        let offset = self.terms.bv_add(offset, by);
        self.terms.concat(object, offset)
    }

    pub(super) fn address(&mut self, flow: &Flow, place: PlaceId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let bits = self.pointer_bits();
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => match self.whole(flow, var, instance).lies {
                super::place::Where::Memory { object, offset, .. } => Ok(self.terms.concat(object, offset)),
                super::place::Where::Cells { .. } => Err(Unmodelled),
            },
            PlaceKind::Deref(pointer) => self.value(flow, pointer, instance),
            PlaceKind::Field(base, field) => {
                let address = self.address(flow, base, instance)?;
                let Type::Record(id) = &program.types[program.places[base].ty] else {
                    return Err(Unmodelled);
                };
                let offset = program.types.records[*id].fields.get(field as usize).ok_or(Unmodelled)?.offset;
                let offset = self.terms.bv(bits, u128::from(offset));
                Ok(self.moved(address, offset))
            }
            PlaceKind::Index(base, index) => {
                let address = self.address(flow, base, instance)?;
                let size = program.types.size(node.ty).ok_or(Unmodelled)?;
                let signed = program.int_type_of(index).ok_or(Unmodelled)?.signed;
                let index = self.value(flow, index, instance)?;
                let index = self.terms.resize(index, bits, signed);
                let size = self.terms.bv(bits, u128::from(size));
                let offset = self.terms.bv_mul(index, size);
                Ok(self.moved(address, offset))
            }
        }
    }

    pub(super) fn is_null(&mut self, pointer: TermId) -> TermId {
        let zero = self.terms.bv(self.pointer_bits() + OBJECT_BITS, 0);
        let (object, offset) = self.halves(pointer);
        let (no_object, no_offset) = self.halves(zero);
        let (a, b) = (self.terms.eq(object, no_object), self.terms.eq(offset, no_offset));
        self.terms.and2(a, b)
    }

    pub(super) fn is_number(&mut self, object: TermId, number: u64) -> TermId {
        let number = self.number(number);
        self.terms.eq(object, number)
    }

    /// Both point into one object, which is known.
    fn one_object(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.terms.eq(a, b);
        let unknown = self.is_number(a, UNKNOWN);
        let known = self.terms.not(unknown);
        self.terms.and2(same, known)
    }

    pub(super) fn compare_pointers(
        &mut self,
        flow: &Flow,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        instance: u32,
    ) -> Exec<TermId> {
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        let ((ox, fx), (oy, fy)) = (self.halves(x), self.halves(y));
        let one = self.one_object(ox, oy);
        match op {
            BinOp::Eq | BinOp::Ne => {
                let (null_x, null_y) = (self.is_null(x), self.is_null(y));
                let plain = self.terms.or(&[null_x, null_y, one]);
                if plain != self.terms.yes() {
                    // Otherwise each must be null or a place inside of a live object: two such differ if their
                    // objects do, unless one is an input.
                    let mut both = Vec::new();
                    for (expr, object, offset, other) in [(a, ox, fx, oy), (b, oy, fy, ox)] {
                        let region = self.regions.pointee(expr).ok_or(Unmodelled)?;
                        let inside = self.is_valid(flow, region, object, offset, 1);
                        let absolute = self.is_number(object, NULL);
                        both.push(self.terms.or2(inside, absolute));
                        let (input, other) = (self.is_input(region, object), self.is_number(other, NULL));
                        both.push(self.terms.implies(input, other));
                    }
                    if let Some(region) = self.regions.pointee(a) {
                        both.push(self.in_one_literal(region, (ox, fx), (oy, fy)));
                    }
                    let both = self.terms.and(&both);
                    let decided = self.terms.or2(plain, both);
                    self.oblige(decided);
                }
                let (objects, offsets) = (self.terms.eq(ox, oy), self.terms.eq(fx, fy));
                let equal = self.terms.and2(objects, offsets);
                Ok(if op == BinOp::Ne { self.terms.not(equal) } else { equal })
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                self.oblige(one);
                Ok(match op {
                    BinOp::Lt => self.terms.bv_slt(fx, fy),
                    BinOp::Le => self.terms.bv_sle(fx, fy),
                    BinOp::Gt => self.terms.bv_slt(fy, fx),
                    _ => self.terms.bv_sle(fy, fx),
                })
            }
            _ => Err(Unmodelled),
        }
    }

    /// Of two places in string literals it is known whether they are the same: the literals can't share the bytes there.
    fn in_one_literal(
        &mut self,
        region: RegionId,
        (ox, fx): (TermId, TermId),
        (oy, fy): (TermId, TermId),
    ) -> TermId {
        let mut all = Vec::new();
        for (is_x, x) in self.texts(region, ox) {
            for (is_y, y) in self.texts(region, oy) {
                if is_x == is_y {
                    continue;
                }
                let (low, high, at) = match (x.ends_with(y), y.ends_with(x)) {
                    (true, _) => (fy, fx, x.len() - y.len()),
                    (_, true) => (fx, fy, y.len() - x.len()),
                    (false, false) => continue,
                };
                let at = self.terms.bv(self.pointer_bits(), at as u128);
                let distance = self.terms.bv_sub(high, low);
                let meet = self.terms.eq(distance, at);
                let bad = self.terms.and(&[is_x, is_y, meet]);
                all.push(self.terms.not(bad));
            }
        }
        self.terms.and(&all)
    }

    /// The string literals that an object may be: under which condition, and their bytes.
    fn texts(&mut self, region: RegionId, object: TermId) -> Vec<(TermId, &'a [u8])> {
        let program = self.program;
        let mut texts = Vec::new();
        for (number, (known, _)) in (FIRST..).zip(self.regions[region].known.clone()) {
            let Known::Var(var) = known else { continue };
            let var = &program.vars[var];
            let items = var.init.as_ref().filter(|_| var.is_text()).map(|init| &init.items[..]);
            if let Some([InitItem::Bytes { bytes, .. }]) = items {
                let is = self.is_number(object, number);
                if is != self.terms.no() {
                    texts.push((is, &bytes[..]));
                }
            }
        }
        texts
    }

    pub(super) fn bytes_between(&mut self, flow: &Flow, a: ExprId, b: ExprId, instance: u32) -> Exec<TermId> {
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        let ((ox, fx), (oy, fy)) = (self.halves(x), self.halves(y));
        let one = self.one_object(ox, oy);
        self.oblige(one);
        Ok(self.terms.bv_sub(fx, fy))
    }

    /// Where an object begins, as an integer.
    pub(super) fn beginning(&mut self, flow: &Flow, region: RegionId, object: TermId) -> TermId {
        let width = self.pointer_bits();
        let sort = Sort::Array { index: OBJECT_BITS, elem: Elem::BitVec(width) };
        let all = self.get(flow, &Cell::Bases(region), sort);
        let address = self.terms.select(all, object);
        let none = self.is_number(object, NULL);
        let far = self.is_far(address);
        let fact = self.terms.or2(none, far);
        self.facts.push(fact);
        let zero = self.terms.bv(width, 0);
        let address = self.terms.ite(none, zero, address);
        // All unknown pointers have the same number, wherever they point.
        let unknown = self.is_number(object, UNKNOWN);
        let any = self.anything(Sort::BitVec(width));
        self.terms.ite(unknown, any, address)
    }

    pub(super) fn pointer_to_int(&mut self, flow: &Flow, pointer: ExprId, instance: u32) -> Exec<TermId> {
        let region = self.regions.pointee(pointer).ok_or(Unmodelled)?;
        let value = self.value(flow, pointer, instance)?;
        let (object, offset) = self.halves(value);
        let start = self.beginning(flow, region, object);
        Ok(self.terms.bv_add(start, offset))
    }

    pub(super) fn int_to_pointer(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        if let Some(pointer) = self.made_of_pointer(flow, expr, instance)? {
            return Ok(pointer);
        }
        let width = self.pointer_bits();
        let signed = self.program.int_type_of(expr).ok_or(Unmodelled)?.signed;
        let value = self.value(flow, expr, instance)?;
        let address = self.terms.resize(value, width, signed);
        if let Some(constant) = self.terms.as_bv(address) {
            return self.fixed_address(constant.value);
        }
        let far = self.is_far(address);
        let near = self.terms.not(far);
        self.oblige(near);
        let null = self.number(NULL);
        Ok(self.terms.concat(null, address))
    }

    /// The pointer that an integer is, by how it was made.
    pub(super) fn made_of_pointer(
        &mut self,
        flow: &Flow,
        expr: ExprId,
        instance: u32,
    ) -> Exec<Option<TermId>> {
        let regions = self.regions.clone();
        let Some(origin) = regions.carriers().origin(self.program, expr) else { return Ok(None) };
        let (pointer, by) = match origin {
            Origin::Pointer(pointer) => return self.value(flow, pointer, instance).map(Some),
            Origin::Same(inner) => return self.made_of_pointer(flow, inner, instance),
            Origin::Variable(var) => {
                let cell = |part| Cell::Origin { var, instance, part };
                let object = self.get(flow, &cell(Part::Object), Sort::BitVec(OBJECT_BITS));
                let offset = self.get(flow, &cell(Part::Offset), Sort::BitVec(self.pointer_bits()));
                return Ok(Some(self.assemble(flow, regions.carried(var), &[object, offset])));
            }
            Origin::Plus(pointer, by) => (pointer, self.value(flow, by, instance)?),
            Origin::Minus(pointer, by) => {
                let by = self.value(flow, by, instance)?;
                (pointer, self.terms.bv_neg(by))
            }
        };
        let pointer = self.made_of_pointer(flow, pointer, instance)?;
        Ok(pointer.map(|pointer| self.moved(pointer, by)))
    }

    /// Remembers which pointer an integer variable holds; without one, it is something unknown.
    pub(super) fn remember(&mut self, flow: &mut Flow, var: VarId, instance: u32, pointer: Option<TermId>) {
        if !self.regions.carriers().contains(var) {
            return;
        }
        let (object, offset) = match pointer {
            Some(pointer) => self.halves(pointer),
            None => (self.number(UNKNOWN), self.terms.bv(self.pointer_bits(), 0)),
        };
        self.put(flow, Cell::Origin { var, instance, part: Part::Object }, object);
        self.put(flow, Cell::Origin { var, instance, part: Part::Offset }, offset);
    }

    pub(super) fn pointer_fact(
        &mut self,
        flow: &Flow,
        fact: PointerFact,
        pointer: ExprId,
        bits: u32,
        instance: u32,
    ) -> Exec<TermId> {
        if fact == PointerFact::Left {
            let left = self.is_left(flow);
            let (yes, no) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
            return Ok(self.terms.ite(left, yes, no));
        }
        let region = self.regions.pointee(pointer).ok_or(Unmodelled)?;
        let value = self.value(flow, pointer, instance)?;
        let (object, offset) = self.halves(value);
        let unknown = self.is_number(object, UNKNOWN);
        let known = self.terms.not(unknown);
        self.oblige(known);
        let flag = match fact {
            PointerFact::Offset => return Ok(self.terms.resize(offset, bits, true)),
            PointerFact::Size => {
                let size = self.size_of(flow, region, object);
                return Ok(self.terms.resize(size, bits, false));
            }
            PointerFact::Align => return Ok(self.align_of(region, object, bits)),
            PointerFact::Alive => self.is_alive(flow, region, object),
            PointerFact::Heap => self.is_heap(flow, region, object),
            PointerFact::Constant => self.is_constant(region, object),
            PointerFact::Written | PointerFact::SameObject => return Err(Unmodelled),
            PointerFact::Left => unreachable!("it was answered above"),
        };
        let (yes, no) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
        Ok(self.terms.ite(flag, yes, no))
    }

    /// What the address of an object is a multiple of: that of each known object, or what holds for all others.
    fn align_of(&mut self, region: RegionId, object: TermId, bits: u32) -> TermId {
        let regions = self.regions.clone();
        let mut align = self.terms.bv(bits, regions[region].align.into());
        for (number, (known, _)) in (FIRST..).zip(&regions[region].known) {
            let of = match *known {
                Known::Var(var) => self.program.var_align(var),
                Known::Function(_) => 1,
            };
            if of != regions[region].align {
                let (it, of) = (self.is_number(object, number), self.terms.bv(bits, of.into()));
                align = self.terms.ite(it, of, align);
            }
        }
        align
    }

    /// Two pointers into one region belong to the same object, or both to none.
    pub(super) fn same_object(&mut self, flow: &Flow, pair: ExprId, instance: u32) -> Exec<TermId> {
        let ExprKind::Binary(_, a, b) = self.program.exprs[pair].kind else { return Err(Unmodelled) };
        if self.regions.pointee(a) != self.regions.pointee(b) {
            return Err(Unmodelled);
        }
        let mut number = |pointer| -> Exec<TermId> {
            let value = self.value(flow, pointer, instance)?;
            let (object, _) = self.halves(value);
            let unknown = self.is_number(object, UNKNOWN);
            let known = self.terms.not(unknown);
            self.oblige(known);
            Ok(object)
        };
        let (x, y) = (number(a)?, number(b)?);
        Ok(self.terms.eq(x, y))
    }

    /// An object that nothing is known of is a live block: if there is one, it can be that.
    fn is_left(&mut self, flow: &Flow) -> TermId {
        let object = self.anything(Sort::BitVec(OBJECT_BITS));
        let mut left = self.terms.no();
        for region in self.regions.clone().regions.indices() {
            if self.regions[region].heap != Heap::None {
                let (heap, alive) = (self.is_heap(flow, region, object), self.is_alive(flow, region, object));
                let block = self.terms.and2(heap, alive);
                left = self.terms.or2(left, block);
            }
        }
        left
    }
}
