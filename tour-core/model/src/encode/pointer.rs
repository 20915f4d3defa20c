//! Pointers: values of two parts, the number of an object in its region and an offset in bytes.
//!
//! As a term a pointer is `concat(object, offset)`; cells hold the parts, so that the concatenation falls apart again
//! wherever one part is asked for.

use super::expr::Eval;
use super::{Demand, Encode, unsupported};
use crate::regions::{FIRST, NULL, OBJECT_BITS, Origin, RegionId, UNKNOWN};
use tour_ir::program::{BinOp, ExprId, ExprKind, FnId, PointerFact};
use tour_logic::term::{Elem, Sort, TermId};

/// Addresses so near to 0, from below or above, belong to no object.
const PAGE: u128 = 4096;

impl Eval<'_, '_> {
    /// The object and the offset of a pointer.
    pub fn split(&mut self, pointer: TermId) -> (TermId, TermId) {
        let bits = self.encoder.pointer_bits();
        let object = self.terms.extract(pointer, bits + OBJECT_BITS - 1, bits);
        (object, self.terms.extract(pointer, bits - 1, 0))
    }

    /// A pointer, moved by some bytes.
    pub fn displace(&mut self, pointer: TermId, by: TermId) -> TermId {
        let (object, offset) = self.split(pointer);
        let offset = self.terms.bv_add(offset, by);
        self.terms.concat(object, offset)
    }

    pub fn is_object(&mut self, object: TermId, number: u64) -> TermId {
        let number = self.encoder.object(self.terms, number);
        self.terms.eq(object, number)
    }

    /// It is the null pointer.
    pub fn is_null(&mut self, pointer: TermId) -> TermId {
        let (object, offset) = self.split(pointer);
        let none = self.is_object(object, NULL);
        let zero = self.terms.bv(self.encoder.pointer_bits(), 0);
        let start = self.terms.eq(offset, zero);
        self.terms.and2(none, start)
    }

    /// What the addresses of functions and of absolute places are.
    pub fn absolute(&mut self, address: u128) -> Encode<TermId> {
        let bits = self.encoder.pointer_bits();
        let all = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        let address = address & all;
        if address >= PAGE && address <= all - PAGE {
            return unsupported("absolute-address", format!("a pointer to the address {address:#x}"));
        }
        let (object, offset) = (self.encoder.object(self.terms, NULL), self.terms.bv(bits, address));
        Ok(self.terms.concat(object, offset))
    }

    /// The address of a function.
    pub fn function_address(&mut self, f: FnId) -> Encode<TermId> {
        let Some((_, number)) = self.encoder.regions.function(f) else {
            return unsupported("function-pointer", "the address of a function");
        };
        let object = self.encoder.object(self.terms, number);
        let zero = self.terms.bv(self.encoder.pointer_bits(), 0);
        Ok(self.terms.concat(object, zero))
    }

    /// `a op b` of two pointers into `region`.
    pub fn compare_pointers(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Encode<TermId> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        let ((ox, fx), (oy, fy)) = (self.split(x), self.split(y));
        let same_object = self.terms.eq(ox, oy);
        let unknown = self.is_object(ox, UNKNOWN);
        let known = self.terms.not(unknown);
        let related = self.terms.and2(same_object, known);
        match op {
            BinOp::Eq | BinOp::Ne => {
                let same_offset = self.terms.eq(fx, fy);
                let equal = self.terms.and2(same_object, same_offset);
                self.comparable(a, b, (x, ox, fx), (y, oy, fy), related)?;
                Ok(if op == BinOp::Eq { equal } else { self.terms.not(equal) })
            }
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => {
                // Objects lie somewhere: which comes first is not modelled.
                self.require(Demand::Related, related);
                let (low, high) = match op {
                    BinOp::Lt | BinOp::Le => (fx, fy),
                    _ => (fy, fx),
                };
                Ok(match op {
                    BinOp::Le | BinOp::Ge => self.terms.bv_sle(low, high),
                    _ => self.terms.bv_slt(low, high),
                })
            }
            _ => unsupported("operator", "this comparison of pointers"),
        }
    }

    /// Pointers to different objects are known to be different only if each is null, or points into a live object:
    /// addresses of dead objects are used again, and one past the end another object may begin. A pointer that is an
    /// input has an object of its own here, and may be equal to any other pointer nevertheless.
    fn comparable(
        &mut self,
        a: ExprId,
        b: ExprId,
        (x, ox, fx): (TermId, TermId, TermId),
        (y, oy, fy): (TermId, TermId, TermId),
        related: TermId,
    ) -> Encode<()> {
        let (null_x, null_y) = (self.is_null(x), self.is_null(y));
        let simple = self.terms.or(&[null_x, null_y, related]);
        if simple == self.terms.yes() {
            return Ok(());
        }
        let (mut inside, mut inputs, mut nulls) = (Vec::new(), Vec::new(), Vec::new());
        for (expr, object, offset) in [(a, ox, fx), (b, oy, fy)] {
            let Some(region) = self.encoder.regions.pointee(expr) else {
                return unsupported("memory", "a comparison of unknown pointers");
            };
            let one = self.terms.bv(self.encoder.pointer_bits(), 1);
            let valid = self.valid(region, object, offset, one);
            let none = self.is_object(object, NULL);
            inside.push(self.terms.or2(valid, none));
            inputs.push(self.may_be_input(region, object));
            nulls.push(none);
        }
        for (input, other) in [(inputs[0], nulls[1]), (inputs[1], nulls[0])] {
            inside.push(self.terms.implies(input, other));
        }
        if let Some(region) = self.encoder.regions.pointee(a) {
            inside.push(self.are_apart(region, (ox, fx), (oy, fy)));
        }
        let both = self.terms.and(&inside);
        let ok = self.terms.or2(simple, both);
        self.require(Demand::Comparable, ok);
        Ok(())
    }

