//! Claims about the C inside a published crate: lz4, as `lz4-sys` compiles it. Nothing is copied or listed here.

use lz4_sys as _;

unsafe extern "C" {
    fn LZ4_compressBound(size: i32) -> i32;
    fn LZ4_versionNumber() -> i32;
}

/// How many bytes compressing `size` bytes may take at most; `None` if that is too much for lz4.
pub fn bound(size: usize) -> Option<usize> {
    let size = i32::try_from(size).ok()?;
    // SAFETY: a pure function.
    let bound = unsafe { LZ4_compressBound(size) };
    usize::try_from(bound).ok().filter(|&bound| bound > 0)
}

/// The version of lz4: 10,000 for 1.0.0.
pub fn version() -> i32 {
    // SAFETY: a pure function.
    unsafe { LZ4_versionNumber() }
}

#[cfg(test)]
mod proofs {
    use super::{LZ4_compressBound, LZ4_versionNumber};
    use tour::{assume, verify};

    #[verify]
    fn the_bound_is_not_below_the_size(size: i32) {
        assume(size >= 0 && size <= 0x7E000000);
        assert!(unsafe { LZ4_compressBound(size) } >= size);
    }

    #[verify]
    fn sizes_that_are_no_sizes_have_no_bound(size: i32) {
        assume(size < 0 || size > 0x7E000000);
        assert_eq!(unsafe { LZ4_compressBound(size) }, 0);
    }

    #[verify]
    fn the_version_is_that_of_the_first_series() {
        let version = unsafe { LZ4_versionNumber() };
        assert!(version >= 10000 && version < 20000);
    }
}
