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
    /// An access through a pointer that is not aligned as its type wants it.
    MisalignedAccess,
    /// An access through a type that the object does not have: strict aliasing.
    EffectiveType,
    /// A write to an object that is `const`, or to a string literal.
    ConstWrite,
    /// Source and destination of a copy overlap.
    OverlappingCopy,
    /// A floating number is converted to an integer type that does not have its value.
    FloatCastOverflow,
    /// A `_Bool` is read that is neither 0 nor 1.
    InvalidBool,
    /// An object is changed twice, or changed and read, and nothing says what comes first.
    Unsequenced,
    /// The result of a function is used that ended without `return`.
    MissingReturn,
    /// `__builtin_unreachable()` is reached.
    Unreachable,
    /// `__builtin_clz(0)` and the like.
    BitCountOfZero,
    /// An array of variable length has no element.
    VlaLength,
}

/// What a rule belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    /// `memory-safety`
    MemorySafety,
    /// `undefined-behaviour`
    UndefinedBehaviour,
    /// Defined behaviour that some projects forbid: checked only when asked for by name.
    Optional,
}

/// What there is to say of a rule.
struct About {
    rule: Rule,
    /// As in `--property`.
    id: &'static str,
    /// The code of its diagnostics.
    code: &'static str,
    /// What a violation means.
    describe: &'static str,
    /// What holds where nothing violates it.
    help: &'static str,
    /// The property of SV-COMP that a witness of a violation names.
    specification: &'static str,
    groups: &'static [Group],
}

/// The property of SV-COMP for what it has no property for: that a check fails.
const REACHABILITY: &str = "G ! call(reach_error())";

