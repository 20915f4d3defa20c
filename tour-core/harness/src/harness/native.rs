//! A harness as ordinary Rust: its inputs come from a list.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use tour_protocol::protocol::{NativeEnd, write_json};
use tour_protocol::result::Bits;

/// Values for the inputs of a harness, one scalar after the other.
#[derive(Debug, Default)]
pub struct Source {
    scalars: VecDeque<u128>,
}

impl Source {
    /// These values.
    pub(super) fn new(scalars: impl IntoIterator<Item = u128>) -> Source {
        Source { scalars: scalars.into_iter().collect() }
    }

    /// The next scalar; the run ends here if there is none.
    fn next(&mut self) -> u128 {
        match self.scalars.pop_front() {
            Some(bits) => bits,
            None => end(&NativeEnd::OutOfInputs),
        }
    }
}

/// What can be an input of a harness. `#[derive(Arbitrary)]` makes a struct one.
pub trait Arbitrary {
    /// Takes a value: its scalars in the order of its parts.
    fn take(source: &mut Source) -> Self;
}

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl Arbitrary for $ty {
            fn take(source: &mut Source) -> $ty {
                source.next() as $ty
            }
        })*
    };
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Arbitrary for bool {
    fn take(source: &mut Source) -> bool {
        source.next() & 1 == 1
    }
}

impl Arbitrary for () {
    fn take(_: &mut Source) {}
}

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {
    fn take(source: &mut Source) -> [T; N] {
        std::array::from_fn(|_| T::take(source))
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {
        $(impl<$($name: Arbitrary),*> Arbitrary for ($($name,)*) {
            fn take(source: &mut Source) -> Self {
                ($($name::take(source),)*)
            }
        })*
    };
}

tuples!((A) (A B) (A B C) (A B C D));

/// A native run of a harness.
struct Run {
    source: Source,
    /// Where the end is told.
    result: Option<PathBuf>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Any value of a type: a new input of the harness.
///
/// # Panics
/// Outside of a harness there are no inputs.
#[track_caller]
pub fn any<T: Arbitrary>() -> T {
    RUN.with_borrow_mut(|run| match run {
        Some(run) => T::take(&mut run.source),
        None => panic!("`any` gives a value inside of a `#[verify]` harness only"),
    })
}

/// A parameter of the harness.
#[doc(hidden)]
#[track_caller]
pub fn input<T: Arbitrary>() -> T {
    any()
}

/// Only inputs for which the condition holds are looked at.
///
/// # Panics
/// Outside of a harness, a condition that does not hold is an error.
#[track_caller]
pub fn assume(condition: bool) {
    if condition {
        return;
    }
    if RUN.with_borrow(Option::is_some) {
        end(&NativeEnd::AssumeFailed);
    }
    panic!("the assumption does not hold");
}

/// Writes how the run ended.
fn write_end(how: &NativeEnd) {
    let result = RUN.with_borrow(|run| run.as_ref().and_then(|run| run.result.clone()));
    if let Some(path) = result {
        // Who waits for it sees that it is missing.
        let _ = write_json(&path, how);
    }
}

/// Ends a run that has nothing more to show. The process was started for it alone.
fn end(how: &NativeEnd) -> ! {
    write_end(how);
    std::process::exit(0)
}

/// Runs a body with inputs, in this very process and without catching anything.
pub(super) fn replay(inputs: &[Bits], result: Option<PathBuf>, body: impl FnOnce()) {
    let source = Source::new(inputs.iter().map(|bits| bits.0));
    RUN.set(Some(Run { source, result }));
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let (file, line, column) = panic
            .location()
            .map_or((String::new(), 0, 0), |at| (at.file().to_owned(), at.line(), at.column()));
        let payload = panic.payload();
        let message = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default();
        write_end(&NativeEnd::Panicked { message, file, line, column });
        usual(panic);
    }));
    body();
    write_end(&NativeEnd::Returned);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_taken_in_order() {
        RUN.set(Some(Run { source: Source::new([1, 0xff, 2, 3, 0xffff]), result: None }));
        assert!(any::<bool>());
        assert_eq!(any::<i8>(), -1);
        assert_eq!(any::<([u16; 2], i16)>(), ([2, 3], -1));
        RUN.set(None);
    }

    #[test]
    #[should_panic(expected = "inside of a `#[verify]` harness only")]
    fn there_are_no_inputs_outside_of_a_harness() {
        any::<u8>();
    }

    #[test]
    #[should_panic(expected = "the assumption does not hold")]
    fn an_assumption_is_a_claim_outside_of_a_harness() {
        assume(true);
        assume(false);
    }
}
