//! Weights of error locations: a search that cares for some of many.
//!
//! `[TOUR]` gives all error locations the same weight and leaves others to future work (§6.1). Here the error locations
//! that are not in focus begin with a large distance instead of zero: the search turns to them when nothing leads to those
//! in focus any more.

use super::dist::Dist;
use index_vec::IndexVec;
use std::fmt;
use std::str::FromStr;
use tour_ir::program::{CheckId, Program, Rule};

/// What the search is to care for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Focus {
    /// Checks on a line of a file. The file is named as the user wrote it, or by the end of its path.
    Line(String, u32),
    /// Checks of these rules.
    Rules(Vec<Rule>),
}

/// How far away the error locations begin that are not in focus.
/// Farther than any path is long, and still ordered.
const ELSEWHERE: u32 = 1 << 24;

impl Focus {
    /// A check is in focus.
    pub fn matches(&self, program: &Program, check: CheckId) -> bool {
        let check = &program.checks[check];
        match self {
            Focus::Line(file, line) => {
                let place = program.sources.place(check.span);
                place.line == *line && place.file.ends_with(file)
            }
            Focus::Rules(rules) => rules.contains(&check.rule),
        }
    }

    /// Where the distances of the error locations begin. Without a focus, and with one that no check matches, at zero.
    pub fn starts(focus: &[Focus], program: &Program) -> IndexVec<CheckId, Dist> {
        let matches: IndexVec<CheckId, bool> =
            program.checks.indices().map(|check| focus.iter().any(|f| f.matches(program, check))).collect();
        let any = matches.iter().any(|m| *m);
        matches.iter().map(|m| if *m || !any { Dist::ZERO } else { Dist::new(ELSEWHERE) }).collect()
    }
}

/// `FILE:LINE`, or the name of a property.
impl FromStr for Focus {
    type Err = String;

    fn from_str(text: &str) -> Result<Focus, String> {
        if let Some(rules) = Rule::named(text) {
            return Ok(Focus::Rules(rules));
        }
        let place = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match place {
            Some((file, line)) if !file.is_empty() => Ok(Focus::Line(file.to_owned(), line)),
            _ => Err("a place such as ring.c:12, or the name of a property such as assert".into()),
        }
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Focus::Line(file, line) => write!(f, "{file}:{line}"),
            Focus::Rules(rules) => {
                let names: Vec<&str> = rules.iter().map(|rule| rule.id()).collect();
                f.write_str(&names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_is_a_place_or_a_property() {
        let check = |text: &str, expect: Result<Focus, ()>| {
            assert_eq!(text.parse::<Focus>().map_err(drop), expect, "{text}");
        };
        check("ring.c:12", Ok(Focus::Line("ring.c".into(), 12)));
        check("C:/src/ring.c:12", Ok(Focus::Line("C:/src/ring.c".into(), 12)));
        check("assert", Ok(Focus::Rules(vec![Rule::Assert])));
        check("ring.c", Err(()));
        check(":7", Err(()));
        check("ring.c:x", Err(()));
    }
}
