//! What is done with the values of a variable: the smallest class of operations that covers its uses.
//!
//! Variables that are assigned to or compared with each other are in one class. This says how the program *uses* a
//! variable, which is a good hint for choosing an abstract domain; it is no promise about the values that it can have
//! (an uninitialised `int` that is only tested is `Boolean`), so it must not be used to encode it with fewer bits.

use super::super::graph::UnionFind;
use super::super::{CallGraph, Targets};
use crate::program::{
    BinOp, Call, ExprId, ExprKind, InitItem, IntKind, Op, PlaceId, PlaceKind, Program, Type, VarId,
};
use index_vec::IndexVec;

/// What is done with the values of a variable, from the simplest to the most general.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Domain {
    /// It is tested, assigned or compared with 0, 1 and truth values, and with other such variables.
    #[default]
    Boolean,
    /// It is assigned, and compared for equality.
    Equality,
    /// It is added, subtracted, multiplied by constants, and compared.
    Linear,
    /// Anything else: other arithmetic, bits, floating point, records and arrays, its address is taken.
    General,
}

/// The domains of all variables, as used in the functions that the entry may reach.
pub(super) fn domains(program: &Program, calls: &CallGraph) -> IndexVec<VarId, Domain> {
    let vars = program.vars.len();
    let mut nodes = vars;
    let mut sets = Vec::new();
    for candidates in calls.candidates() {
        let arity = candidates.iter().map(|&f| program.functions[f].params.len()).max().unwrap_or(0);
        sets.push((nodes, arity));
        nodes += arity + 1;
    }
    let mut classes =
        Classes { program, calls, union: UnionFind::new(nodes), level: vec![Domain::Boolean; nodes], sets };
    for (id, var) in program.vars.iter_enumerated() {
        let node = id.index() as u32;
        let least = match program.types[var.ty.ty] {
            _ if var.address_taken => Domain::General,
            Type::Int(_) | Type::Enum(_) => Domain::Boolean,
            Type::Pointer(_) => Domain::Equality,
            _ => Domain::General,
        };
        classes.raise(node, least);
        for item in var.init.iter().flat_map(|init| &init.items) {
            if let InitItem::Value { place, value } = item {
                classes.assign(*place, *value);
            }
        }
    }
    classes.sets();
    for edge in &program.cfa.edges {
        let function = program.cfa.locs[edge.from].function;
        if calls.is_reachable(function) {
            classes.op(function, &edge.op);
        }
    }
    // Levels are kept where they were raised; a class has the highest.
    let mut highest = vec![Domain::Boolean; nodes];
    for node in 0..nodes {
        let class = classes.union.find(node as u32) as usize;
        highest[class] = highest[class].max(classes.level[node]);
    }
    (0..vars).map(|v| highest[classes.union.find(v as u32) as usize]).collect()
}

/// What an expression's value comes from.
#[derive(Clone, Copy)]
enum Value {
    /// 0 or 1.
    Truth,
    /// Some other constant, or an unknown value: an address, something in memory.
    Any,
    /// A value of the class of this node.
    Of(u32),
}

struct Classes<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    union: UnionFind,
    level: Vec<Domain>,
    /// First node and number of parameters of each set of candidates; the node for the result comes last.
    sets: Vec<(usize, usize)>,
}

