//! Who is called where: call sites by callee, for walks against the direction of control flow.
//!
//! Pointers of one type share the functions that they may point to. Such a set takes part as one more callee, so that
//! the index stays linear in the program.

use index_vec::IndexVec;
use smallvec::SmallVec;
use tour_ir::cfa::{CallGraph, EdgeId, Targets};
use tour_ir::program::{FnId, Op, Program};

index_vec::define_index_type! {
    /// A function, or a set of functions that pointers of one type may point to.
    pub struct Callee = u32;
    DEBUG_FORMAT = "callee{}";
}

/// Call sites of functions with a body.
#[derive(Clone, Debug)]
pub struct Callers {
    /// Whom an edge calls; `None` if it is no call, or one of a function without a body.
    calls: IndexVec<EdgeId, Option<Callee>>,
    sites: IndexVec<Callee, Vec<EdgeId>>,
    /// The callees that may be a function: itself, and sets.
    callees: IndexVec<FnId, SmallVec<[Callee; 2]>>,
}

impl Callers {
    /// Those of a program.
    pub fn of(program: &Program, graph: &CallGraph) -> Callers {
        let functions = program.functions.len();
        let set = |i: usize| Callee::new(functions + i);
        let mut callees: IndexVec<FnId, SmallVec<[Callee; 2]>> =
            (0..functions).map(|f| SmallVec::from_slice(&[Callee::new(f)])).collect();
        for (i, members) in graph.candidates().iter().enumerate() {
            members.iter().for_each(|&f| callees[f].push(set(i)));
        }
        let mut sites: IndexVec<Callee, Vec<EdgeId>> =
            (0..functions + graph.candidates().len()).map(|_| Vec::new()).collect();
        let mut called = |id: EdgeId, op: &Op| {
            let Op::Call(call) = op else { return None };
            let callee = match graph.targets(program, call) {
                Targets::Direct(f) => program.functions[f].body.map(|_| Callee::new(f.index()))?,
                Targets::Indirect(i, _) => set(i),
            };
            sites[callee].push(id);
            Some(callee)
        };
        let calls = program.cfa.edges.iter_enumerated().map(|(id, edge)| called(id, &edge.op)).collect();
        Callers { calls, sites, callees }
    }

    /// Whom an edge calls.
    pub fn callee(&self, edge: EdgeId) -> Option<Callee> {
        self.calls[edge]
    }

    /// Where a callee is called.
    pub fn sites(&self, callee: Callee) -> &[EdgeId] {
        &self.sites[callee]
    }

    /// The callees that may be a function.
    pub fn callees(&self, function: FnId) -> &[Callee] {
        &self.callees[function]
    }

    /// How many callees there are.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// There is no function.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }
}
