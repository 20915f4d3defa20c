//! Distances: numbers of weighted edges, or infinity.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Add;

/// A distance. Sums saturate: what is infinitely far stays so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dist(u32);

impl Dist {
    /// No distance at all.
    pub const ZERO: Dist = Dist(0);
    /// No path leads there.
    pub const INFINITE: Dist = Dist(u32::MAX);

    /// A finite distance.
    pub fn new(steps: u32) -> Dist {
        Dist(steps.min(u32::MAX - 1))
    }

    /// A path leads there.
    pub fn is_finite(self) -> bool {
        self != Dist::INFINITE
    }

    /// The number; `None` if it is infinite.
    pub fn steps(self) -> Option<u32> {
        self.is_finite().then_some(self.0)
    }
}

impl Default for Dist {
    fn default() -> Dist {
        Dist::INFINITE
    }
}

impl Add for Dist {
    type Output = Dist;

    fn add(self, other: Dist) -> Dist {
        match (self.steps(), other.steps()) {
            (Some(a), Some(b)) => Dist::new(a.saturating_add(b)),
            _ => Dist::INFINITE,
        }
    }
}

impl Add<u32> for Dist {
    type Output = Dist;

    fn add(self, steps: u32) -> Dist {
        self + Dist::new(steps)
    }
}

impl fmt::Display for Dist {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.steps() {
            Some(n) => n.fmt(f),
            None => f.write_str("∞"),
        }
    }
}

impl fmt::Debug for Dist {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A number, or `null` for infinity.
impl Serialize for Dist {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.steps().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate() {
        let far = Dist::new(u32::MAX);
        assert_eq!((far + far).steps(), Some(u32::MAX - 1));
        assert_eq!(Dist::INFINITE + 1, Dist::INFINITE);
        assert_eq!(Dist::new(2) + Dist::new(3), Dist::new(5));
        assert!(far < Dist::INFINITE);
        assert_eq!(serde_json::to_string(&[Dist::ZERO, Dist::INFINITE]).unwrap(), "[0,null]");
    }
}
