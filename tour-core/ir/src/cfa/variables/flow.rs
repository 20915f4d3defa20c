//! Which values may flow where: a graph from each variable to those that it gets values from.
//!
//! Memory that is reached through pointers is one node, joined both ways with every variable whose address is taken:
//! coarse, but nothing is missed. Calls through pointers go through nodes for the parameters and the result of each set
//! of candidates.

use super::super::graph::Graph;
use super::super::mentions::{Mention, Target, Walk};
use super::super::{CallGraph, Targets};
use super::vars_in;
use crate::program::{Call, ExprId, FnId, Op, PlaceId, Program, RecordId, Storage, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What flows where.
pub(super) struct Flow {
    /// From a node to those whose values it gets. Nodes are the variables by id, then memory, then others.
    sources: Graph,
    /// Nodes in conditions.
    conditions: Vec<u32>,
    /// Variables that are read to compute a pointer that is dereferenced or called.
    pub dereferenced: Vec<VarId>,
    bit_fields: BTreeMap<(RecordId, u32), u32>,
    vars: usize,
}

impl Flow {
    /// The flow in the functions that the entry may reach.
    pub fn of(program: &Program, calls: &CallGraph) -> Flow {
        let vars = program.vars.len();
        let mut b = Builder {
            program,
            calls,
            flows: Vec::new(),
            nodes: vars as u32 + 1,
            memory: vars as u32,
            conditions: Vec::new(),
            dereferenced: vec![false; vars],
            bit_fields: BTreeMap::new(),
            sets: Vec::new(),
            scratch: Vec::new(),
        };
        for (id, var) in program.vars.iter_enumerated() {
            if var.address_taken {
                b.flows.push((id.index() as u32, b.memory));
                b.flows.push((b.memory, id.index() as u32));
            }
        }
        for candidates in calls.candidates() {
            b.set(candidates);
        }
        for edge in &program.cfa.edges {
            let function = program.cfa.locs[edge.from].function;
            if calls.is_reachable(function) {
                b.op(function, &edge.op);
            }
        }
        let dereferenced = program.vars.indices().filter(|v| b.dereferenced[v.index()]).collect();
        Flow {
            sources: Graph::new(b.nodes as usize, &b.flows),
            conditions: b.conditions,
            dereferenced,
            bit_fields: b.bit_fields,
            vars,
        }
    }

    /// The relevant variables and bit-fields: those in conditions or dereferenced, and all that flows into them.
    pub fn relevant(&self) -> (Vec<VarId>, Vec<(RecordId, u32)>) {
        let pointers = self.dereferenced.iter().map(|v| v.index() as u32);
        let reached = self.sources.reachable(self.conditions.iter().copied().chain(pointers));
        let vars = (0..self.vars).filter(|&v| reached[v]).map(VarId::new).collect();
        let fields = self.bit_fields.iter().filter(|(_, node)| reached[**node as usize]);
        (vars, fields.map(|(field, _)| *field).collect())
    }

    /// The variables in an expression, those behind its temporaries included.
    pub fn seen_in(&self, program: &Program, expr: ExprId) -> Vec<VarId> {
        let mut known = FxHashSet::default();
        let mut seen = vars_in(program, expr);
        seen.retain(|&var| known.insert(var));
        let mut next = 0;
        while let Some(&var) = seen.get(next) {
            next += 1;
            if matches!(program.vars[var].storage, Storage::Temp(_)) {
                let sources = self.sources.successors(var.index() as u32).iter().map(|&s| s as usize);
                let vars = sources.filter(|&s| s < self.vars).map(VarId::new);
                seen.extend(vars.filter(|&v| known.insert(v)));
            }
        }
        seen
    }
}

/// The nodes of a set of functions that a pointer may lead to.
struct Set {
    params: Vec<u32>,
    result: u32,
}

struct Builder<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// (to, from)
    flows: Vec<(u32, u32)>,
    nodes: u32,
    memory: u32,
    conditions: Vec<u32>,
    dereferenced: Vec<bool>,
    bit_fields: BTreeMap<(RecordId, u32), u32>,
    sets: Vec<Set>,
    /// What the operation at hand reads.
    scratch: Vec<u32>,
}

