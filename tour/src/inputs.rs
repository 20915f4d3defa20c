//! Where the inputs of a harness come from when its body runs as ordinary Rust: from a list, or drawn at random.

use crate::protocol::{self, End};
use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// A parameter, or a call of `any`: which of the scalars are its own.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Gives scalars.
pub(crate) trait Supply {
    /// The next one, of a width in bits. `None` ends the run.
    fn next(&mut self, width: u32, signed: bool) -> Option<u128>;

    /// A value was made of the last ones.
    fn taken(&mut self, _: &Taken) {}
}

/// Values for the inputs of a harness, one scalar after the other.
pub struct Source {
    supply: Box<dyn Supply>,
    at_end: AtEnd,
    /// How many scalars were taken.
    count: usize,
}

impl Source {
    pub(crate) fn new(supply: impl Supply + 'static, at_end: AtEnd) -> Source {
        Source { supply: Box::new(supply), at_end, count: 0 }
    }

    /// These values: for tests that compare what the engine makes of inputs with what Rust does.
    #[doc(hidden)]
    pub fn of(scalars: Vec<u128>) -> Source {
        Source::new(List(scalars.into_iter()), AtEnd::Run)
    }

    /// The next scalar; the run ends here if there is none.
    fn next(&mut self, width: u32, signed: bool) -> u128 {
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        match self.supply.next(width, signed) {
            Some(bits) => {
                self.count += 1;
                bits & mask
            }
            None => end(&self.at_end, &End::OutOfInputs),
        }
    }
}

/// What can be an input of a harness. `#[derive(Arbitrary)]` makes a struct one.
pub trait Arbitrary {
    /// Takes a value: its scalars in the order of its parts.
    #[doc(hidden)]
    fn take(source: &mut Source) -> Self;
}

macro_rules! integers {
    ($($signed:literal: $($ty:ty)*;)*) => {
        $($(impl Arbitrary for $ty {
            fn take(source: &mut Source) -> $ty {
                source.next(<$ty>::BITS, $signed) as $ty
            }
        })*)*
    };
}

integers! {
    false: u8 u16 u32 u64 u128 usize;
    true: i8 i16 i32 i64 i128 isize;
}

impl Arbitrary for bool {
    fn take(source: &mut Source) -> bool {
        source.next(1, false) == 1
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

/// What an assumption that does not hold, or an input too many, does.
#[derive(Clone, Debug)]
pub(crate) enum AtEnd {
    /// The process was started for this one run, and ends with it. The end is told here.
    Process(Option<PathBuf>),
    /// There are other runs: this one is left by unwinding, with an [`End`].
    Run,
}

thread_local! {
    static RUN: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// Inputs come from this source from now on.
pub(crate) fn begin(source: Source) {
    RUN.with(|run| *run.borrow_mut() = Some(source));
}

/// There are no inputs any more.
pub(crate) fn finish() {
    RUN.with(|run| *run.borrow_mut() = None);
}

fn take<T: Arbitrary>(name: &'static str) -> Option<T> {
    RUN.with(|run| {
        let mut run = run.borrow_mut();
        let source = run.as_mut()?;
        let from = source.count;
        let value = T::take(source);
        let (ty, to) = (std::any::type_name::<T>(), source.count);
        source.supply.taken(&Taken { name, ty, from, to });
        Some(value)
    })
}

/// Any value of a type: a new input of the harness.
///
/// # Panics
/// Outside of a harness there are no inputs.
#[track_caller]
pub fn any<T: Arbitrary>() -> T {
    match take("any()") {
        Some(value) => value,
        None => panic!("`any` gives a value inside of a `#[verify]` harness only"),
    }
}

/// A parameter of the harness.
#[doc(hidden)]
#[track_caller]
pub fn input<T: Arbitrary>(name: &'static str) -> T {
    take(name).expect("a harness runs with inputs")
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
    if let Some(at_end) = RUN.with(|run| run.borrow().as_ref().map(|source| source.at_end.clone())) {
        end(&at_end, &End::AssumeFailed);
    }
    panic!("the assumption does not hold");
}

/// Ends a run that has nothing more to show.
fn end(at_end: &AtEnd, how: &End) -> ! {
    match at_end {
        AtEnd::Run => std::panic::resume_unwind(Box::new(how.clone())),
        AtEnd::Process(result) => report(result.as_deref(), how),
    }
    std::process::exit(0)
}

fn report(result: Option<&Path>, how: &End) {
    if let Some(path) = result {
        // Who waits for it sees that it is missing.
        let _ = protocol::write(path, &how.to_json().to_string());
    }
}

/// These values, and no more.
struct List(std::vec::IntoIter<u128>);

impl Supply for List {
    fn next(&mut self, _: u32, _: bool) -> Option<u128> {
        self.0.next()
    }
}

/// Runs a body with inputs, in this very process and without catching anything.
pub(crate) fn replay(inputs: Vec<u128>, result: Option<PathBuf>, body: impl Fn()) {
    begin(Source::new(List(inputs.into_iter()), AtEnd::Process(result.clone())));
    let kept = result.clone();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(kept.as_deref(), &panicked(panic.location(), panic.payload()));
        usual(panic);
    }));
    body();
    report(result.as_deref(), &End::Returned);
}

/// The place and the message of a panic.
pub(crate) fn panicked(at: Option<&Location>, payload: &(dyn Any + Send)) -> End {
    let (file, line, column) =
        at.map_or((String::new(), 0, 0), |at| (at.file().to_owned(), at.line(), at.column()));
    let message = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default();
    End::Panicked { message, file, line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(scalars: &[u128]) {
        begin(Source::new(List(Vec::from(scalars).into_iter()), AtEnd::Run));
    }

    #[test]
    fn inputs_are_taken_in_order() {
        inputs(&[1, 0xff, 2, 3, 0xffff]);
        assert!(any::<bool>());
        assert_eq!(any::<i8>(), -1);
        assert_eq!(input::<([u16; 2], i16)>("pair"), ([2, 3], -1));
        finish();
    }

    #[test]
    fn a_run_among_others_is_left_by_unwinding() {
        inputs(&[]);
        let end = std::panic::catch_unwind(|| assume(false)).expect_err("it ends");
        assert_eq!(end.downcast_ref::<End>(), Some(&End::AssumeFailed));
        finish();
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
