//! The subcommands, one file each.

pub mod answer;
pub mod cache;
pub mod capture;
pub mod cfa;
pub mod check;
pub mod clean;
pub mod doctor;
pub mod explain;
pub mod features;
pub mod ffi;
pub mod init;
pub mod list;
pub mod mutants;
pub mod new_harness;
pub mod replay;
pub mod report;
pub mod run;
pub mod train;
pub mod verify;
pub mod worker;
