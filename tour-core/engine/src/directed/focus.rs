//! Weights of error locations: a search that cares for some of many.
//!
//! `[TOUR]` gives all error locations the same weight and leaves others to future work (§6.1). Here each begins at a
//! distance of its own: those in focus at zero, or as far away as it says, the others so far that the search turns to them
//! when nothing leads to those in focus any more.

use super::dist::Dist;
use index_vec::IndexVec;
use std::fmt;
use std::str::FromStr;
use tour_ir::program::{CheckId, Program, Rule};

/// What the search is to care for, and how much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Focus {
    /// Which checks.
    pub on: Where,
    /// How much farther away their error locations are than others in focus.
    pub behind: u32,
}

/// Some checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Where {
    /// Those on a line of a file. The file is named as the user wrote it, or by the end of its path.
    Line(String, u32),
    /// Those of these rules.
    Rules(Vec<Rule>),
}

/// How far away the error locations begin that are not in focus.
/// Farther than any path is long, and still ordered.
const ELSEWHERE: u32 = 1 << 24;

impl Where {
    fn matches(&self, program: &Program, check: CheckId) -> bool {
        let check = &program.checks[check];
        match self {
            Where::Line(file, line) => {
                let place = program.sources.place(check.span);
                place.line == *line && place.file.ends_with(file)
            }
            Where::Rules(rules) => rules.contains(&check.rule),
        }
    }
}

impl Focus {
    /// Where the distances of the error locations begin. Without a focus, and with one that no check matches, at zero.
    pub fn starts(focus: &[Focus], program: &Program) -> IndexVec<CheckId, Dist> {
        let start = |check| focus.iter().filter(|f| f.on.matches(program, check)).map(|f| f.behind).min();
        let starts: IndexVec<CheckId, Option<u32>> = program.checks.indices().map(start).collect();
        let others = if starts.iter().any(Option::is_some) { ELSEWHERE } else { 0 };
        starts.iter().map(|start| Dist::new(start.unwrap_or(others))).collect()
    }
}

/// `FILE:LINE`, or the name of a property; and `=N` if it is to be N farther away.
impl FromStr for Focus {
    type Err = String;

    fn from_str(text: &str) -> Result<Focus, String> {
        let (text, behind) = match text.rsplit_once('=').map(|(on, behind)| (on, behind.parse::<u32>())) {
            None => (text, 0),
            Some((on, Ok(behind))) if behind < ELSEWHERE => (on, behind),
            Some(_) => return Err(format!("after `=` a distance: a number below {ELSEWHERE}")),
        };
        if let Some(rules) = Rule::named(text) {
            return Ok(Focus { on: Where::Rules(rules), behind });
        }
        let place = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match place {
            Some((file, line)) if !file.is_empty() => {
                Ok(Focus { on: Where::Line(file.to_owned(), line), behind })
            }
            _ => Err("a place such as ring.c:12, or the name of a property such as assert".into()),
        }
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.on {
            Where::Line(file, line) => write!(f, "{file}:{line}")?,
            Where::Rules(rules) => {
                let names: Vec<&str> = rules.iter().map(|rule| rule.id()).collect();
                f.write_str(&names.join(", "))?;
            }
        }
        if self.behind > 0 { write!(f, "={}", self.behind) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_is_a_place_or_a_property() {
        let check = |text: &str, expect: Result<(Where, u32), ()>| {
            let expect = expect.map(|(on, behind)| Focus { on, behind });
            assert_eq!(text.parse::<Focus>().map_err(drop), expect, "{text}");
        };
        check("ring.c:12", Ok((Where::Line("ring.c".into(), 12), 0)));
        check("ring.c:12=5", Ok((Where::Line("ring.c".into(), 12), 5)));
        check("C:/src/ring.c:12", Ok((Where::Line("C:/src/ring.c".into(), 12), 0)));
        check("assert", Ok((Where::Rules(vec![Rule::Assert]), 0)));
        check("assert=100", Ok((Where::Rules(vec![Rule::Assert]), 100)));
        check("assert=-1", Err(()));
        check("assert=99999999", Err(()));
        check("ring.c", Err(()));
        check(":7", Err(()));
        check("ring.c:x", Err(()));
    }
}
