//! A ring buffer in C, and claims about it in Rust.
//!
//! `cargo tour verify` proves them; with `--features bug` it finds the byte that is lost.

/// The C struct.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Ring {
    data: [u8; 8],
    capacity: usize,
    head: usize,
    length: usize,
}

unsafe extern "C" {
    fn ring_init(ring: *mut Ring, capacity: usize) -> i32;
    fn ring_push(ring: *mut Ring, byte: u8) -> i32;
    fn ring_pop(ring: *mut Ring) -> i32;
}

impl Ring {
    /// A ring with room for `capacity` bytes, at most 8.
    pub fn new(capacity: usize) -> Option<Ring> {
        let mut ring = Ring { data: [0; 8], capacity: 0, head: 0, length: 0 };
        // SAFETY: the ring is there for the time of the call.
        (unsafe { ring_init(&mut ring, capacity) } == 0).then_some(ring)
    }

    /// Adds a byte; false if there is no room.
    pub fn push(&mut self, byte: u8) -> bool {
        // SAFETY: as above.
        unsafe { ring_push(self, byte) == 0 }
    }

    /// Takes the oldest byte.
    pub fn pop(&mut self) -> Option<u8> {
        // SAFETY: as above.
        u8::try_from(unsafe { ring_pop(self) }).ok()
    }
}

#[cfg(test)]
mod proofs {
    use super::{Ring, ring_init, ring_pop, ring_push};
    use tour::{assume, verify};

    #[verify]
    fn what_is_pushed_is_popped(byte: u8, capacity: usize) {
        assume(capacity > 0 && capacity <= 8);
        let mut ring = Ring { data: [0; 8], capacity: 0, head: 0, length: 0 };
        unsafe {
            ring_init(&mut ring, capacity);
            ring_push(&mut ring, byte);
            assert_eq!(ring_pop(&mut ring), byte as i32);
        }
    }

    #[verify]
    fn bad_capacities_are_refused(capacity: usize) {
        assume(capacity == 0 || capacity > 8);
        let mut ring = Ring { data: [0; 8], capacity: 0, head: 0, length: 0 };
        assert_eq!(unsafe { ring_init(&mut ring, capacity) }, -1);
    }

    #[verify]
    fn the_first_in_is_the_first_out(a: u8, b: u8) {
        let mut ring = Ring { data: [0; 8], capacity: 0, head: 0, length: 0 };
        unsafe {
            ring_init(&mut ring, 2);
            ring_push(&mut ring, a);
            ring_push(&mut ring, b);
            // There is no room for a third: nothing may be lost by trying.
            ring_push(&mut ring, 7);
            assert_eq!(ring_pop(&mut ring), a as i32);
            assert_eq!(ring_pop(&mut ring), b as i32);
        }
    }

    #[verify]
    fn never_longer_than_the_capacity(capacity: usize, head: usize, length: usize, byte: u8) {
        assume(capacity > 0 && capacity <= 8 && head < capacity && length <= capacity);
        let mut ring = Ring { data: [0; 8], capacity: capacity, head: head, length: length };
        unsafe { ring_push(&mut ring, byte) };
        assert!(ring.length <= ring.capacity);
    }
}
