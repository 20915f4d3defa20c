//! Properties: what can be violated, and what is taken for granted.

use crate::cfa::LocId;
use crate::source::Span;

/// The rules. Each has a stable id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Rule {
    /// `__VERIFIER_error()`, `reach_error()` or the label `ERROR` is reached.
    UnreachCall,
    /// An `assert` fails.
    Assert,
    /// An access through a null pointer.
    NullDeref,
    /// An access outside the object that the pointer belongs to, or to no object at all.
    OutOfBounds,
    /// An access to an object after its life.
    UseAfterFree,
    /// `free` of what was freed already.
    DoubleFree,
    /// `free` of what `malloc` did not give.
    InvalidFree,
    /// A block that nothing points to any more is never freed.
    MemoryLeak,
    /// A read of what was never written.
    UninitialisedRead,
    /// The result of a signed operation does not fit its type.
    SignedOverflow,
    /// `/ 0` or `% 0`.
    DivisionByZero,
    /// A shift by a negative count, or by the width of the type or more; or one whose signed result does not fit.
    ShiftOutOfRange,
    /// Pointer arithmetic that leaves its object, or mixes two.
    PointerOverflow,
    /// A value that an enumeration or `_Bool` does not have.
    BadCast,
    /// An unsigned operation wraps around.
    UnsignedWrap,
    /// A lock is released by a thread that does not hold it, or destroyed while it is held.
    MutexMisuse,
    /// Two threads access the same memory at the same time, one of them writes, and not both accesses are atomic.
    DataRace,
    /// Some thread waits, and none can go on.
    Deadlock,
}

/// What a name selects: one rule, a group, or what SV-COMP calls so.
type Selection = (&'static str, &'static [Rule]);

/// Names for several rules.
const GROUPS: [Selection; 2] = [
    (
        "memory-safety",
        &[
            Rule::NullDeref,
            Rule::OutOfBounds,
            Rule::UseAfterFree,
            Rule::DoubleFree,
            Rule::InvalidFree,
            Rule::MemoryLeak,
        ],
    ),
    (
        "undefined-behaviour",
        &[
            Rule::NullDeref,
            Rule::OutOfBounds,
            Rule::UseAfterFree,
            Rule::DoubleFree,
            Rule::InvalidFree,
            Rule::UninitialisedRead,
            Rule::SignedOverflow,
            Rule::DivisionByZero,
            Rule::ShiftOutOfRange,
            Rule::PointerOverflow,
        ],
    ),
];

