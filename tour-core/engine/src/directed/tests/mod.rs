//! The worked examples of `[TOUR]`, and the distances against their definition.

mod definition;
mod figures;
mod reuse;
