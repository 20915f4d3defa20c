//! The program as one graph: automata of called functions unfolded at their call sites, on demand.
//!
//! A node is a location under a call stack. Calls become two steps, *enter* and *leave*, so that a path through the
//! unfolding is a run of the program. Without recursion the graph is finite; with recursion it is infinite and only
//! what is asked for is made.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, LocKind, Targets};
use tour_ir::program::{Builtin, Callee, ExprId, FnId, Op, Program, ThreadId};

index_vec::define_index_type! {
    /// A location under a call stack.
    pub struct NodeId = u32;
    DEBUG_FORMAT = "n{}";
}
index_vec::define_index_type! {
    /// A call stack.
    pub struct StackId = u32;
    DEBUG_FORMAT = "stack{}";
}

/// A call stack: its top frame, and the rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The stack below and the call edge; `None` for the entry function.
    pub caller: Option<(StackId, EdgeId)>,
    /// The function of this frame.
    pub function: FnId,
    /// How many frames of the same function lie below: it tells apart the variables of a recursive function.
    pub instance: u32,
    /// Number of frames below.
    pub depth: u32,
}

/// A location under a call stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The call stack.
    pub stack: StackId,
    /// The location.
    pub loc: LocId,
    /// How many atomic sections are open.
    pub atomic: u8,
}

/// What happens between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    /// The operation of an edge (no call of a function with a body).
    Edge(EdgeId),
    /// Call: parameters get their arguments. With a guard, only if that function pointer points to the callee.
    Enter {
        /// The call edge.
        call: EdgeId,
        /// Whom it calls.
        callee: FnId,
        /// The function pointer of an indirect call.
        guard: Option<ExprId>,
    },
    /// Return: the destination gets the returned value.
    Leave {
        /// The call edge.
        call: EdgeId,
        /// Who returns.
        callee: FnId,
    },
    /// An indirect call whose pointer points to none of the functions it could point to.
    BadCall(EdgeId),
}

impl Step {
    /// The edge it belongs to.
    pub fn edge(self) -> EdgeId {
        match self {
            Step::Edge(e) | Step::Enter { call: e, .. } | Step::Leave { call: e, .. } | Step::BadCall(e) => e,
        }
    }
}

/// A step and where it leads; `None` for a bad call, after which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// What happens.
    pub step: Step,
    /// Where it leads.
    pub to: Option<NodeId>,
}

/// The unfolded program.
pub struct Unfolding<'p> {
    program: &'p Program,
    /// Functions that an indirect call of a type may reach, by call edge.
    targets: FxHashMap<EdgeId, Vec<FnId>>,
    frames: IndexVec<StackId, Frame>,
    frame_ids: FxHashMap<(StackId, EdgeId, FnId), StackId>,
    /// Stacks with nothing below a function's frame.
    roots: FxHashMap<FnId, StackId>,
    nodes: IndexVec<NodeId, Node>,
    node_ids: FxHashMap<Node, NodeId>,
    successors: IndexVec<NodeId, Option<Box<[Transition]>>>,
}

