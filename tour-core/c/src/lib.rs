//! C as programs: preprocessing, parsing, the rules of the language, the library, linking.

pub mod front;
pub mod load;
pub mod sema;

pub use load::{FrontError, LoadOptions, load, load_with_notes};
