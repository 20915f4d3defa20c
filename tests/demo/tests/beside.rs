//! Harnesses beside the crate see what it exports.

use tour::{assume, verify};
use tour_demo::ffi::average;

#[verify]
fn the_average_of_equals(a: u32) {
    assert_eq!(unsafe { average(a, a) }, a);
}

#[verify]
#[ignore = "finds something on purpose"]
fn nothing_is_claimed(a: u32) {
    assume(a > 7 && a < 3);
    assert_eq!(unsafe { average(a, a) }, 0);
}

#[verify]
#[ignore = "finds something on purpose"]
fn the_average_is_small(a: u32) {
    assert!(unsafe { average(a, 0) } < 0x7fff_ffff, "it can be large");
}