impl<'p> Unfolding<'p> {
    /// The unfolding of a program. The call graph tells which functions an indirect call may reach.
    pub fn new(program: &'p Program, calls: &CallGraph) -> Unfolding<'p> {
        let mut targets = FxHashMap::default();
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if let Op::Call(call) = &edge.op
                && let Targets::Indirect(_, functions) = calls.targets(program, call)
            {
                // A function without a body is a bad call: nothing is known of what it does.
                let bodies = functions.iter().copied().filter(|f| program.functions[*f].body.is_some());
                targets.insert(id, bodies.collect::<Vec<_>>());
            }
        }
        let mut frames = IndexVec::new();
        frames.push(Frame { caller: None, function: program.entry, instance: 0, depth: 0 });
        for thread in program.threads.all.iter().skip(1) {
            frames.push(Frame { caller: None, function: thread.root, instance: 0, depth: 0 });
        }
        Unfolding {
            program,
            targets,
            frames,
            frame_ids: FxHashMap::default(),
            roots: FxHashMap::default(),
            nodes: IndexVec::new(),
            node_ids: FxHashMap::default(),
            successors: IndexVec::new(),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Where the program begins; `None` if the entry function has no body.
    pub fn start(&mut self) -> Option<NodeId> {
        let body = self.program.functions[self.program.entry].body?;
        Some(self.node(Node { stack: StackId::new(0), loc: body.entry, atomic: 0 }))
    }

    /// Where a thread begins, and where it ends.
    pub fn ends_of(&mut self, thread: ThreadId) -> Option<(NodeId, NodeId)> {
        let body = self.program.functions[self.program.threads.all.get(thread)?.root].body?;
        let stack = StackId::new(thread.index());
        let begin = self.node(Node { stack, loc: body.entry, atomic: 0 });
        Some((begin, self.node(Node { stack, loc: body.exit, atomic: 0 })))
    }

    /// The location and stack of a node.
    pub fn get(&self, node: NodeId) -> Node {
        self.nodes[node]
    }

    /// The location of a node.
    pub fn loc(&self, node: NodeId) -> LocId {
        self.nodes[node].loc
    }

    /// The top frame of a node's stack.
    pub fn frame(&self, node: NodeId) -> Frame {
        self.frames[self.nodes[node].stack]
    }

    /// The frame of a stack.
    pub fn frame_of(&self, stack: StackId) -> Frame {
        self.frames[stack]
    }

    /// The stack that has one frame only, of a function that somebody calls: nothing is known of the caller.
    pub fn root(&mut self, function: FnId) -> StackId {
        *self
            .roots
            .entry(function)
            .or_insert_with(|| self.frames.push(Frame { caller: None, function, instance: 0, depth: 0 }))
    }

    /// A location under a call stack.
    pub fn at(&mut self, stack: StackId, loc: LocId) -> NodeId {
        self.node(Node { stack, loc, atomic: 0 })
    }

    fn node(&mut self, node: Node) -> NodeId {
        *self.node_ids.entry(node).or_insert_with(|| {
            self.successors.push(None);
            self.nodes.push(node)
        })
    }

    /// The stack after a call.
    pub fn enter(&mut self, stack: StackId, call: EdgeId, callee: FnId) -> StackId {
        if let Some(&id) = self.frame_ids.get(&(stack, call, callee)) {
            return id;
        }
        let mut instance = 0;
        let mut below = Some(stack);
        while let Some(s) = below {
            let frame = self.frames[s];
            if frame.function == callee {
                instance = frame.instance + 1;
                break;
            }
            below = frame.caller.map(|c| c.0);
        }
        let depth = self.frames[stack].depth + 1;
        let id = self.frames.push(Frame { caller: Some((stack, call)), function: callee, instance, depth });
        self.frame_ids.insert((stack, call, callee), id);
        id
    }

    /// Where the thread of a stack ends.
    fn end_of_stack(&self, mut stack: StackId) -> Option<Node> {
        while let Some((below, _)) = self.frames[stack].caller {
            stack = below;
        }
        let body = self.program.functions[self.frames[stack].function].body?;
        Some(Node { stack, loc: body.exit, atomic: 0 })
    }

    /// The functions that an indirect call may reach.
    pub fn targets(&self, call: EdgeId) -> &[FnId] {
        self.targets.get(&call).map(Vec::as_slice).unwrap_or_default()
    }

    /// Which frame of the callee a call from `node` opens.
    pub fn instance_of_callee(&mut self, node: NodeId, call: EdgeId, callee: FnId) -> u32 {
        let stack = self.nodes[node].stack;
        let inner = self.enter(stack, call, callee);
        self.frames[inner].instance
    }

    /// The transitions that leave a node. At the exit of the entry function, and at error and end locations, there
    /// are none.
    pub fn successors(&mut self, node: NodeId) -> &[Transition] {
        if self.successors[node].is_none() {
            let transitions = self.expand(node);
            self.successors[node] = Some(transitions.into_boxed_slice());
        }
        self.successors[node].as_deref().unwrap_or_default()
    }

    fn expand(&mut self, node: NodeId) -> Vec<Transition> {
        let program = self.program;
        let Node { stack, loc, atomic } = self.nodes[node];
        let mut out = Vec::new();
        if program.cfa.locs[loc].kind == LocKind::Exit {
            let frame = self.frames[stack];
            if let Some((below, call)) = frame.caller {
                let to = self.node(Node { stack: below, loc: program.cfa.edges[call].to, atomic });
                out.push(Transition { step: Step::Leave { call, callee: frame.function }, to: Some(to) });
            }
            return out;
        }
        for (id, edge) in program.cfa.successors(loc) {
            match &edge.op {
                Op::Call(call) => match call.callee {
                    Callee::Direct(f) => match program.functions[f].body {
                        Some(body) => {
                            let inner = self.enter(stack, id, f);
                            let to = self.node(Node { stack: inner, loc: body.entry, atomic });
                            out.push(Transition {
                                step: Step::Enter { call: id, callee: f, guard: None },
                                to: Some(to),
                            });
                        }
                        None => {
                            let here = Node { stack, loc: edge.to, atomic };
                            let to = match program.functions[f].builtin {
                                Some(Builtin::AtomicBegin) => {
                                    Node { atomic: atomic.saturating_add(1), ..here }
                                }
                                Some(Builtin::AtomicEnd) => Node { atomic: atomic.saturating_sub(1), ..here },
                                Some(Builtin::ThreadExit) => self.end_of_stack(stack).unwrap_or(here),
                                _ => here,
                            };
                            let to = self.node(to);
                            out.push(Transition { step: Step::Edge(id), to: Some(to) });
                        }
                    },
                    Callee::Indirect(pointer) => {
                        for f in self.targets.get(&id).cloned().unwrap_or_default() {
                            let Some(body) = program.functions[f].body else { continue };
                            let inner = self.enter(stack, id, f);
                            let to = self.node(Node { stack: inner, loc: body.entry, atomic });
                            let step = Step::Enter { call: id, callee: f, guard: Some(pointer) };
                            out.push(Transition { step, to: Some(to) });
                        }
                        out.push(Transition { step: Step::BadCall(id), to: None });
                    }
                },
                Op::Unsupported(_) => {
                    let to = self.node(Node { stack, loc: edge.to, atomic });
                    out.push(Transition { step: Step::Edge(id), to: Some(to) });
                }
                Op::Nop
                | Op::Assign(..)
                | Op::Assume { .. }
                | Op::Return(_)
                | Op::Havoc(..)
                | Op::Declare(_)
                | Op::Expire(_) => {
                    let to = self.node(Node { stack, loc: edge.to, atomic });
                    out.push(Transition { step: Step::Edge(id), to: Some(to) });
                }
            }
        }
        out
    }
}