/// The names of SV-COMP.
const SV_COMP: [Selection; 6] = [
    ("valid-deref", &[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree]),
    ("valid-free", &[Rule::DoubleFree, Rule::InvalidFree]),
    ("valid-memtrack", &[Rule::MemoryLeak]),
    ("valid-memsafety", GROUPS[0].1),
    ("no-overflow", &[Rule::SignedOverflow]),
    ("no-data-race", &[Rule::DataRace]),
];

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 18] = [
        Rule::UnreachCall,
        Rule::Assert,
        Rule::NullDeref,
        Rule::OutOfBounds,
        Rule::UseAfterFree,
        Rule::DoubleFree,
        Rule::InvalidFree,
        Rule::MemoryLeak,
        Rule::UninitialisedRead,
        Rule::SignedOverflow,
        Rule::DivisionByZero,
        Rule::ShiftOutOfRange,
        Rule::PointerOverflow,
        Rule::BadCast,
        Rule::UnsignedWrap,
        Rule::MutexMisuse,
        Rule::DataRace,
        Rule::Deadlock,
    ];

    /// What is checked if nothing is said, by SV-COMP's conventions: only what the program says of itself.
    pub const STATED: [Rule; 2] = [Rule::UnreachCall, Rule::Assert];

    /// Stable id, as in `--property`.
    pub fn id(self) -> &'static str {
        match self {
            Rule::UnreachCall => "unreach-call",
            Rule::Assert => "assert",
            Rule::NullDeref => "null-deref",
            Rule::OutOfBounds => "out-of-bounds",
            Rule::UseAfterFree => "use-after-free",
            Rule::DoubleFree => "double-free",
            Rule::InvalidFree => "invalid-free",
            Rule::MemoryLeak => "memory-leak",
            Rule::UninitialisedRead => "uninitialised-read",
            Rule::SignedOverflow => "signed-overflow",
            Rule::DivisionByZero => "division-by-zero",
            Rule::ShiftOutOfRange => "shift-out-of-range",
            Rule::PointerOverflow => "pointer-overflow",
            Rule::BadCast => "bad-cast",
            Rule::UnsignedWrap => "unsigned-wrap",
            Rule::MutexMisuse => "mutex-misuse",
            Rule::DataRace => "data-race",
            Rule::Deadlock => "deadlock",
        }
    }

    /// The code of its diagnostics.
    pub fn code(self) -> &'static str {
        match self {
            Rule::UnreachCall => "tour::unreach_call",
            Rule::Assert => "tour::assert",
            Rule::NullDeref => "tour::null_deref",
            Rule::OutOfBounds => "tour::out_of_bounds",
            Rule::UseAfterFree => "tour::use_after_free",
            Rule::DoubleFree => "tour::double_free",
            Rule::InvalidFree => "tour::invalid_free",
            Rule::MemoryLeak => "tour::memory_leak",
            Rule::UninitialisedRead => "tour::uninitialised_read",
            Rule::SignedOverflow => "tour::signed_overflow",
            Rule::DivisionByZero => "tour::division_by_zero",
            Rule::ShiftOutOfRange => "tour::shift_out_of_range",
            Rule::PointerOverflow => "tour::pointer_overflow",
            Rule::BadCast => "tour::bad_cast",
            Rule::UnsignedWrap => "tour::unsigned_wrap",
            Rule::MutexMisuse => "tour::mutex_misuse",
            Rule::DataRace => "tour::data_race",
            Rule::Deadlock => "tour::deadlock",
        }
    }

    /// What a violation means.
    pub fn describe(self) -> &'static str {
        match self {
            Rule::UnreachCall => "an error location is reachable",
            Rule::Assert => "an assertion can fail",
            Rule::NullDeref => "a null pointer can be dereferenced",
            Rule::OutOfBounds => "an access can lie outside its object",
            Rule::UseAfterFree => "an object can be used after its life",
            Rule::DoubleFree => "a block can be freed twice",
            Rule::InvalidFree => "something can be freed that is no allocated block",
            Rule::MemoryLeak => "allocated memory can be lost",
            Rule::UninitialisedRead => "a value can be read before it is set",
            Rule::SignedOverflow => "a signed operation can overflow",
            Rule::DivisionByZero => "a division by zero is possible",
            Rule::ShiftOutOfRange => "a shift can be out of range",
            Rule::PointerOverflow => "pointer arithmetic can leave its object",
            Rule::BadCast => "a value can be none of its type's",
            Rule::UnsignedWrap => "an unsigned operation can wrap around",
            Rule::MutexMisuse => "a lock can be released or destroyed wrongly",
            Rule::DataRace => "two threads can access the same memory at the same time",
            Rule::Deadlock => "threads can wait for each other forever",
        }
    }

    /// Defined behaviour that some projects forbid: checked only when asked for by name.
    pub fn is_optional(self) -> bool {
        matches!(self, Rule::BadCast | Rule::UnsignedWrap)
    }

    /// The rules that a name selects: an id, a group, or a name of SV-COMP.
    pub fn named(name: &str) -> Option<Vec<Rule>> {
        if let Some(rule) = Rule::ALL.into_iter().find(|rule| rule.id() == name) {
            return Some(vec![rule]);
        }
        let several = GROUPS.iter().chain(&SV_COMP).find(|(known, _)| *known == name)?;
        Some(several.1.to_vec())
    }

    /// All names that [`Rule::named`] knows: ids, then groups, then those of SV-COMP.
    pub fn names() -> Vec<&'static str> {
        let several = GROUPS.iter().chain(&SV_COMP).map(|(name, _)| *name);
        Rule::ALL.into_iter().map(Rule::id).chain(several).collect()
    }
}

/// A place where a rule can be violated.
#[derive(Clone, Debug)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// Its error location.
    pub loc: LocId,
    /// What fails, in the user's words: `assertion x < 3`.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// Something that the verdict takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// In one line: "`foo` has no body: it returns any value and has no other effect".
    pub text: String,
    /// Where it was first needed.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_selects_rules_and_every_rule_has_a_name() {
        let names = Rule::names();
        for (i, name) in names.iter().enumerate() {
            assert!(Rule::named(name).is_some_and(|rules| !rules.is_empty()), "{name}");
            assert!(!names[..i].contains(name), "{name} twice");
        }
        for rule in Rule::ALL {
            assert_eq!(Rule::named(rule.id()), Some(vec![rule]));
            assert_eq!(rule.code(), format!("tour::{}", rule.id().replace('-', "_")));
        }
        assert_eq!(Rule::named("valid-memtrack"), Some(vec![Rule::MemoryLeak]));
        assert_eq!(Rule::named("nonsense"), None);
    }
}
