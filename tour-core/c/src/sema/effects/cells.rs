//! What code accesses, and what it does besides.

use rustc_hash::FxHashSet;
use std::rc::Rc;
use tour_ir::program::VarId;

/// What an access concerns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// A variable with static storage, by its name; one of a function, by the names of both.
    Static(Rc<str>),
    /// A variable of the function that is lowered, and whether the address of one of its name is taken.
    Local(VarId, bool),
    /// What a pointer points to.
    Pointed,
}

impl Root {
    pub(crate) fn name(&self) -> Option<&Rc<str>> {
        match self {
            Root::Static(name) => Some(name),
            Root::Local(..) | Root::Pointed => None,
        }
    }
}

/// The variable of the library that `errno` is: see `lib/errno.c`.
pub(super) const ERRNO: &str = "__errno_number";
/// The function that gives its address.
pub(super) const ERRNO_AT: &str = "__errno_location";

/// What is accessed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) root: Root,
    /// It is a variable that is no scalar: pointers may point into it.
    pub(crate) aggregate: bool,
    /// It may have members.
    pub(crate) record: bool,
    /// It is just this member, a scalar.
    pub(crate) member: Option<Rc<str>>,
}

impl Cell {
    pub(crate) const POINTED: Cell =
        Cell { root: Root::Pointed, aggregate: true, record: true, member: None };

    /// It is a scalar variable, and all of it.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self.root, Root::Pointed) && !self.aggregate && self.member.is_none()
    }
}

/// What code reads, writes and calls.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effects {
    pub(crate) reads: FxHashSet<Cell>,
    pub(crate) writes: FxHashSet<Cell>,
    /// Functions that it calls by their names.
    pub(super) calls: FxHashSet<Rc<str>>,
    /// It calls what pointers point to.
    pub(super) indirect: bool,
    /// It may end the run.
    pub(crate) ends: bool,
    /// It may violate something.
    pub(crate) fails: bool,
    /// It accesses something atomically.
    pub(crate) atomic: bool,
}

impl Effects {
    pub(super) fn add(&mut self, other: &Effects) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
        self.ends |= other.ends;
        self.fails |= other.fails;
        self.atomic |= other.atomic;
    }

    pub(super) fn pointed(reads: bool, writes: bool) -> Effects {
        let mut effects = Effects { fails: true, ..Effects::default() };
        if reads {
            effects.reads.insert(Cell::POINTED);
        }
        if writes {
            effects.writes.insert(Cell::POINTED);
        }
        effects
    }

    /// It calls something.
    pub(crate) fn has_calls(&self) -> bool {
        self.indirect || !self.calls.is_empty()
    }
}

/// Between the name of a function and that of a variable in it.
pub(super) const STATIC_OF: &str = "::";

/// A variable with static storage, by its name and that of the function that it is in.
pub(crate) fn static_root(name: &str, function: Option<&str>) -> Root {
    Root::Static(match function {
        Some(function) => format!("{function}{STATIC_OF}{name}").into(),
        None => name.into(),
    })
}