    /// Two places are not the same byte of string literals that the compiler may lay over each other.
    fn are_apart(
        &mut self,
        region: RegionId,
        (ox, fx): (TermId, TermId),
        (oy, fy): (TermId, TermId),
    ) -> TermId {
        let (regions, program) = (self.encoder.regions.clone(), self.encoder.program);
        let overlaps = self.encoder.overlaps.entry(region);
        let overlaps = overlaps.or_insert_with(|| regions.overlaps(program, region).into()).clone();
        let mut apart = Vec::new();
        for overlap in overlaps.iter() {
            for ((a, fa), (b, fb)) in [((ox, fx), (oy, fy)), ((oy, fy), (ox, fx))] {
                let (long, short) = (self.is_object(a, overlap.long), self.is_object(b, overlap.short));
                let shift = self.terms.bv(self.encoder.pointer_bits(), u128::from(overlap.at));
                let there = self.terms.bv_add(fb, shift);
                let same = self.terms.eq(fa, there);
                let both = self.terms.and(&[long, short, same]);
                apart.push(self.terms.not(both));
            }
        }
        self.terms.and(&apart)
    }

    /// `a - b` in bytes.
    pub fn pointer_difference(&mut self, a: ExprId, b: ExprId) -> Encode<TermId> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        let ((ox, fx), (oy, fy)) = (self.split(x), self.split(y));
        let same = self.terms.eq(ox, oy);
        let unknown = self.is_object(ox, UNKNOWN);
        let known = self.terms.not(unknown);
        let related = self.terms.and2(same, known);
        self.require(Demand::Related, related);
        Ok(self.terms.bv_sub(fx, fy))
    }

    /// The address where an object begins: some number, which never changes. For what is unknown, any number.
    pub fn base_address(&mut self, region: RegionId, object: TermId) -> TermId {
        let bits = self.encoder.pointer_bits();
        let sort = Sort::Array { index: OBJECT_BITS, elem: Elem::BitVec(bits) };
        let base = self.encoder.base(self.terms, super::Cell::Bases(region), sort, false);
        let bases = self.ssa.value(self.terms, base);
        let address = self.terms.select(bases, object);
        let none = self.is_object(object, NULL);
        let zero = self.terms.bv(bits, 0);
        if none == self.terms.yes() {
            return zero;
        }
        // No object lies in the first or the last page.
        let (low, high) = (self.terms.bv(bits, PAGE), self.terms.bv(bits, u128::MAX - PAGE));
        let (above, below) = (self.terms.bv_ule(low, address), self.terms.bv_ule(address, high));
        let apart = self.terms.and(&[above, below]);
        let fact = self.terms.or2(none, apart);
        self.fact(fact);
        let address = self.terms.ite(none, zero, address);
        // Unknown pointers have this number all, but not the same address: it can be any.
        let unknown = self.is_object(object, UNKNOWN);
        if unknown == self.terms.no() {
            return address;
        }
        let any = self.anything(Sort::BitVec(bits));
        self.terms.ite(unknown, any, address)
    }

    /// A pointer as an integer of a pointer's width.
    pub fn pointer_to_int(&mut self, pointer: ExprId) -> Encode<TermId> {
        let value = self.value(pointer)?;
        let (object, offset) = self.split(value);
        let Some(region) = self.encoder.regions.pointee(pointer) else {
            return unsupported("memory", "the address of an unknown object");
        };
        let base = self.base_address(region, object);
        Ok(self.terms.bv_add(base, offset))
    }

    /// An integer as a pointer: one that a pointer was made to just before, or an address at which no object is.
    pub fn int_to_pointer(&mut self, expr: ExprId) -> Encode<TermId> {
        let program = self.encoder.program;
        let bits = self.encoder.pointer_bits();
        if let Some(pointer) = self.integer_pointer(expr)? {
            return Ok(pointer);
        }
        let signed = program.int_type_of(expr).is_some_and(|i| i.signed);
        let value = self.value(expr)?;
        let address = self.terms.resize(value, bits, signed);
        if let Some(constant) = self.terms.as_bv(address) {
            return self.absolute(constant.value);
        }
        let no_object = self.no_object_at(address);
        self.require(Demand::Address, no_object);
        let object = self.encoder.object(self.terms, NULL);
        Ok(self.terms.concat(object, address))
    }

    /// The address is so near to zero that no object is there.
    pub fn no_object_at(&mut self, address: TermId) -> TermId {
        let bits = self.encoder.pointer_bits();
        let (low, high) = (self.terms.bv(bits, PAGE), self.terms.bv(bits, u128::MAX - PAGE));
        let (first, last) = (self.terms.bv_ult(address, low), self.terms.bv_ult(high, address));
        self.terms.or2(first, last)
    }

    /// The pointer that an integer expression is, if it is one.
    pub fn integer_pointer(&mut self, expr: ExprId) -> Encode<Option<TermId>> {
        let program = self.encoder.program;
        let Some(origin) = self.encoder.regions.carriers().origin(program, expr) else { return Ok(None) };
        match origin {
            Origin::Pointer(pointer) => Ok(Some(self.value(pointer)?)),
            Origin::Same(inner) => self.integer_pointer(inner),
            Origin::Variable(var) => {
                let region = self.encoder.regions.carried(var);
                let (object, offset) = self.encoder.origin_cells(self.terms, var, self.instance_of(var));
                let object = self.ssa.value(self.terms, object);
                let offset = self.ssa.value(self.terms, offset);
                self.known_pointer(region, object);
                Ok(Some(self.terms.concat(object, offset)))
            }
            Origin::Plus(pointer, by) | Origin::Minus(pointer, by) => {
                let Some(value) = self.integer_pointer(pointer)? else { return Ok(None) };
                let by = self.value(by)?;
                let minus = matches!(origin, Origin::Minus(..));
                let by = if minus { self.terms.bv_neg(by) } else { by };
                Ok(Some(self.displace(value, by)))
            }
        }
    }

    /// What a check asks of a pointer, as a bit-vector of `bits`.
    pub fn pointer_fact(&mut self, fact: PointerFact, pointer: ExprId, bits: u32) -> Encode<TermId> {
        if fact == PointerFact::Left {
            let left = self.is_left();
            let (one, zero) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
            return Ok(self.terms.ite(left, one, zero));
        }
        let value = self.value(pointer)?;
        let (object, offset) = self.split(value);
        let Some(region) = self.encoder.regions.pointee(pointer) else {
            return unsupported("memory", "what an unknown pointer points to");
        };
        // Of such a pointer nothing is known.
        let unknown = self.is_object(object, UNKNOWN);
        let known = self.terms.not(unknown);
        self.require(Demand::Known, known);
        let holds = match fact {
            PointerFact::Offset => return Ok(self.terms.resize(offset, bits, true)),
            PointerFact::Size => {
                let size = self.size(region, object);
                return Ok(self.terms.resize(size, bits, false));
            }
            PointerFact::Align => return Ok(self.align(region, object, bits)),
            PointerFact::Alive => self.alive(region, object),
            PointerFact::Heap => self.on_heap(region, object),
            PointerFact::Constant => {
                let end = self.encoder.object(self.terms, FIRST + self.encoder.regions[region].constants);
                self.between(object, FIRST, end)
            }
            PointerFact::Written | PointerFact::SameObject => {
                return unsupported("memory", "a fact that is none of a pointer");
            }
            PointerFact::Left => unreachable!("it was answered above"),
        };
        let (one, zero) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
        Ok(self.terms.ite(holds, one, zero))
    }

    /// What the address of an object is a multiple of.
    fn align(&mut self, region: RegionId, object: TermId, bits: u32) -> TermId {
        let regions = self.encoder.regions.clone();
        let region = &regions[region];
        let mut align = self.terms.bv(bits, region.align.into());
        for (end, of) in region.alignments(self.encoder.program).into_iter().rev() {
            let end = self.encoder.object(self.terms, end);
            let (before, of) = (self.terms.bv_ult(object, end), self.terms.bv(bits, of.into()));
            align = self.terms.ite(before, of, align);
        }
        align
    }

    /// Both pointers of a comparison belong to one object, or both to none.
    pub fn same_object(&mut self, pair: ExprId) -> Encode<TermId> {
        let ExprKind::Binary(_, a, b) = self.encoder.program.exprs[pair].kind else {
            return unsupported("memory", "whether something is one object");
        };
        let mut objects = Vec::with_capacity(2);
        for pointer in [a, b] {
            let value = self.value(pointer)?;
            let (object, _) = self.split(value);
            let unknown = self.is_object(object, UNKNOWN);
            let known = self.terms.not(unknown);
            self.require(Demand::Known, known);
            objects.push(object);
        }
        Ok(self.terms.eq(objects[0], objects[1]))
    }

    /// Some object, which can be any, is a live block of the heap.
    fn is_left(&mut self) -> TermId {
        let object = self.anything(Sort::BitVec(OBJECT_BITS));
        let mut blocks = Vec::new();
        for region in self.encoder.regions.clone().regions.indices() {
            let heap = self.on_heap(region, object);
            if heap != self.terms.no() {
                let alive = self.alive(region, object);
                blocks.push(self.terms.and2(heap, alive));
            }
        }
        self.terms.or(&blocks)
    }
}