impl Builder<'_> {
    fn set(&mut self, candidates: &[FnId]) {
        let functions = candidates.iter().map(|&f| &self.program.functions[f]);
        let arity = functions.clone().map(|f| f.params.len()).max().unwrap_or(0) as u32;
        let set = Set { params: (self.nodes..self.nodes + arity).collect(), result: self.nodes + arity };
        self.nodes += arity + 1;
        for function in functions {
            let params = function.params.iter().zip(&set.params);
            self.flows.extend(params.map(|(param, &node)| (param.index() as u32, node)));
            self.flows.extend(function.ret.map(|ret| (set.result, ret.index() as u32)));
            if function.body.is_none() {
                self.flows.extend(set.params.iter().map(|&param| (self.memory, param)));
                self.flows.push((set.result, self.memory));
            }
        }
        self.sets.push(set);
    }

    fn op(&mut self, function: FnId, op: &Op) {
        self.scratch.clear();
        match op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                self.read(*value);
                self.store(*place);
            }
            Op::Havoc(place, _) => self.store(*place),
            Op::Assume { cond, truth: _ } => {
                self.read(*cond);
                self.conditions.append(&mut self.scratch);
            }
            Op::Return(Some(value)) => {
                self.read(*value);
                match self.program.functions[function].ret {
                    Some(ret) => self.flow_to(ret.index() as u32),
                    None => self.scratch.clear(),
                }
            }
            Op::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) {
        if let crate::program::Callee::Indirect(pointer) = call.callee {
            self.visit(|walk| walk.pointer(pointer));
            self.scratch.clear();
        }
        let targets = self.calls.targets(self.program, call);
        let (params, result): (Vec<u32>, Option<u32>) = match targets {
            Targets::Direct(f) => {
                let callee = &self.program.functions[f];
                let params = callee.params.iter().map(|p| p.index() as u32).collect();
                (params, callee.ret.map(|r| r.index() as u32))
            }
            Targets::Indirect(set, _) => (self.sets[set].params.clone(), Some(self.sets[set].result)),
        };
        // A function without a body here (`memcpy`) may read and write memory, and its result may hold any of it.
        let opaque = matches!(targets, Targets::Direct(f) if self.program.functions[f].body.is_none());
        for (i, &arg) in call.args.iter().enumerate() {
            self.read(arg);
            self.flow_to(params.get(i).copied().unwrap_or(self.memory));
        }
        if let Some(dest) = call.dest {
            self.scratch.extend(result);
            self.scratch.extend(opaque.then_some(self.memory));
            self.store(dest);
        }
    }

    /// Adds what an expression reads to what the operation reads.
    fn read(&mut self, expr: ExprId) {
        self.visit(|walk| walk.expr(expr));
    }

    /// What the operation reads, and the indices in the place, flow into the place.
    fn store(&mut self, place: PlaceId) {
        let target = self.visit(|walk| walk.target(place));
        self.flow_to(match target {
            Target::Whole(v) | Target::Part(v) => v.index() as u32,
            Target::Memory => self.memory,
        });
    }

    fn flow_to(&mut self, to: u32) {
        self.flows.extend(self.scratch.drain(..).map(|from| (to, from)));
    }

    fn visit<T>(&mut self, walk: impl FnOnce(&mut Walk<'_, &mut dyn FnMut(Mention)>) -> T) -> T {
        let mut see = |mention| match mention {
            Mention::Value(v) => self.scratch.push(v.index() as u32),
            Mention::Pointer(v) => {
                self.dereferenced[v.index()] = true;
                self.scratch.push(v.index() as u32);
            }
            Mention::Memory => self.scratch.push(self.memory),
            Mention::Function(_) => {}
            Mention::BitField(record, field) => {
                let node = *self.bit_fields.entry((record, field)).or_insert_with(|| {
                    self.nodes += 1;
                    self.nodes - 1
                });
                self.scratch.push(node);
            }
        };
        walk(&mut Walk { program: self.program, see: &mut see })
    }
}
