//! Blocks, and where the lives of their variables end.
//!
//! Every location stands in the block that lowering was in when it went on from there. An edge from one block to
//! another leaves some blocks and enters others, whatever statement made it: the end of a block, `break`, `goto`. The
//! variables of those that it leaves end their lives after it, if a pointer can tell (C11 6.2.4). An edge that jumps
//! into the middle of a block begins the lives of its variables, for it misses their declarations.

use super::graph::Point;
use tour_ir::program::{Op, Program, VarId};

/// The block of a function's parameters.
const FRAME: usize = 0;
/// The outermost block of a function's body: its variables live as long as the frame.
const BODY: usize = 1;

#[derive(Debug)]
struct Block {
    parent: usize,
    /// Where it begins.
    head: Point,
    vars: Vec<VarId>,
}

/// The blocks of a function.
#[derive(Debug)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// The innermost one.
    current: usize,
    /// The block of each location that something goes on from.
    of: Vec<Option<usize>>,
}

impl Blocks {
    pub fn new(entry: Point) -> Blocks {
        let frame = Block { parent: FRAME, head: entry, vars: Vec::new() };
        Blocks { blocks: vec![frame], current: FRAME, of: Vec::new() }
    }

    /// A block begins at a location.
    pub fn enter(&mut self, head: Point) {
        self.blocks.push(Block { parent: self.current, head, vars: Vec::new() });
        self.current = self.blocks.len() - 1;
    }

    /// The innermost block ends.
    pub fn leave(&mut self) {
        self.current = self.blocks[self.current].parent;
    }

    /// The innermost block declares a variable.
    pub fn declare(&mut self, var: VarId) {
        self.blocks[self.current].vars.push(var);
    }

    /// Some block declares the variable.
    pub fn declares(&self, var: VarId) -> bool {
        self.blocks.iter().any(|block| block.vars.contains(&var))
    }

    /// Lowering goes on from a location.
    pub fn stand(&mut self, point: Point) {
        self.set(point, Some(self.current));
    }

    /// A location stands where another one does.
    pub fn stand_with(&mut self, point: Point, other: Point) {
        self.set(point, self.block(other));
    }

    fn set(&mut self, point: Point, block: Option<usize>) {
        if self.of.len() <= point {
            self.of.resize(point + 1, None);
        }
        self.of[point] = block;
    }

    fn block(&self, point: Point) -> Option<usize> {
        self.of.get(point).copied().flatten()
    }

    /// The innermost block has variables whose lives end with it.
    pub fn ends_lives(&self, program: &Program) -> bool {
        self.mortals(self.current, program).next().is_some()
    }

    /// The variables of a block whose lives end with it, as far as a pointer can tell.
    fn mortals(&self, block: usize, program: &Program) -> impl Iterator<Item = VarId> {
        let vars: &[VarId] = if block <= BODY { &[] } else { &self.blocks[block].vars };
        vars.iter().copied().filter(|var| program.vars[*var].address_taken)
    }

    /// What happens to variables after an edge from one location to another.
    pub fn crossing(&self, from: Point, to: Point, program: &Program) -> Vec<Op> {
        let (Some(mut a), Some(mut b)) = (self.block(from), self.block(to)) else { return Vec::new() };
        let (mut ends, mut begins) = (Vec::new(), Vec::new());
        // Blocks are numbered after those around them.
        while a != b {
            if a > b {
                ends.extend(self.mortals(a, program).map(Op::Expire));
                a = self.blocks[a].parent;
            } else {
                if self.blocks[b].head != to {
                    begins.extend(self.mortals(b, program).map(Op::Declare));
                }
                b = self.blocks[b].parent;
            }
        }
        ends.extend(begins);
        ends
    }
}