/// The registry of rules, in the order in which they are listed.
const RULES: &[About] = &[
    About {
        rule: Rule::UnreachCall,
        id: "unreach-call",
        code: "tour::unreach_call",
        describe: "an error location is reachable",
        help: "__VERIFIER_error(), reach_error() or the label ERROR is never reached",
        specification: REACHABILITY,
        groups: &[],
    },
    About {
        rule: Rule::Assert,
        id: "assert",
        code: "tour::assert",
        describe: "an assertion can fail",
        help: "assert(e) and __VERIFIER_assert(e) never fail",
        specification: REACHABILITY,
        groups: &[],
    },
    About {
        rule: Rule::NullDeref,
        id: "null-deref",
        code: "tour::null_deref",
        describe: "a null pointer can be dereferenced",
        help: "no access through a null pointer",
        specification: "G valid-deref",
        groups: &[Group::MemorySafety, Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::OutOfBounds,
        id: "out-of-bounds",
        code: "tour::out_of_bounds",
        describe: "an access can lie outside its object",
        help: "no access outside its object or array",
        specification: "G valid-deref",
        groups: &[Group::MemorySafety, Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::UseAfterFree,
        id: "use-after-free",
        code: "tour::use_after_free",
        describe: "an object can be used after its life",
        help: "no access to an object after its life",
        specification: "G valid-deref",
        groups: &[Group::MemorySafety, Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::DoubleFree,
        id: "double-free",
        code: "tour::double_free",
        describe: "a block can be freed twice",
        help: "no block is freed twice",
        specification: "G valid-free",
        groups: &[Group::MemorySafety, Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::InvalidFree,
        id: "invalid-free",
        code: "tour::invalid_free",
        describe: "something can be freed that is no allocated block",
        help: "only allocated blocks are freed",
        specification: "G valid-free",
        groups: &[Group::MemorySafety, Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::MemoryLeak,
        id: "memory-leak",
        code: "tour::memory_leak",
        describe: "allocated memory can be lost",
        help: "no allocated block is lost when the entry function returns",
        specification: "G valid-memtrack",
        groups: &[Group::MemorySafety],
    },
    About {
        rule: Rule::UninitialisedRead,
        id: "uninitialised-read",
        code: "tour::uninitialised_read",
        describe: "a value can be read before it is set",
        help: "nothing is read before it is set",
        specification: "G valid-deref",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::SignedOverflow,
        id: "signed-overflow",
        code: "tour::signed_overflow",
        describe: "a signed operation can overflow",
        help: "signed arithmetic does not overflow (without this rule it wraps around)",
        specification: "G ! overflow",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::DivisionByZero,
        id: "division-by-zero",
        code: "tour::division_by_zero",
        describe: "a division by zero is possible",
        help: "no integer division by zero",
        specification: "G ! overflow",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::ShiftOutOfRange,
        id: "shift-out-of-range",
        code: "tour::shift_out_of_range",
        describe: "a shift can be out of range",
        help: "shift counts are in range, and left shifts of signed values fit",
        specification: "G ! overflow",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::PointerOverflow,
        id: "pointer-overflow",
        code: "tour::pointer_overflow",
        describe: "pointer arithmetic can leave its object",
        help: "pointer arithmetic stays in its object",
        specification: "G ! overflow",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::MisalignedAccess,
        id: "misaligned-access",
        code: "tour::misaligned_access",
        describe: "an access can be misaligned",
        help: "pointers are aligned as the types of accesses want it",
        specification: "G valid-deref",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::EffectiveType,
        id: "effective-type",
        code: "tour::effective_type",
        describe: "an object can be accessed as one of another type",
        help: "objects are accessed through types that they have (strict aliasing)",
        specification: "G valid-deref",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::ConstWrite,
        id: "const-write",
        code: "tour::const_write",
        describe: "something constant can be written",
        help: "no write to a `const` object or a string literal",
        specification: "G valid-deref",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::OverlappingCopy,
        id: "overlapping-copy",
        code: "tour::overlapping_copy",
        describe: "a copy can overlap what it copies",
        help: "what is copied does not overlap its copy",
        specification: "G valid-deref",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::FloatCastOverflow,
        id: "float-cast-overflow",
        code: "tour::float_cast_overflow",
        describe: "a floating number can be none of the integer type",
        help: "floating numbers fit the integer types that they are converted to",
        specification: "G ! overflow",
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::InvalidBool,
        id: "invalid-bool",
        code: "tour::invalid_bool",
        describe: "a `_Bool` can be neither 0 nor 1",
        help: "a _Bool that is read is 0 or 1",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::Unsequenced,
        id: "unsequenced",
        code: "tour::unsequenced",
        describe: "the order of two effects can be open",
        help: "no object is changed twice, or changed and read, in no order",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::MissingReturn,
        id: "missing-return",
        code: "tour::missing_return",
        describe: "a result can be used that was never returned",
        help: "the result of a function that ends without `return` is not used",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::Unreachable,
        id: "unreachable",
        code: "tour::unreachable",
        describe: "__builtin_unreachable() can be reached",
        help: "__builtin_unreachable() is not reached",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::BitCountOfZero,
        id: "bit-count-of-zero",
        code: "tour::bit_count_of_zero",
        describe: "the bits of zero can be counted",
        help: "no __builtin_clz or __builtin_ctz of zero",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::VlaLength,
        id: "vla-length",
        code: "tour::vla_length",
        describe: "an array of variable length can be empty",
        help: "lengths of arrays are positive",
        specification: REACHABILITY,
        groups: &[Group::UndefinedBehaviour],
    },
    About {
        rule: Rule::BadCast,
        id: "bad-cast",
        code: "tour::bad_cast",
        describe: "a value can be none of its type's",
        help: "enumerations and _Bool hold only values that they have",
        specification: "G ! overflow",
        groups: &[Group::Optional],
    },
    About {
        rule: Rule::UnsignedWrap,
        id: "unsigned-wrap",
        code: "tour::unsigned_wrap",
        describe: "an unsigned operation can wrap around",
        help: "unsigned arithmetic does not wrap around",
        specification: "G ! overflow",
        groups: &[Group::Optional],
    },
    About {
        rule: Rule::MutexMisuse,
        id: "mutex-misuse",
        code: "tour::mutex_misuse",
        describe: "a lock can be released or destroyed wrongly",
        help: "locks are released by the thread that holds them, and not destroyed while held",
        specification: REACHABILITY,
        groups: &[],
    },
    About {
        rule: Rule::DataRace,
        id: "data-race",
        code: "tour::data_race",
        describe: "two threads can access the same memory at the same time",
        help: "no two threads access the same memory at the same time, one of them to write",
        specification: "G ! data-race",
        groups: &[],
    },
    About {
        rule: Rule::Deadlock,
        id: "deadlock",
        code: "tour::deadlock",
        describe: "threads can wait for each other forever",
        help: "threads do not wait for each other forever",
        specification: REACHABILITY,
        groups: &[],
    },
];

/// The names of SV-COMP.
const SV_COMP: [(&str, &[Rule]); 6] = [
    ("valid-deref", &[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree]),
    ("valid-free", &[Rule::DoubleFree, Rule::InvalidFree]),
    ("valid-memtrack", &[Rule::MemoryLeak]),
    (
        "valid-memsafety",
        &[
            Rule::NullDeref,
            Rule::OutOfBounds,
            Rule::UseAfterFree,
            Rule::DoubleFree,
            Rule::InvalidFree,
            Rule::MemoryLeak,
        ],
    ),
    ("no-overflow", &[Rule::SignedOverflow]),
    ("no-data-race", &[Rule::DataRace]),
];

impl Group {
    /// The groups that have a name.
    const NAMED: [(&str, Group); 2] =
        [("memory-safety", Group::MemorySafety), ("undefined-behaviour", Group::UndefinedBehaviour)];
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; RULES.len()] = {
        let mut all = [Rule::UnreachCall; RULES.len()];
        let mut i = 0;
        while i < RULES.len() {
            all[i] = RULES[i].rule;
            i += 1;
        }
        all
    };

    /// What is checked if nothing is said, by SV-COMP's conventions: only what the program says of itself.
    pub const STATED: [Rule; 2] = [Rule::UnreachCall, Rule::Assert];

    fn about(self) -> &'static About {
        // The registry has every rule: a test says so.
        RULES.iter().find(|about| about.rule == self).unwrap_or(&RULES[0])
    }

    /// Stable id, as in `--property`.
    pub fn id(self) -> &'static str {
        self.about().id
    }

    /// The code of its diagnostics.
    pub fn code(self) -> &'static str {
        self.about().code
    }

    /// What a violation means.
    pub fn describe(self) -> &'static str {
        self.about().describe
    }

    /// What holds where nothing violates it, in one line.
    pub fn help(self) -> &'static str {
        self.about().help
    }

    /// The property of SV-COMP that a witness of a violation names.
    pub fn specification(self) -> &'static str {
        self.about().specification
    }

    /// Defined behaviour that some projects forbid: checked only when asked for by name.
    pub fn is_optional(self) -> bool {
        self.about().groups.contains(&Group::Optional)
    }

    /// The rules that a name selects: an id, a group, or a name of SV-COMP.
    pub fn named(name: &str) -> Option<Vec<Rule>> {
        if let Some(about) = RULES.iter().find(|about| about.id == name) {
            return Some(vec![about.rule]);
        }
        if let Some((_, group)) = Group::NAMED.iter().find(|(known, _)| *known == name) {
            let members = RULES.iter().filter(|about| about.groups.contains(group));
            return Some(members.map(|about| about.rule).collect());
        }
        SV_COMP.iter().find(|(known, _)| *known == name).map(|(_, rules)| rules.to_vec())
    }

    /// All names that [`Rule::named`] knows: ids, then groups, then those of SV-COMP.
    pub fn names() -> Vec<&'static str> {
        let groups = Group::NAMED.iter().map(|(name, _)| *name);
        let others = SV_COMP.iter().map(|(name, _)| *name);
        Rule::ALL.into_iter().map(Rule::id).chain(groups).chain(others).collect()
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
            assert_eq!(rule.about().rule, rule);
            assert_eq!(rule.code(), format!("tour::{}", rule.id().replace('-', "_")));
        }
        assert_eq!(Rule::named("valid-memtrack"), Some(vec![Rule::MemoryLeak]));
        assert_eq!(Rule::named("valid-memsafety"), Rule::named("memory-safety"));
        assert_eq!(Rule::named("nonsense"), None);
    }
}
