//! Procedural macros of `tour`; its library re-exports them.

mod arbitrary;
mod expand;

use proc_macro::TokenStream;
use syn::{parse_macro_input, Item, ItemFn};
use tour_syntax::VerifyArgs;

/// Makes a function a harness: a test that verifies its body for all values of its parameters, together with the C that
/// it calls.
///
/// ```ignore
/// #[verify]
/// fn push_then_pop(x: u8) {
///     let mut ring = unsafe { ring_new() };
///     unsafe { ring_push(&mut ring, x) };
///     assert_eq!(unsafe { ring_pop(&mut ring) }, x);
/// }
/// ```
///
/// Arguments: `timeout = "30s"`, `memory = "2G"`, `tag = "slow"`, `unwind = 8`, `property = "memory-safety"`,
/// `should_fail = "rule or message"`.
#[proc_macro_attribute]
pub fn verify(args: TokenStream, item: TokenStream) -> TokenStream {
    let args = parse_macro_input!(args as VerifyArgs);
    let function = parse_macro_input!(item as ItemFn);
    expand::verify(&args, &function).into()
}

/// Marks a function that harnesses may call: its body is verified as part of theirs.
#[proc_macro_attribute]
pub fn spec(args: TokenStream, item: TokenStream) -> TokenStream {
    let _: syn::parse::Nothing = parse_macro_input!(args);
    let function = parse_macro_input!(item as ItemFn);
    expand::spec(&function).into()
}

/// Lets a struct be a parameter of a harness, or the type of `any()`: each field takes a value of its own.
#[proc_macro_derive(Arbitrary)]
pub fn arbitrary(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    arbitrary::derive(&item).into()
}
