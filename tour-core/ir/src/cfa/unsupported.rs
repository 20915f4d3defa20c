//! How many edges of a program we do not model.

use crate::program::{Op, Program};
use std::collections::BTreeMap;

/// The number of unsupported edges by their kind.
pub fn unsupported_by_kind(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for edge in &program.cfa.edges {
        if let Op::Unsupported(what) = &edge.op {
            *counts.entry(what.kind).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;

    #[test]
    fn counts_by_kind() {
        let s = sample("fn main(): 1->2 unsupported; 2->3 x = 1; 3->exit unsupported");
        assert_eq!(unsupported_by_kind(&s.program), BTreeMap::from([("inline-asm", 2)]));
    }
}
