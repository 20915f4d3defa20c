//! Positions of scalars inside objects: where an lvalue may lie, as far as it is known without running the program.

/// Bits that an access may touch, counted from where a pointer points: `size` bits at `first`, or at one of the
/// positions between `first` and `last` whose distance from `first` is a multiple of `step`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The first bit of the first position.
    pub first: u64,
    /// The first bit of the last position; `u64::MAX` if nothing bounds it.
    pub last: u64,
    /// All distances between positions are multiples of it; 0 if there is one position only.
    pub step: u64,
    /// How many bits.
    pub size: u64,
}

/// How two accesses lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// They have no bit in common.
    Disjoint,
    /// They have all bits in common or none.
    Aligned,
    /// They may have some bits in common.
    Overlap,
}

/// The greatest common divisor; 0 stands for "no distance at all".
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Position {
    /// The start of an object, before fields and elements are chosen.
    pub const START: Position = Position { first: 0, last: 0, step: 0, size: 0 };

    /// A part that lies `bits` further.
    pub fn field(self, bits: u64) -> Position {
        Position { first: self.first.saturating_add(bits), last: self.last.saturating_add(bits), ..self }
    }

    /// One of `count` elements of `size` bits; any number of them if `count` is `None`.
    pub fn element(self, size: u64, count: Option<u64>) -> Position {
        match count {
            Some(0 | 1) => self,
            Some(n) => Position {
                last: self.last.saturating_add(size.saturating_mul(n - 1)),
                step: gcd(self.step, size),
                ..self
            },
            None => Position { last: u64::MAX, step: gcd(self.step, size), ..self },
        }
    }

    /// With the size of the scalar that lies there.
    pub fn sized(self, size: u64) -> Position {
        Position { size, ..self }
    }

    /// How far an address of such a place may be from where the pointer pointed: a divisor of all distances.
    pub(super) fn displacement(self) -> u64 {
        gcd(self.first, self.step)
    }

    /// How two accesses lie to each other, if the pointers that they go through may be any multiple of `stride` bits
    /// apart (0: they are the same, or point to different objects).
    pub(super) fn relation(self, other: Position, stride: u64) -> Relation {
        if self.size == 0 || other.size == 0 || self.ranges_apart(other, stride) {
            return Relation::Disjoint;
        }
        let modulus = gcd(gcd(self.step, other.step), stride);
        if modulus == 0 {
            // Two single positions.
            return if self == other { Relation::Aligned } else { Relation::Overlap };
        }
        let distance = (other.first % modulus + modulus - self.first % modulus) % modulus;
        if distance >= self.size && modulus - distance >= other.size {
            Relation::Disjoint
        } else if distance == 0 && self.size == other.size && self.size <= modulus {
            Relation::Aligned
        } else {
            Relation::Overlap
        }
    }

    /// Two accesses may have bits in common, if the pointers that they go through may be any multiple of `stride` bytes
    /// apart.
    pub fn may_touch(self, other: Position, stride: u64) -> bool {
        self.relation(other, stride.saturating_mul(8)) != Relation::Disjoint
    }

    /// The ranges from the first bit to the last one have nothing in common.
    fn ranges_apart(self, other: Position, stride: u64) -> bool {
        let range = |p: Position| -> Option<(u64, u64)> {
            let length = (p.last - p.first).checked_add(p.size)?;
            let first = if stride == 0 { p.first } else { p.first % stride };
            let end = first.checked_add(length)?;
            (stride == 0 || end <= stride).then_some((first, end))
        };
        match (range(self), range(other)) {
            (Some((a, a_end)), Some((b, b_end))) => a_end <= b || b_end <= a,
            // One of them has no end: only what lies before it is apart from it.
            (Some((_, end)), None) if stride == 0 => end <= other.first,
            (None, Some((_, end))) if stride == 0 => end <= self.first,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(first: u64, size: u64) -> Position {
        Position::START.field(first).sized(size)
    }

    #[test]
    fn fields_of_records_and_elements_of_arrays() {
        use Relation::*;
        let check = |a: Position, b: Position, stride: u64, want: Relation| {
            assert_eq!(a.relation(b, stride), want, "{a:?} {b:?} {stride}");
            assert_eq!(b.relation(a, stride), want, "{b:?} {a:?} {stride}");
        };
        // struct { int a; int b; }, alone and as the element of an array.
        check(at(0, 32), at(32, 32), 0, Disjoint);
        check(at(0, 32), at(32, 32), 64, Disjoint);
        check(at(0, 32), at(64, 32), 64, Aligned);
        check(at(0, 32), at(0, 32), 0, Aligned);
        // A pointer that moves by one `int`, by one `char`.
        check(at(0, 32), at(32, 32), 32, Aligned);
        check(at(0, 32), at(32, 32), 8, Overlap);
        check(at(0, 32), at(0, 8), 0, Overlap);
        check(at(0, 32), at(32, 8), 0, Disjoint);
        // struct { char c; int a[10]; int z; }
        let array = Position::START.field(32).element(32, Some(10)).sized(32);
        check(at(0, 8), array, 0, Disjoint);
        check(at(352, 32), array, 0, Disjoint);
        check(at(64, 32), array, 0, Aligned);
        check(at(72, 32), array, 0, Overlap);
        check(at(0, 8), array, 384, Disjoint);
        // The same with no bound on the index.
        let open = Position::START.field(32).element(32, None).sized(32);
        check(at(0, 8), open, 0, Disjoint);
        check(at(352, 32), open, 0, Aligned);
        check(at(0, 8), open, 384, Overlap);
        // Bit-fields.
        check(at(0, 3), at(3, 5), 0, Disjoint);
        check(at(0, 3), at(3, 5), 32, Disjoint);
        check(at(0, 3), at(2, 5), 32, Overlap);
    }
}
