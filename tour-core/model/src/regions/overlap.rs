//! String literals that a compiler may lay over each other: one whose bytes are the end of another's. C does not say whether
//! they are objects of their own.

use super::{FIRST, Known, RegionId, Regions};
use tour_ir::program::{InitItem, Program, VarId};

/// One literal may lie at the end of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The number of the longer one; any of both, if they are equal.
    pub long: u64,
    /// The number of the other one.
    pub short: u64,
    /// Where it begins in the longer one, in bytes.
    pub at: u64,
}

impl Regions {
    /// The pairs of literals of a region that may overlap.
    pub fn overlaps(&self, program: &Program, region: RegionId) -> Vec<Overlap> {
        let texts: Vec<(u64, &[u8])> = (self[region].known.iter().zip(FIRST..))
            .filter_map(|((known, _), number)| match known {
                Known::Var(var) => Some((number, text(program, *var)?)),
                Known::Function(_) => None,
            })
            .collect();
        let mut overlaps = Vec::new();
        for (i, &(long, bytes)) in texts.iter().enumerate() {
            for (j, &(short, end)) in texts.iter().enumerate() {
                let pair = bytes.len() > end.len() || bytes.len() == end.len() && i < j;
                if pair && bytes.ends_with(end) {
                    overlaps.push(Overlap { long, short, at: (bytes.len() - end.len()) as u64 });
                }
            }
        }
        overlaps
    }
}

fn text(program: &Program, var: VarId) -> Option<&[u8]> {
    let var = &program.vars[var];
    match &var.init.as_ref().filter(|_| var.is_text())?.items[..] {
        [InitItem::Bytes { bytes, .. }] => Some(bytes),
        _ => None,
    }
}
