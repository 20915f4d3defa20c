//! A decoder of a binary format in C, and claims about it in Rust.
//!
//! With `--features bug`, the length of a record is added up in eight bits: a record that claims to have 254 bytes is taken
//! to fit into a message of four.

/// The C struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    tag: u8,
    length: u8,
    offset: usize,
}

unsafe extern "C" {
    fn record_next(message: *const u8, size: usize, at: usize, record: *mut Record) -> usize;
    fn record_sum(message: *const u8, record: *const Record) -> u32;
}

/// The sums of the values of all records of a message.
pub fn sums(message: &[u8]) -> Vec<(u8, u32)> {
    let mut record = Record { tag: 0, length: 0, offset: 0 };
    let (mut at, mut found) = (0, Vec::new());
    // SAFETY: message and record are there for the time of the calls, and the size is that of the message.
    unsafe {
        loop {
            at = record_next(message.as_ptr(), message.len(), at, &mut record);
            if at == 0 {
                return found;
            }
            found.push((record.tag, record_sum(message.as_ptr(), &record)));
        }
    }
}

#[cfg(test)]
mod proofs {
    use super::{Record, record_next};
    use tour::{assume, verify};

    #[verify]
    fn a_record_lies_within_the_message(message: [u8; 6], size: usize, at: usize) {
        assume(size <= 6 && at <= 6);
        let mut record = Record { tag: 0, length: 0, offset: 0 };
        let next = unsafe { record_next(message.as_ptr(), size, at, &mut record) };
        if next != 0 {
            assert!(record.offset + record.length as usize <= size);
        }
    }

    #[verify]
    fn the_next_record_is_further_on(message: [u8; 6], size: usize, at: usize) {
        assume(size <= 6 && at <= 6);
        let mut record = Record { tag: 0, length: 0, offset: 0 };
        let next = unsafe { record_next(message.as_ptr(), size, at, &mut record) };
        assert!(next == 0 || next > at);
    }

    #[test]
    fn sums_of_a_message() {
        assert_eq!(super::sums(&[1, 2, 10, 20, 7, 0, 9, 9]), [(1, 30), (7, 0)]);
    }
}
