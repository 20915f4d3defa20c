//! Scalar values: a bit pattern, and for a pointer the object it came from.

/// The object a pointer was made from. An index is used again after an object's life; the generation tells the lives
/// apart, so that a dangling pointer is known as such even when its address is that of a younger object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Provenance {
    pub index: u32,
    pub generation: u32,
    /// Of a part of an address: its first byte in it.
    pub piece: u8,
    /// The array or member inside of the object that the pointer was made from, 0 for the object itself: see
    /// [`super::parts`]. It says how far the pointer goes, and nothing of which object it is.
    pub part: u16,
}

impl PartialEq for Provenance {
    fn eq(&self, other: &Provenance) -> bool {
        let Provenance { index, generation, piece, part: _ } = *self;
        (index, generation, piece) == (other.index, other.generation, other.piece)
    }
}

impl Eq for Provenance {}

impl Provenance {
    /// No object: integers, floats, null, functions, and pointers made from integers.
    pub const NONE: Provenance = Provenance::special(0);
    const UNINITIALISED: Provenance = Provenance::special(1);
    /// The address of a function, where that is told from other numbers.
    pub const FUNCTION: Provenance = Provenance::special(2);
    /// A NaN whose sign and payload nobody knows, where that is told from others.
    pub const NAN: Provenance = Provenance::special(3);

    const fn special(generation: u32) -> Provenance {
        Provenance { index: u32::MAX, generation, piece: 0, part: 0 }
    }

    pub fn is_some(self) -> bool {
        self.index != u32::MAX
    }

    /// It is an address and not just a part of one.
    pub fn is_whole_address(self) -> bool {
        self.piece == 0 && (self.is_some() || self == Provenance::FUNCTION)
    }

    /// That of a byte, a number of bytes further on.
    pub fn further(self, bytes: usize) -> Provenance {
        Provenance { piece: self.piece.wrapping_add(bytes as u8), ..self }
    }
}

/// A value of scalar type. Floats are their IEEE bit patterns, pointers are addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub bits: u128,
    pub origin: Provenance,
}

impl Value {
    /// What a variable holds before it is written.
    pub const UNINITIALISED: Value = Value { bits: 0, origin: Provenance::UNINITIALISED };

    pub fn int(bits: u128) -> Value {
        Value { bits, origin: Provenance::NONE }
    }

    pub fn bool(truth: bool) -> Value {
        Value::int(u128::from(truth))
    }

    pub fn pointer(address: u64, origin: Provenance) -> Value {
        Value { bits: u128::from(address), origin }
    }

    /// It is just its bits.
    pub fn is_plain(self) -> bool {
        self.origin == Provenance::NONE
    }

    pub fn is_initialised(self) -> bool {
        self.origin != Provenance::UNINITIALISED
    }

    /// The value as a pointer.
    pub fn as_pointer(self) -> Pointer {
        Pointer { address: self.bits as u64, origin: self.origin }
    }
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pointer {
    pub address: u64,
    pub origin: Provenance,
}

impl Pointer {
    pub fn value(self) -> Value {
        Value::pointer(self.address, self.origin)
    }

    /// `bytes` further on.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer { address: self.address.wrapping_add(bytes), origin: self.origin }
    }
}
