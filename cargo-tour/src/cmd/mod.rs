//! The subcommands, one file each.

pub mod cfa;
pub mod check;
pub mod doctor;
pub mod features;
pub mod run;
