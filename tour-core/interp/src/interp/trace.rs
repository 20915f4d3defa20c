//! Watching a run.

use tour_ir::cfa::EdgeId;
use tour_ir::program::{FnId, PlaceId, VarId};

/// Is told what a run does.
pub trait Observer {
    /// Whether [`Observer::write`] is to be called.
    const WRITES: bool;

    /// An edge is taken. `depth` counts the calls around it; the entry function has depth 0.
    fn edge(&mut self, edge: EdgeId, depth: u32);

    /// A scalar was written by the last edge.
    fn write(&mut self, write: Write);

    /// Whether [`Observer::accesses`] is to be called.
    const ACCESSES: bool = false;

    /// Whether the run must be the same on all machines: it ends as unsupported where the language leaves open how it goes
    /// on.
    const PORTABLE: bool = false;

    /// All that the last edge read and wrote, in order: its condition was read before the edge was taken.
    fn accesses(&mut self, _: &[Access]) {}
}

/// Something that was read or written. Bytes of memory, variables without an address and the lives of objects are all
/// cells with numbers of their own; see [`Cells`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// These cells were read.
    Read(Cells),
    /// These were written, with what was read since the last write.
    Write(Cells),
    /// As many cells were copied, one by one.
    Copy {
        /// To these.
        to: Cells,
        /// From the cells that begin here.
        from: u64,
    },
}

/// Neighbouring cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cells {
    /// The first.
    pub start: u64,
    /// How many.
    pub count: u64,
}

impl Cells {
    /// Bytes of memory: the cells are their addresses.
    pub(super) fn bytes(start: u64, count: u64) -> Cells {
        Cells { start, count }
    }

    /// A variable that has no address.
    pub(super) fn slot(slot: usize) -> Cells {
        Cells { start: 1 << 62 | slot as u64, count: 1 }
    }

    /// Whether an object is alive.
    pub(super) fn life(object: u32) -> Cells {
        Cells { start: 1 << 63 | u64::from(object), count: 1 }
    }

    /// Does a cell belong to them?
    pub fn contains(self, cell: u64) -> bool {
        cell.wrapping_sub(self.start) < self.count
    }
}

/// A written scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// Where to.
    pub dest: Dest,
    /// Its bit pattern; the address, for a pointer.
    pub bits: u128,
    /// What a pointer points to.
    pub target: Option<Target>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dest {
    /// The place of an operation.
    Place(PlaceId),
    /// A parameter, by a call.
    Var(VarId),
}

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A byte of a variable.
    Var(VarId, i64),
    /// A byte of the n-th block that was allocated.
    Block(u64, i64),
    /// A function.
    Function(FnId),
}

/// Records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    const WRITES: bool = false;

    fn edge(&mut self, _: EdgeId, _: u32) {}

    fn write(&mut self, _: Write) {}
}

/// Records all edges and writes.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The edges, in order.
    pub steps: Vec<TraceStep>,
    writes: Vec<Write>,
}

/// One edge of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The edge.
    pub edge: EdgeId,
    /// How many calls are around it.
    pub depth: u32,
    first_write: u32,
}

impl Trace {
    /// What the `i`-th step wrote.
    pub fn writes(&self, i: usize) -> &[Write] {
        let start = self.steps[i].first_write as usize;
        let end = self.steps.get(i + 1).map_or(self.writes.len(), |s| s.first_write as usize);
        &self.writes[start..end]
    }
}

impl Observer for Trace {
    const WRITES: bool = true;

    fn edge(&mut self, edge: EdgeId, depth: u32) {
        self.steps.push(TraceStep { edge, depth, first_write: self.writes.len() as u32 });
    }

    fn write(&mut self, write: Write) {
        self.writes.push(write);
    }
}
