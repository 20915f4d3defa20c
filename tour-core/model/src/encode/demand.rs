//! What a step demands to be as it is encoded, and what to tell the user where it may not hold.

use tour_ir::program::Unsupported;
use tour_logic::term::TermId;

/// What must hold of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Demand {
    /// An access is inside of a live object.
    Inside,
    /// What is written is not the object of an input while another input may point to it.
    Own,
    /// What is written is no string literal, and no static variable that is `const`.
    Variable,
    /// What is freed is null or the start of a live block of the program's own.
    Freeable,
    /// What is copied by `memcpy` does not overlap.
    Apart,
    /// The size of an object is one that an object can have.
    Size,
    /// Whether two pointers are equal follows from the objects that they point into.
    Comparable,
    /// Pointers that are compared by their order, or subtracted, point into one object.
    Related,
    /// An integer that is used as a pointer is that of an object, or next to zero.
    Address,
    /// Something is known of a pointer that is looked at.
    Known,
    /// A call that makes one block is executed once.
    Once,
    /// A float that is converted to an integer fits it.
    Fits,
}

/// Something that must hold of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// What.
    pub claim: TermId,
    /// Of which kind it is.
    pub demand: Demand,
}

impl Demand {
    const ALL: [Demand; 12] = [
        Demand::Inside,
        Demand::Own,
        Demand::Variable,
        Demand::Freeable,
        Demand::Apart,
        Demand::Size,
        Demand::Comparable,
        Demand::Related,
        Demand::Address,
        Demand::Known,
        Demand::Once,
        Demand::Fits,
    ];

    /// Stable, for statistics: what is not modelled.
    fn kind(self) -> &'static str {
        match self {
            Demand::Inside => "out-of-bounds",
            Demand::Own => "aliasing-inputs",
            Demand::Variable => "constant-write",
            Demand::Freeable => "free",
            Demand::Apart => "overlap",
            Demand::Size => "object-size",
            Demand::Comparable => "pointer-comparison",
            Demand::Related => "pointer-order",
            Demand::Address => "integer-to-pointer",
            Demand::Known => "unknown-pointer",
            Demand::Once => "allocation",
            Demand::Fits => "float-to-integer",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Demand::Inside => "an access that may be outside of its object",
            Demand::Own => {
                "a write through a pointer that is an input, where another input may point to the same object"
            }
            Demand::Variable => "a write to what may be a string literal or a constant",
            Demand::Freeable => "`free` or `realloc` of what may be no live block, or an input's",
            Demand::Apart => "`memcpy` of blocks that may overlap",
            Demand::Size => "an object that may be larger than any can be",
            Demand::Comparable => {
                "a comparison of pointers one of which may be dangling, one past the end, never set, or an input, or that \
                 may point into two string literals with the same bytes"
            }
            Demand::Related => "`<` or `-` of pointers that may belong to different objects",
            Demand::Address => "an integer as a pointer, where it may be the address of any object",
            Demand::Known => "a pointer that may never have been set",
            Demand::Once => "a second block where one was expected",
            Demand::Fits => "a floating number that may not fit the integer type that it is converted to",
        }
    }

    /// What the user can do.
    fn advice(self) -> &'static str {
        match self {
            Demand::Inside => {
                "check `--property memory-safety` to see whether a run gets there, or assume what keeps it inside"
            }
            Demand::Own | Demand::Freeable => {
                "let the entry make the objects that its inputs point to, as variables of its own"
            }
            Demand::Variable => "check what the pointer can point to; C leaves such a write undefined",
            Demand::Apart => "use `memmove`, or assume that they are apart",
            Demand::Size => "assume a bound of the size",
            Demand::Comparable => {
                "check `--property use-after-free` and `uninitialised-read`, or assume which objects they point to"
            }
            Demand::Related => "check `--property pointer-overflow`; C leaves it undefined",
            Demand::Address => "keep it in a pointer, or in a local integer variable that it is assigned to",
            Demand::Known => "check `--property uninitialised-read`",
            Demand::Fits => "check the number before it is converted; C leaves it undefined otherwise",
            Demand::Once => "tour gives no verdict rather than a wrong one",
        }
    }
}

/// What the user can do about something that is not modelled, by its kind.
pub fn advice(kind: &str) -> Option<&'static str> {
    Demand::ALL.into_iter().find(|demand| demand.kind() == kind).map(Demand::advice)
}

/// What is told where one of these may not hold: the first kind, and all of them in words.
pub fn broken(obligations: &[Obligation]) -> Unsupported {
    let mut demands: Vec<Demand> = obligations.iter().map(|obligation| obligation.demand).collect();
    demands.sort_unstable();
    demands.dedup();
    let words: Vec<&str> = demands.iter().map(|demand| demand.message()).collect();
    Unsupported {
        kind: demands.first().map_or("memory", |demand| demand.kind()),
        message: words.join(", or "),
    }
}
