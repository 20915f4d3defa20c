//! Claims about the C inside a published crate: lz4, as `lz4-sys` compiles it. Nothing is copied or listed here.

use lz4_sys as _;

unsafe extern "C" {
    fn LZ4_compressBound(size: i32) -> i32;
    fn LZ4_versionNumber() -> i32;
    fn LZ4_decompress_safe(source: *const u8, target: *mut u8, size: i32, room: i32) -> i32;
}

/// How many bytes compressing `size` bytes may take at most; `None` if that is too much for lz4.
pub fn bound(size: usize) -> Option<usize> {
    let size = i32::try_from(size).ok()?;
    // SAFETY: a pure function.
    let bound = unsafe { LZ4_compressBound(size) };
    usize::try_from(bound).ok().filter(|&bound| bound > 0)
}

/// Decompresses a block into `room` bytes at most; `None` if it is malformed or there is no room.
pub fn decompress(block: &[u8], room: usize) -> Option<Vec<u8>> {
    let (size, limit) = (i32::try_from(block.len()).ok()?, i32::try_from(room).ok()?);
    let mut target = vec![0; room];
    // SAFETY: both buffers are as long as is said.
    let written = unsafe { LZ4_decompress_safe(block.as_ptr(), target.as_mut_ptr(), size, limit) };
    target.truncate(usize::try_from(written).ok()?);
    Some(target)
}

/// The version of lz4: 10,000 for 1.0.0.
pub fn version() -> i32 {
    // SAFETY: a pure function.
    unsafe { LZ4_versionNumber() }
}

#[cfg(test)]
mod proofs {
    use super::{LZ4_compressBound, LZ4_decompress_safe, LZ4_versionNumber};
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

    /// Whatever the bytes are, the decoder reads and writes only what it was given.
    #[verify(property = "memory-safety", timeout = "5m")]
    fn no_block_of_up_to_five_bytes_leads_the_decoder_astray(block: [u8; 5], size: i32) {
        assume(size >= 0 && size <= 5);
        let mut target = [0u8; 8];
        let written = unsafe { LZ4_decompress_safe(block.as_ptr(), target.as_mut_ptr(), size, 8) };
        assert!(written <= 8);
    }

    #[test]
    fn a_block() {
        assert_eq!(super::decompress(&[0x30, b'a', b'b', b'c'], 8).as_deref(), Some(&b"abc"[..]));
        assert_eq!(super::decompress(&[0x30, b'a'], 8), None);
    }
}
