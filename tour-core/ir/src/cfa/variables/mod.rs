//! How a program uses its variables: a classification after that of CPAchecker (Apel, Beyer, Friedberger, Raimondi,
//! von Rhein: "Domain Types: Abstract-Domain Selection Based on Variable Usage", HVC 2013), for choices such as
//! tracking a variable by value or by predicates.
//!
//! It looks at the functions that the entry may reach. Temporaries of the front end are transparent: what is used in a
//! condition through a temporary is used in the condition.

mod domain;
mod flow;

pub use domain::Domain;

use super::mentions::{Mention, Walk};
use super::{CallGraph, LocId, Loops};
use crate::program::{BinOp, ExprId, ExprKind, Op, PlaceKind, Program, RecordId, Storage, VarId};
use flow::Flow;
use index_vec::IndexVec;
use std::ops::Range;

/// How a variable is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VarUse {
    /// It stands in a condition.
    pub in_condition: bool,
    /// It is read to compute a pointer that is dereferenced or called.
    pub dereferenced: bool,
    /// It stands in a condition or is dereferenced, or its value may flow into such a variable, through assignments,
    /// calls, returns or memory. What is not relevant can't change which path is taken.
    pub relevant: bool,
    /// It stands in the condition at a location where a loop can be left.
    pub in_loop_exit: bool,
    /// A constant is added to it or subtracted from it in a loop.
    pub stepped: bool,
    /// It counts a loop: it is stepped in the loop and stands in a condition where that loop can be left.
    pub loop_counter: bool,
    /// What is done with its values.
    pub domain: Domain,
}

/// How all variables of a program are used.
#[derive(Clone, Debug)]
pub struct Variables {
    uses: IndexVec<VarId, VarUse>,
    bit_fields: Vec<(RecordId, u32)>,
}

impl Variables {
    /// Classifies the variables of a program. Near linear.
    pub fn of(program: &Program, loops: &Loops, calls: &CallGraph) -> Variables {
        let flow = Flow::of(program, calls);
        let mut uses: IndexVec<VarId, VarUse> = program.vars.iter().map(|_| VarUse::default()).collect();
        for (var, domain) in domain::domains(program, calls).into_iter_enumerated() {
            uses[var].domain = domain;
        }
        for &var in &flow.dereferenced {
            uses[var].dereferenced = true;
        }
        let (relevant, bit_fields) = flow.relevant();
        for var in relevant {
            uses[var].relevant = true;
        }
        let mut counters = Counters { copies: copies(program), exits: Vec::new(), steps: Vec::new() };
        for (at, loc) in program.cfa.locs.iter_enumerated() {
            if !calls.is_reachable(loc.function) {
                continue;
            }
            let left = program.cfa.successors(at).filter_map(|(_, e)| loops.left_by(at, e.to));
            let left = left.min_by_key(|&l| loops.get(l).depth);
            for (_, edge) in program.cfa.successors(at) {
                if let Op::Assume { cond, truth: _ } = edge.op {
                    for var in flow.seen_in(program, cond) {
                        uses[var].in_condition = true;
                        if let Some(left) = left {
                            uses[var].in_loop_exit = true;
                            counters.exits.push((var, loops.span(left)));
                        }
                    }
                }
                counters.step(program, loops, at, edge.to, &edge.op);
            }
        }
        counters.finish(&mut uses);
        Variables { uses, bit_fields }
    }

    /// The variables, by id, with their uses.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &VarUse)> {
        self.uses.iter_enumerated()
    }

    /// The bit-fields whose values are relevant, as records and indices of their fields, in ascending order.
    pub fn relevant_bit_fields(&self) -> &[(RecordId, u32)] {
        &self.bit_fields
    }
}

/// Collects what makes a variable a loop counter.
struct Counters {
    copies: IndexVec<VarId, Option<VarId>>,
    /// A variable in the condition at a location, and the outermost loop that can be left there.
    exits: Vec<(VarId, Range<u32>)>,
    /// A variable that is stepped, and the position of the head of the innermost loop that this happens in.
    steps: Vec<(VarId, u32)>,
}

impl Counters {
    fn step(&mut self, program: &Program, loops: &Loops, from: LocId, to: LocId, op: &Op) {
        let Some(var) = stepped(program, &self.copies, op) else { return };
        if let Some(id) = loops.around(from, to) {
            self.steps.push((var, loops.position(loops.get(id).head)));
        }
    }

    fn finish(mut self, uses: &mut IndexVec<VarId, VarUse>) {
        self.steps.sort_unstable();
        for &(var, _) in &self.steps {
            uses[var].stepped = true;
        }
        for (var, span) in self.exits {
            let next = self.steps.partition_point(|&s| s < (var, span.start));
            if self.steps.get(next).is_some_and(|s| s.0 == var && span.contains(&s.1)) {
                uses[var].loop_counter = true;
            }
        }
    }
}

/// The variable that an operation changes by a constant: `x = x + 1`, `x = 2 + x`, `x = (char)((int)x - 3)`.
fn stepped(program: &Program, copies: &IndexVec<VarId, Option<VarId>>, op: &Op) -> Option<VarId> {
    let Op::Assign(place, value) = op else { return None };
    let PlaceKind::Var(var) = program.places[*place].kind else { return None };
    let ExprKind::Binary(op, a, b) = program.exprs[without_casts(program, *value)].kind else { return None };
    let (a, b) = (without_casts(program, a), without_casts(program, b));
    let reads = |e: ExprId| read_var(program, e).is_some_and(|v| v == var || copies[v] == Some(var));
    let constant = |e: ExprId| program.const_value(e).is_some_and(|bits| bits != 0);
    let step = match op {
        BinOp::Add | BinOp::PtrAdd => reads(a) && constant(b) || reads(b) && constant(a),
        BinOp::Sub => reads(a) && constant(b),
        _ => false,
    };
    step.then_some(var)
}

/// For each temporary that is assigned once, and that from a variable: this variable.
fn copies(program: &Program) -> IndexVec<VarId, Option<VarId>> {
    let mut copies: IndexVec<VarId, Option<VarId>> = program.vars.iter().map(|_| None).collect();
    let mut stores: IndexVec<VarId, u32> = program.vars.iter().map(|_| 0).collect();
    for edge in &program.cfa.edges {
        let place = match &edge.op {
            Op::Assign(place, _) | Op::Havoc(place, _) => Some(*place),
            Op::Call(call) => call.dest,
            Op::Nop
            | Op::Assume { .. }
            | Op::Return(_)
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Unsupported(_) => None,
        };
        let Some(PlaceKind::Var(var)) = place.map(|p| &program.places[p].kind) else { continue };
        if matches!(program.vars[*var].storage, Storage::Temp(_)) {
            stores[*var] += 1;
            copies[*var] = match edge.op {
                Op::Assign(_, value) if stores[*var] == 1 => read_var(program, without_casts(program, value)),
                _ => None,
            };
        }
    }
    copies
}

fn read_var(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Load(place) => match program.places[place].kind {
            PlaceKind::Var(v) => Some(v),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
        },
        _ => None,
    }
}

fn without_casts(program: &Program, mut expr: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs[expr].kind {
        expr = inner;
    }
    expr
}

/// The variables whose values an expression reads.
fn vars_in(program: &Program, expr: ExprId) -> Vec<VarId> {
    let mut vars = Vec::new();
    let see = |mention| {
        if let Mention::Value(v) | Mention::Pointer(v) = mention {
            vars.push(v);
        }
    };
    Walk { program, see }.expr(expr);
    vars
}

#[cfg(test)]
mod tests;
