//! Where the values come from that the program does not determine itself.

use tour_ir::cfa::EdgeId;
use tour_ir::program::{HavocOrigin, TypeId, VarId};

/// A value that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The edge that needs it; `None` for the entry's parameters.
    pub edge: Option<EdgeId>,
    /// Its scalar type; `None` for a byte that a library function reads.
    pub ty: Option<TypeId>,
    /// How many bits count.
    pub bits: u32,
    /// Why it is needed.
    pub why: Why,
}

/// Why a value is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A [`tour_ir::program::Op::Havoc`] edge. A record or array is asked for by its scalars, in order.
    Havoc(HavocOrigin),
    /// A parameter of the entry function.
    Parameter(VarId),
    /// The indeterminate value of a scalar variable that is declared. Most are written before they are read: `None`
    /// leaves the value open, and it is asked for again as [`Why::Unwritten`] if it is read first.
    Declared(VarId),
    /// The first read of something else that was never written.
    Unwritten,
}

/// Supplies values in the order of execution.
pub trait Inputs {
    /// A bit pattern of the type asked for; `None` if there are no more. Bits above the width are ignored.
    fn next(&mut self, request: &Request) -> Option<u128>;

    /// How many values were given.
    fn given(&self) -> usize {
        0
    }

    /// The values after this number were asked for by what did not happen, as a thread has to wait.
    fn take_back(&mut self, _given: usize) {}
}

/// Always zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zeros;

impl Inputs for Zeros {
    fn next(&mut self, _: &Request) -> Option<u128> {
        Some(0)
    }
}

/// Given values for havoc edges, one after the other. What is indeterminate for another reason is zero.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    values: std::collections::VecDeque<u128>,
}

impl Fixed {
    /// These values.
    pub fn new(values: impl IntoIterator<Item = u128>) -> Fixed {
        Fixed { values: values.into_iter().collect() }
    }
}

impl Inputs for Fixed {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(_) => self.values.pop_front(),
            Why::Parameter(_) | Why::Declared(_) | Why::Unwritten => Some(0),
        }
    }
}

/// Pseudo-random values from a seed: small numbers, numbers near the ends of the type, and any bits, mixed, since
/// programs branch on small and extreme numbers more often than on others.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 bits, by splitmix64.
    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value with a number of bits.
    pub fn draw(&mut self, bits: u32) -> u128 {
        let choice = self.word();
        let small = u128::from(self.word() % 16);
        let half = 1u128 << (bits.clamp(1, 128) - 1);
        match choice % 8 {
            0..=2 => small % 2,
            3 | 4 => small,
            5 => small.wrapping_neg(),
            6 => half.wrapping_sub(8).wrapping_add(small),
            _ => u128::from(self.word()) << 64 | u128::from(self.word()),
        }
    }
}

impl Inputs for Random {
    fn next(&mut self, request: &Request) -> Option<u128> {
        Some(self.draw(request.bits))
    }
}
