//! Which edges are taken at most once in a run: an object that such an edge makes is the only one of its kind.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tour_ir::cfa::{CallGraph, EdgeId, Loops};
use tour_ir::program::{Callee, FnId, Op, Program};

pub(super) struct Once<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    loops: &'a Loops,
    /// The edges that call each function by its name.
    callers: IndexVec<FnId, Vec<EdgeId>>,
    /// Functions that are called at most once.
    functions: FxHashMap<FnId, bool>,
}

impl<'a> Once<'a> {
    pub fn new(program: &'a Program, calls: &'a CallGraph, loops: &'a Loops) -> Once<'a> {
        let mut callers: IndexVec<FnId, Vec<EdgeId>> = program.functions.iter().map(|_| Vec::new()).collect();
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if let Op::Call(call) = &edge.op
                && let Callee::Direct(f) = call.callee
            {
                callers[f].push(id);
            }
        }
        Once { program, calls, loops, callers, functions: FxHashMap::default() }
    }

    /// It lies in no loop, in a function that is called at most once.
    pub fn is_taken_once(&mut self, edge: EdgeId) -> bool {
        let from = self.program.cfa.edges[edge].from;
        self.loops.innermost(from).is_none() && self.is_called_once(self.program.cfa.locs[from].function)
    }

    /// Goes up the calls as long as there is one only: a chain, which ends as no function in it is recursive.
    fn is_called_once(&mut self, function: FnId) -> bool {
        let mut f = function;
        let once = loop {
            if let Some(&known) = self.functions.get(&f) {
                break known;
            }
            if self.calls.is_recursive(f) || self.calls.is_address_taken(f) {
                break false;
            }
            match self.callers[f][..] {
                [] => break f == self.program.entry,
                [site] if f != self.program.entry => {
                    let from = self.program.cfa.edges[site].from;
                    if self.loops.innermost(from).is_some() {
                        break false;
                    }
                    f = self.program.cfa.locs[from].function;
                }
                _ => break false,
            }
        };
        self.functions.insert(function, once);
        once
    }
}