impl Classes<'_> {
    fn sets(&mut self) {
        for (set, candidates) in self.calls.candidates().iter().enumerate() {
            let (first, arity) = self.sets[set];
            for &f in candidates {
                let function = &self.program.functions[f];
                for (i, param) in function.params.iter().enumerate() {
                    self.union.merge((first + i) as u32, param.index() as u32);
                }
                match function.ret {
                    Some(ret) => self.union.merge((first + arity) as u32, ret.index() as u32),
                    None => self.raise((first + arity) as u32, Domain::Equality),
                }
            }
        }
    }

    fn raise(&mut self, node: u32, to: Domain) {
        let level = &mut self.level[node as usize];
        *level = (*level).max(to);
    }

    fn op(&mut self, function: crate::program::FnId, op: &Op) {
        match op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => self.assign(*place, *value),
            Op::Assume { cond, truth: _ } => _ = self.value(*cond),
            Op::Return(Some(value)) => {
                let value = self.value(*value);
                if let Some(ret) = self.program.functions[function].ret {
                    self.join(Value::Of(ret.index() as u32), value);
                }
            }
            Op::Havoc(place, _) => {
                let truth =
                    self.program.types.int_kind(self.program.places[*place].ty) == Some(IntKind::Bool);
                let target = self.place(*place);
                self.join(target, if truth { Value::Truth } else { Value::Any });
            }
            Op::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) {
        let targets = self.calls.targets(self.program, call);
        if let crate::program::Callee::Indirect(pointer) = call.callee {
            self.value(pointer);
        }
        for (i, &arg) in call.args.iter().enumerate() {
            let value = self.value(arg);
            let param = match targets {
                Targets::Direct(f) => self.program.functions[f].params.get(i).map(|p| p.index()),
                Targets::Indirect(set, _) => {
                    Some(self.sets[set]).filter(|&(_, arity)| i < arity).map(|(first, _)| first + i)
                }
            };
            match param {
                Some(param) => self.join(Value::Of(param as u32), value),
                None => self.use_as(value, Domain::Equality),
            }
        }
        if let Some(dest) = call.dest {
            let result = match targets {
                Targets::Direct(f) => self.program.functions[f].ret.map(|r| r.index()),
                Targets::Indirect(set, _) => Some(self.sets[set].0 + self.sets[set].1),
            };
            let dest = self.place(dest);
            self.join(dest, result.map_or(Value::Any, |r| Value::Of(r as u32)));
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let value = self.value(value);
        let target = self.place(place);
        self.join(target, value);
    }

    /// A place's value; indices in it are used as numbers.
    fn place(&mut self, place: PlaceId) -> Value {
        match self.program.places[place].kind {
            PlaceKind::Var(v) => Value::Of(v.index() as u32),
            PlaceKind::Deref(pointer) => {
                self.value(pointer);
                Value::Any
            }
            PlaceKind::Field(base, _) => {
                self.place(base);
                Value::Any
            }
            PlaceKind::Index(base, index) => {
                let index = self.value(index);
                self.use_as(index, Domain::Linear);
                self.place(base);
                Value::Any
            }
        }
    }

    fn value(&mut self, expr: ExprId) -> Value {
        let node = &self.program.exprs[expr];
        match node.kind {
            ExprKind::Int(0 | 1) => Value::Truth,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => Value::Any,
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddrOf(place) => {
                self.place(place);
                Value::Any
            }
            ExprKind::Cast(inner) => {
                let value = self.value(inner);
                match self.program.types.int_kind(node.ty) {
                    // A test for zero.
                    Some(IntKind::Bool) => Value::Truth,
                    _ => value,
                }
            }
            ExprKind::Fact(_, pointer) => {
                self.value(pointer);
                Value::Any
            }
            ExprKind::Unary(_, a) => {
                let a = self.value(a);
                let negated = matches!(node.kind, ExprKind::Unary(crate::program::UnOp::Neg, _));
                self.combine(a, Value::Truth, if negated { Domain::Linear } else { Domain::General })
            }
            ExprKind::Binary(op, a, b) => {
                let constant = self.program.const_value(a).is_some() || self.program.const_value(b).is_some();
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    BinOp::Eq | BinOp::Ne => {
                        self.join(a, b);
                        Value::Truth
                    }
                    BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                        self.combine(a, b, Domain::Linear);
                        Value::Truth
                    }
                    BinOp::Add | BinOp::Sub | BinOp::PtrDiff => self.combine(a, b, Domain::Linear),
                    BinOp::Mul if constant => self.combine(a, b, Domain::Linear),
                    // A pointer and its index stay apart.
                    BinOp::PtrAdd => {
                        self.use_as(b, Domain::Linear);
                        self.combine(a, Value::Truth, Domain::Linear)
                    }
                    BinOp::Mul
                    | BinOp::Div
                    | BinOp::Rem
                    | BinOp::And
                    | BinOp::Or
                    | BinOp::Xor
                    | BinOp::Shl
                    | BinOp::Shr => self.combine(a, b, Domain::General),
                }
            }
        }
    }

    /// The two meet in an assignment or a comparison for equality.
    fn join(&mut self, a: Value, b: Value) {
        match (a, b) {
            (Value::Of(a), Value::Of(b)) => self.union.merge(a, b),
            (Value::Of(node), Value::Any) | (Value::Any, Value::Of(node)) => {
                self.raise(node, Domain::Equality)
            }
            (Value::Truth, _) | (_, Value::Truth) | (Value::Any, Value::Any) => {}
        }
    }

    /// The two are operands of one operation of this class.
    fn combine(&mut self, a: Value, b: Value, domain: Domain) -> Value {
        self.use_as(a, domain);
        self.use_as(b, domain);
        self.join(a, b);
        match (a, b) {
            (Value::Of(node), _) | (_, Value::Of(node)) => Value::Of(node),
            _ => Value::Any,
        }
    }

    fn use_as(&mut self, value: Value, domain: Domain) {
        if let Value::Of(node) = value {
            self.raise(node, domain);
        }
    }
}
