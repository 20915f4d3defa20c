//! Which C a package compiles: the build as it was watched, and `tour.toml`.

pub mod capture;
pub mod config;
