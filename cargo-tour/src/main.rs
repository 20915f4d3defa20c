//! `cargo tour`
fn main() {}
