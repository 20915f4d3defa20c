//! Block encodings as users name them: `sbe`, `lbe`, `abe:loops`, `abe:functions`, `abe:threshold=N`.

use std::fmt;
use std::str::FromStr;
use tour_model::block::{BlockOperator, Unfolding};
use tour_model::tuning::BlockLimits;

/// How blocks are chosen; see [`BlockOperator`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockEncoding {
    /// Single-block encoding: every edge.
    Sbe,
    /// Large-block encoding by summarisation of the automaton `[LBE]`.
    Lbe,
    /// Adjustable-block encoding `[ABE]`.
    Abe(BlockEnd),
}

/// Where adjustable blocks end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockEnd {
    /// At loop heads.
    Loops,
    /// At loop heads, and at entries and exits of functions.
    Functions,
    /// At loop heads, and after a number of steps.
    Threshold(u32),
}

impl BlockEncoding {
    /// Blocks that end at loop heads.
    pub const LOOPS: BlockEncoding = BlockEncoding::Abe(BlockEnd::Loops);

    /// The operator, for a program with all its calls unfolded; `None` if that is too large for a summary, or infinite.
    pub fn operator(self, limits: &BlockLimits, unfolding: &mut Unfolding) -> Option<BlockOperator> {
        match self {
            BlockEncoding::Sbe => Some(BlockOperator::Single),
            BlockEncoding::Lbe => BlockOperator::summarised(limits, unfolding),
            BlockEncoding::Abe(BlockEnd::Loops) => Some(BlockOperator::LoopHeads),
            BlockEncoding::Abe(BlockEnd::Functions) => Some(BlockOperator::LoopsAndFunctions),
            BlockEncoding::Abe(BlockEnd::Threshold(steps)) => Some(BlockOperator::Threshold(steps)),
        }
    }
}

impl Default for BlockEncoding {
    fn default() -> BlockEncoding {
        BlockEncoding::LOOPS
    }
}

impl fmt::Display for BlockEncoding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BlockEncoding::Sbe => f.write_str("sbe"),
            BlockEncoding::Lbe => f.write_str("lbe"),
            BlockEncoding::Abe(BlockEnd::Loops) => f.write_str("abe:loops"),
            BlockEncoding::Abe(BlockEnd::Functions) => f.write_str("abe:functions"),
            BlockEncoding::Abe(BlockEnd::Threshold(steps)) => write!(f, "abe:threshold={steps}"),
        }
    }
}

impl FromStr for BlockEncoding {
    type Err = String;

    fn from_str(text: &str) -> Result<BlockEncoding, String> {
        let end = match text {
            "sbe" => return Ok(BlockEncoding::Sbe),
            "lbe" => return Ok(BlockEncoding::Lbe),
            "abe" => BlockEnd::Loops,
            _ => match text.strip_prefix("abe:") {
                Some("loops") => BlockEnd::Loops,
                Some("functions") => BlockEnd::Functions,
                Some(rest) => match rest.strip_prefix("threshold=").map(str::parse) {
                    Some(Ok(steps @ 1..)) => BlockEnd::Threshold(steps),
                    _ => return Err(unknown(text)),
                },
                None => return Err(unknown(text)),
            },
        };
        Ok(BlockEncoding::Abe(end))
    }
}

fn unknown(text: &str) -> String {
    format!(
        "there are no blocks `{text}`: choose sbe, lbe, abe:loops, abe:functions or abe:threshold=N (N > 0)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for text in ["sbe", "lbe", "abe:loops", "abe:functions", "abe:threshold=20"] {
            assert_eq!(text.parse::<BlockEncoding>().unwrap().to_string(), text);
        }
        assert_eq!("abe".parse(), Ok(BlockEncoding::LOOPS));
        for text in ["", "abe:", "abe:threshold", "abe:threshold=0", "abe:threshold=x", "large"] {
            assert!(
                text.parse::<BlockEncoding>().unwrap_err().contains("choose sbe, lbe, abe:loops"),
                "{text}"
            );
        }
    }
}
