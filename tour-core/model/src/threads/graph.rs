//! Where threads can get to: the locations of all threads as one graph, through calls and returns, numbered by strongly
//! connected components (Tarjan's algorithm; [COI §3.4.2]). If `scc(a) < scc(b)`, no run gets from `a` to `b`.

use super::footprint::{Bits, Footprint, Footprints, Shared};
use super::{builtin_of, visible};
use crate::block::{Step, Visible};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use tour_ir::cfa::{EdgeId, Graph, LocId};
use tour_ir::program::{Builtin, Call, Callee, Op, Program, ThreadId};

/// A step of some thread, wherever it is called from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// What happens.
    pub step: Step,
    /// Where it begins.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
}

/// The graph of all threads.
pub struct ThreadGraph {
    /// Steps from each location.
    pub out: IndexVec<LocId, Vec<Action>>,
    /// Numbers of strongly connected components, in reversed topological order.
    scc: IndexVec<LocId, u32>,
    /// All that can still happen from the locations of a component, by the same thread and those that it starts.
    future: Vec<Rc<Footprint>>,
    /// Where each thread is started.
    pub started_at: IndexVec<ThreadId, Vec<LocId>>,
    /// Where steps concern other threads.
    pub visible: Rc<Visible>,
    /// Locations that may lie in an atomic section.
    pub atomic: FxHashSet<LocId>,
    /// What threads share: more than one accesses it, and one writes.
    pub shared: Bits,
}

/// The thread that runs a location.
pub fn thread_at(program: &Program, loc: LocId) -> ThreadId {
    program.threads.of[program.cfa.locs[loc].function]
}

/// The thread that an operation of control is about.
pub fn about(program: &Program, edge: EdgeId, argument: usize) -> Option<ThreadId> {
    let Op::Call(call) = &program.cfa.edges[edge].op else { return None };
    let number = program.const_value(*call.args.get(argument)?)? as u32;
    let thread = ThreadId::new(number.try_into().ok()?);
    (thread.index() < program.threads.all.len()).then_some(thread)
}

impl ThreadGraph {
    /// The graph of a program with threads.
    pub fn of(program: &Program, prints: &mut Footprints) -> ThreadGraph {
        let cfa = &program.cfa;
        let mut out: IndexVec<LocId, Vec<Action>> = cfa.locs.iter().map(|_| Vec::new()).collect();
        let mut started_at: IndexVec<ThreadId, Vec<LocId>> =
            program.threads.all.iter().map(|_| Vec::new()).collect();
        // Edges to the beginning of threads count for what can happen, not as steps.
        let mut spawns: IndexVec<LocId, Vec<LocId>> = cfa.locs.iter().map(|_| Vec::new()).collect();
        for (id, edge) in cfa.edges.iter_enumerated() {
            let from = edge.from;
            match &edge.op {
                Op::Call(Call { callee: Callee::Direct(f), .. }) => match program.functions[*f].body {
                    Some(body) => {
                        let step = Step::Enter { call: id, callee: *f, guard: None };
                        out[from].push(Action { step, from, to: body.entry });
                        let step = Step::Leave { call: id, callee: *f };
                        out[body.exit].push(Action { step, from: body.exit, to: edge.to });
                    }
                    None => {
                        let to = match program.functions[*f].builtin {
                            Some(Builtin::ThreadExit) => {
                                let root = program.threads.all[thread_at(program, from)].root;
                                program.functions[root].body.map_or(edge.to, |body| body.exit)
                            }
                            _ => edge.to,
                        };
                        out[from].push(Action { step: Step::Edge(id), from, to });
                        if builtin_of(program, &edge.op) == Some(Builtin::ThreadStart)
                            && let Some(thread) = about(program, id, 0)
                        {
                            started_at[thread].push(from);
                            if let Some(body) = program.functions[program.threads.all[thread].root].body {
                                spawns[from].push(body.entry);
                            }
                        }
                    }
                },
                _ => out[from].push(Action { step: Step::Edge(id), from, to: edge.to }),
            }
        }
        let edges: Vec<(u32, u32)> = (cfa.locs.indices())
            .flat_map(|loc| {
                out[loc].iter().map(|a| a.to).chain(spawns[loc].iter().copied()).map(move |to| (loc, to))
            })
            .map(|(from, to)| (from.index() as u32, to.index() as u32))
            .collect();
        // Components come after those that they lead to.
        let components = Graph::new(cfa.locs.len(), &edges).components();
        let mut scc: IndexVec<LocId, u32> = index_vec::index_vec![0; cfa.locs.len()];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|&loc| scc[LocId::new(loc as usize)] = number as u32);
        }
        let mut future = vec![Footprint::default(); components.len()];
        for (number, members) in components.iter().enumerate() {
            let mut all = Footprint::default();
            for loc in members.iter().map(|&loc| LocId::new(loc as usize)) {
                for action in &out[loc] {
                    all.add(&prints.of(action.step));
                    all.add(&future[scc[action.to] as usize]);
                }
                for &entry in &spawns[loc] {
                    all.add(&future[scc[entry] as usize]);
                }
                // A thread that can go on will end.
                let thread = thread_at(program, loc);
                all.writes.insert(prints.number(Shared::Ended(thread)));
            }
            future[number] = all;
        }
        let atomic = visible::atomic_locations(program, &out);
        let shared = visible::shared(program, prints, &out);
        let visible = Rc::new(visible::visible(program, prints, &out, &atomic, &shared));
        let future = future.into_iter().map(Rc::new).collect();
        ThreadGraph { out, scc, future, started_at, visible, atomic, shared }
    }

    /// A run may get from one location to another (of the same thread).
    pub fn may_reach(&self, from: LocId, to: LocId) -> bool {
        self.scc[from] >= self.scc[to]
    }

    /// The number of a location's component: all that is asked about where threads can get to depends on it alone.
    pub fn component(&self, loc: LocId) -> u32 {
        self.scc[loc]
    }

    /// What can still happen from a location.
    pub fn future(&self, loc: LocId) -> &Rc<Footprint> {
        &self.future[self.scc[loc] as usize]
    }
}
