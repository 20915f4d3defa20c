//! Verdicts, certificates of proofs, and their checkers, which know nothing of the analyses.

pub mod evidence;
pub mod verdict;
