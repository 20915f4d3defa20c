//! Candidates about memory: pointers stay in live objects, at multiples of what they move by; sizes are multiples of
//! numbers of the program; texts end with a zero.
//!
//! The checks of memory safety ask just for these: an offset below a size, an object that is alive.

use crate::heuristics::TemplateLimits;
use tour_logic::term::{BaseId, Sort, TermId, Terms};
use tour_model::encode::PointerState;

/// Candidates about the pointers of a state, and the numbers that they may depend on.
pub fn candidates(
    terms: &mut Terms,
    limits: &TemplateLimits,
    pointers: &[PointerState],
    numbers: &[BaseId],
    found: &mut Vec<TermId>,
) {
    let pointers = &pointers[..pointers.len().min(limits.max_pointers)];
    for pointer in pointers.iter() {
        alone(terms, pointer, found);
        for &number in numbers.iter().take(limits.max_pointer_numbers) {
            with_number(terms, pointer, number, found);
        }
    }
    for (i, a) in pointers.iter().enumerate() {
        for b in pointers.iter().skip(i + 1) {
            if a.region == b.region {
                found.push(terms.eq(a.object, b.object));
            }
            // Two buffers that a loop goes through side by side.
            let (room_a, room_b) = (room(terms, a), room(terms, b));
            for (x, y) in [(a.offset, b.offset), (a.size, b.size), (room_a, room_b)] {
                found.push(terms.eq(x, y));
                found.push(terms.bv_ule(x, y));
                found.push(terms.bv_ule(y, x));
            }
        }
    }
}

/// How many bytes there are from where a pointer points to the end of the object.
fn room(terms: &mut Terms, pointer: &PointerState) -> TermId {
    terms.bv_sub(pointer.size, pointer.offset)
}

/// The pointer is null, or something holds.
fn or_null(terms: &mut Terms, pointer: &PointerState, claim: TermId) -> TermId {
    let null = terms.bv(terms.width(pointer.object), 0);
    let none = terms.eq(pointer.object, null);
    terms.or2(none, claim)
}

fn alone(terms: &mut Terms, pointer: &PointerState, found: &mut Vec<TermId>) {
    let &PointerState { offset, size, alive, .. } = pointer;
    let width = terms.width(offset);
    found.push(alive);
    found.push(or_null(terms, pointer, alive));
    found.push(terms.bv_ule(offset, size));
    found.push(terms.bv_ult(offset, size));
    for &unit in pointer.units.iter().filter(|unit| unit.is_power_of_two() && **unit > 1) {
        let low = unit.trailing_zeros() - 1;
        let zero = terms.bv(low + 1, 0);
        for value in [offset, size] {
            let rest = terms.extract(value, low, 0);
            found.push(terms.eq(rest, zero));
        }
        let unit = terms.bv(width, u128::from(unit));
        let last = terms.bv_sub(size, unit);
        let fits = terms.bv_ule(unit, size);
        let inside = terms.bv_ule(offset, last);
        found.push(fits);
        found.push(terms.and2(fits, inside));
    }
    for &last in &pointer.last {
        let zero = terms.bv(terms.width(last), 0);
        found.push(terms.eq(last, zero));
    }
}

/// The size, the offset, and what is left between them, as multiples of a number.
fn with_number(terms: &mut Terms, pointer: &PointerState, number: BaseId, found: &mut Vec<TermId>) {
    let &PointerState { offset, size, .. } = pointer;
    let (width, signed) = (terms.width(size), terms.base(number).signed);
    let Sort::BitVec(bits) = terms.base(number).sort else { return };
    if bits > width || bits < 8 {
        return;
    }
    let value = terms.var(number, 0);
    let value = terms.resize(value, width, signed);
    let room = room(terms, pointer);
    for &unit in &pointer.units {
        let unit = terms.bv(width, u128::from(unit));
        let scaled = terms.bv_mul(value, unit);
        found.push(terms.eq(size, scaled));
        found.push(terms.bv_ule(scaled, size));
        found.push(terms.eq(offset, scaled));
        found.push(terms.bv_ule(offset, scaled));
        found.push(terms.eq(room, scaled));
        found.push(terms.bv_ule(scaled, room));
    }
}
