//! Two small C files behind a Rust interface, with harnesses: what a user of tour has.

pub mod ffi {
    use std::ffi::c_int;

    pub const STACK_SIZE: usize = 4;

    #[repr(C)]
    pub struct Stack {
        pub items: [u16; STACK_SIZE],
        pub top: u32,
    }

    unsafe extern "C" {
        pub fn average(a: u32, b: u32) -> u32;
        pub fn clamp_high(x: i32, low: i32, high: i32) -> i32;
        pub fn digit(n: u8) -> u8;
        pub fn stack_push(s: *mut Stack, x: u16) -> c_int;
        pub fn stack_pop(s: *mut Stack, x: *mut u16) -> c_int;
    }
}

#[cfg(test)]
mod proofs {
    use super::ffi::{self, Stack, average, clamp_high, stack_pop, stack_push};
    use tour::{any, assume, spec, verify};

    #[spec]
    fn new() -> Stack {
        Stack { items: [0; ffi::STACK_SIZE], top: 0 }
    }

    #[verify]
    fn the_average_lies_between(a: u32, b: u32) {
        let m = unsafe { average(a, b) };
        assert!(m >= a.min(b));
        assert!(m <= a.max(b));
    }

    #[verify(tag = "finds-a-bug")]
    #[should_panic(expected = "low <= y")]
    fn clamping_forgets_the_lower_end(x: i32, low: i32, high: i32) {
        assume(low <= high);
        let y = unsafe { clamp_high(x, low, high) };
        assert!(y <= high);
        assert!(low <= y);
    }

    #[verify(should_fail = "out-of-bounds")]
    fn a_digit_needs_to_be_one(n: u8) {
        assume(n <= 10);
        let d = unsafe { ffi::digit(n) };
        assert_eq!(d, b'0'.wrapping_add(n));
    }

    #[verify]
    fn a_digit_is_one() {
        let n: u8 = any();
        assume(n < 10);
        assert_eq!(unsafe { ffi::digit(n) }, b'0' + n);
    }

    #[verify(timeout = "2m")]
    fn what_was_pushed_is_popped(x: u16, y: u16) {
        let mut s = new();
        let mut got = 0;
        assert_eq!(unsafe { stack_push(&mut s, x) }, 1);
        assert_eq!(unsafe { stack_push(&mut s, y) }, 1);
        assert_eq!(unsafe { stack_pop(&mut s, &mut got) }, 1);
        assert_eq!(got, y);
        assert_eq!(unsafe { stack_pop(&mut s, &mut got) }, 1);
        assert_eq!(got, x);
        assert_eq!(unsafe { stack_pop(&mut s, &mut got) }, 0);
    }

    #[verify]
    #[should_panic(expected = "attempt to add with overflow")]
    fn rust_panics_count(x: u16) {
        let y = x + 1;
        assert!(y > 0);
    }
}
