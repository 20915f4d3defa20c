//! Which Z3 is linked, and what it is not asked because it is too old.

use crate::smt::Unknown;
use std::fmt;

/// A version of Z3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Something that is asked only of a Z3 that does it right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// Projection of arrays, which interpolants of arrays need, too. Z3 4.8.12 and 4.12.6 end the process if an array is read at
    /// two places, 4.13.3 fails; 4.14.1, 4.15.4 and all later ones that were tried project 200 random formulas soundly.
    ArrayProjection,
}

impl Ability {
    /// All.
    pub const ALL: [Ability; 1] = [Ability::ArrayProjection];

    /// The first version that is trusted with it.
    pub fn since(self) -> Version {
        match self {
            Ability::ArrayProjection => Version(4, 14, 1),
        }
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Ability::ArrayProjection => "interpolants and projections of arrays",
        }
    }

    /// Whether a version is asked for it.
    pub fn is_in(self, version: Version) -> bool {
        version >= self.since()
    }

    /// Nothing, or why this Z3 is not asked.
    pub fn check(self) -> Result<(), Unknown> {
        self.check_in(linked())
    }

    fn check_in(self, version: Version) -> Result<(), Unknown> {
        match self.is_in(version) {
            true => Ok(()),
            false => Err(Unknown::Incomplete(format!(
                "Z3 {version} is not asked for {}, which it gets wrong; {} is",
                self.describe(),
                self.since()
            ))),
        }
    }
}

/// The version of the library that is linked.
pub fn linked() -> Version {
    let (mut major, mut minor, mut patch, mut revision) = (0, 0, 0, 0);
    // SAFETY: the library writes four numbers.
    unsafe { z3_sys::Z3_get_version(&mut major, &mut minor, &mut patch, &mut revision) };
    Version(major, minor, patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_not_asked() {
        let ability = Ability::ArrayProjection;
        for old in [Version(4, 8, 12), Version(4, 12, 6), Version(4, 13, 3)] {
            let why = ability.check_in(old).expect_err("too old").to_string();
            let want = format!(
                "the solver can't decide the query: Z3 {old} is not asked for interpolants and projections of arrays, which it \
                 gets wrong; 4.14.1 is"
            );
            assert_eq!(why, want);
        }
        for new in [Version(4, 14, 1), Version(4, 15, 4), Version(5, 4, 0)] {
            assert_eq!(ability.check_in(new), Ok(()));
        }
    }

    #[test]
    fn the_version_is_that_of_the_library() {
        let text = crate::smt::Z3::version();
        assert!(
            text.starts_with(&format!("Z3 {}", linked())) || text.contains(&linked().to_string()),
            "{text}"
        );
    }
}
