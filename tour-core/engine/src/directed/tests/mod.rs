//! The worked examples of the thesis, and the distances against their definition.

mod definition;
mod figures;
mod reuse;
