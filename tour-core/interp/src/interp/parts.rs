//! Parts of objects that pointers are made from: arrays in records and in other arrays, and members.
//!
//! A pointer to an element goes no further than the array (C11 6.5.6p8), although the memory behind it may be the
//! object's. What a pointer was made from is forgotten where it is cast to another type: so programs get from a member to
//! the record around it.

use rustc_hash::FxHashMap;

/// The parts that there are pointers to, by number: 0 is the whole object.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Offset and size, from number 1 on.
    all: Vec<(u64, u64)>,
    numbers: FxHashMap<(u64, u64), u16>,
}

impl Parts {
    /// The number of a part; 0 if there are too many.
    pub fn number(&mut self, offset: u64, size: u64) -> u16 {
        if let Some(number) = self.numbers.get(&(offset, size)) {
            return *number;
        }
        let Ok(number) = u16::try_from(self.all.len() + 1) else { return 0 };
        self.all.push((offset, size));
        self.numbers.insert((offset, size), number);
        number
    }

    /// `size` bytes at an offset are in a part.
    pub fn hold(&self, part: u16, at: u64, size: u64) -> bool {
        let Some((offset, bytes)) = usize::from(part).checked_sub(1).and_then(|i| self.all.get(i)) else {
            return true;
        };
        at.checked_sub(*offset).and_then(|from| from.checked_add(size)).is_some_and(|end| end <= *bytes)
    }
}
