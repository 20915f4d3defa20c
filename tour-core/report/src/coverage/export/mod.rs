//! Coverage for other tools.

mod cobertura;
mod lcov;

pub use cobertura::cobertura;
pub use lcov::lcov;
