//! A second, tiny explorer: all interleavings of a small program straight from what the front end makes of it, one access
//! to a global variable a step. It knows nothing of how threads are copied, split, folded or reduced, and has its own
//! locks. Programs have integers, direct calls, and no pointers but those to locks and start routines.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tour_core::cfa::{EdgeId, LocId, LocKind};
use tour_core::program::{
    BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, IntType, Op, PlaceId, PlaceKind,
    Program, Rule, UnOp, VarId,
};

/// Programs with more states are left out.
const MAX_STATES: usize = 400_000;

/// The inputs that are tried; programs assume theirs to be one of these.
const INPUTS: [u128; 3] = [0, 1, 2];

const BUSY: u128 = 16;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    at: LocId,
    locals: BTreeMap<VarId, u128>,
    /// The call that it returns to.
    call: Option<EdgeId>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    frames: Vec<Frame>,
    /// Open atomic sections.
    atomic: u32,
    /// What the current operation has read so far.
    read: Vec<u128>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    globals: BTreeMap<VarId, u128>,
    locks: BTreeMap<VarId, usize>,
}

/// What comes of a step.
enum After {
    Goes(State),
    /// The run is over.
    Over,
    /// It violates a check.
    Violates,
}

/// Some interleaving violates a check of these rules; `None` if that is too much work, or not known here.
pub fn violates(program: &Program, rules: &[Rule]) -> Option<bool> {
    let explorer = Explorer { program, rules };
    let main = explorer.thread(program.entry, &[])?;
    let mut globals = BTreeMap::new();
    for &var in &program.globals {
        for item in program.vars[var].init.iter().flat_map(|init| &init.items) {
            if let tour_core::program::InitItem::Value { place, value } = item
                && let PlaceKind::Var(var) = program.places[*place].kind
                && let Some(value) = program.const_value(*value)
            {
                globals.insert(var, value);
            }
        }
    }
    let first = State { threads: vec![main], globals, locks: BTreeMap::new() };
    let mut seen = FxHashSet::default();
    seen.insert(first.clone());
    let mut work = vec![first];
    while let Some(state) = work.pop() {
        if seen.len() > MAX_STATES {
            return None;
        }
        let inside = state.threads.iter().position(|thread| thread.atomic > 0);
        for own in 0..state.threads.len() {
            if inside.is_some_and(|inside| inside != own) {
                continue;
            }
            for after in explorer.steps(&state, own)? {
                match after {
                    After::Violates => return Some(true),
                    After::Over => {}
                    After::Goes(next) => {
                        if seen.insert(next.clone()) {
                            work.push(next);
                        }
                    }
                }
            }
        }
    }
    Some(false)
}

struct Explorer<'p> {
    program: &'p Program,
    rules: &'p [Rule],
}

impl Explorer<'_> {
    fn thread(&self, function: FnId, args: &[u128]) -> Option<Thread> {
        Some(Thread { frames: vec![self.frame(function, args, None)?], atomic: 0, read: Vec::new() })
    }

    fn frame(&self, function: FnId, args: &[u128], call: Option<EdgeId>) -> Option<Frame> {
        let at = self.program.functions[function].body?.entry;
        let params = self.program.functions[function].params.iter();
        let locals = params.copied().zip(args.iter().copied()).collect();
        Some(Frame { at, locals, call })
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].is_static()
    }

    /// What a thread can do next; `None` if that is not known.
    fn steps(&self, state: &State, own: usize) -> Option<Vec<After>> {
        let cfa = &self.program.cfa;
        let Some(frame) = state.threads[own].frames.last() else { return Some(Vec::new()) };
        match cfa.locs[frame.at].kind {
            LocKind::Exit => return Some(vec![self.leave(state, own)?]),
            // That the run ends is a step of its own: others may go on after the one that led here.
            LocKind::End | LocKind::Error(_) => return Some(vec![After::Over]),
            LocKind::Plain | LocKind::Entry => {}
        }
        let out: Vec<EdgeId> = cfa.successors(frame.at).map(|(id, _)| id).collect();
        // One read a step; all conditions at a place look at the same values.
        let loads = out.first().map_or(Vec::new(), |edge| self.loads(&cfa.edges[*edge].op));
        let read = &state.threads[own].read;
        if let Some(&var) = loads.get(read.len()) {
            let mut next = state.clone();
            next.threads[own].read.push(state.globals.get(&var).copied().unwrap_or(0));
            return Some(vec![After::Goes(next)]);
        }
        let mut all = Vec::new();
        for edge in out {
            self.take(state, own, edge, &mut all)?;
        }
        Some(all)
    }

    /// A function, or the thread, ends.
    fn leave(&self, state: &State, own: usize) -> Option<After> {
        let mut next = state.clone();
        let frame = next.threads[own].frames.pop()?;
        let Some(call) = frame.call else {
            // When the first thread returns, the program ends.
            return Some(if own == 0 { After::Over } else { After::Goes(next) });
        };
        let Op::Call(Call { callee: Callee::Direct(f), dest, .. }) = &self.program.cfa.edges[call].op else {
            return None;
        };
        if let Some(dest) = dest {
            let value = frame.locals.get(&self.program.functions[*f].ret?).copied().unwrap_or(0);
            self.store(&mut next, own, *dest, value)?;
        }
        self.arrive(next, own, self.program.cfa.edges[call].to)
    }

    fn take(&self, state: &State, own: usize, id: EdgeId, all: &mut Vec<After>) -> Option<()> {
        let edge = &self.program.cfa.edges[id];
        let mut next = state.clone();
        let read = std::mem::take(&mut next.threads[own].read);
        let mut values =
            Values { explorer: self, frame: state.threads[own].frames.last()?, read: read.into_iter() };
        match &edge.op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) => {}
            Op::Assume { cond, truth } => {
                if (values.of(*cond)? != 0) != *truth {
                    return Some(());
                }
            }
            // Through null: these programs have no other pointers.
            Op::Assign(place, _) if matches!(self.program.places[*place].kind, PlaceKind::Deref(_)) => {
                all.push(After::Over);
                return Some(());
            }
            Op::Assign(place, value) => {
                let value = values.of(*value)?;
                self.store(&mut next, own, *place, value)?;
            }
            Op::Return(Some(value)) => {
                let value = values.of(*value)?;
                let function = self.program.cfa.locs[edge.from].function;
                let ret = self.program.functions[function].ret?;
                next.threads[own].frames.last_mut()?.locals.insert(ret, value);
            }
            Op::Havoc(place, HavocOrigin::Input) => {
                for value in INPUTS {
                    let mut next = next.clone();
                    self.store(&mut next, own, *place, value)?;
                    all.push(self.arrive(next, own, edge.to)?);
                }
                return Some(());
            }
            Op::Call(call) => {
                let Callee::Direct(f) = call.callee else { return None };
                let function = &self.program.functions[f];
                if let Some(lock) = function.name.strip_prefix("pthread_mutex_") {
                    let lock_var = self.lock(*call.args.first()?)?;
                    let owner = state.locks.get(&lock_var).copied();
                    let result = match (lock, owner) {
                        ("lock" | "trylock", None) => {
                            next.locks.insert(lock_var, own);
                            0
                        }
                        ("lock", Some(_)) => return Some(()),
                        ("trylock", Some(_)) => BUSY,
                        ("unlock", Some(by)) if by == own => {
                            next.locks.remove(&lock_var);
                            0
                        }
                        _ => return None,
                    };
                    if let Some(dest) = call.dest {
                        self.store(&mut next, own, dest, result)?;
                    }
                } else if function.body.is_some() {
                    let args = call.args.iter().map(|arg| values.of(*arg)).collect::<Option<Vec<_>>>()?;
                    let frame = self.frame(f, &args, Some(id))?;
                    next.threads[own].frames.push(frame);
                    all.push(After::Goes(next));
                    return Some(());
                } else {
                    let done = self.builtin(&mut next, own, call, function.builtin?, &mut values)?;
                    if !done {
                        return Some(());
                    }
                    if next.threads[own].frames.is_empty() {
                        all.push(After::Goes(next));
                        return Some(());
                    }
                }
            }
            Op::Havoc(..) | Op::Unsupported(_) => return None,
        }
        all.push(self.arrive(next, own, edge.to)?);
        Some(())
    }

    /// What a function without a body does; false if the thread has to wait.
    fn builtin(
        &self,
        next: &mut State,
        own: usize,
        call: &Call,
        builtin: Builtin,
        values: &mut Values,
    ) -> Option<bool> {
        match builtin {
            Builtin::AtomicBegin => next.threads[own].atomic += 1,
            Builtin::AtomicEnd => next.threads[own].atomic -= 1,
            Builtin::ThreadCreate => {
                let start = self.function(call.args[0])?;
                let thread = self.thread(start, &[0])?;
                next.threads.push(thread);
                let handle = next.threads.len() as u128;
                self.store(next, own, call.dest?, handle)?;
            }
            Builtin::ThreadJoin => {
                let handle = values.of(call.args[0])? as usize;
                if !next.threads.get(handle.checked_sub(1)?)?.frames.is_empty() {
                    return Some(false);
                }
            }
            Builtin::ThreadExit => {
                next.threads[own].frames.clear();
                next.threads[own].atomic = 0;
            }
            _ => return None,
        }
        Some(true)
    }

    fn arrive(&self, mut next: State, own: usize, to: LocId) -> Option<After> {
        next.threads[own].frames.last_mut()?.at = to;
        Some(match self.program.cfa.locs[to].kind {
            LocKind::Error(check) if self.rules.contains(&self.program.checks[check].rule) => After::Violates,
            LocKind::End | LocKind::Error(_) | LocKind::Plain | LocKind::Entry | LocKind::Exit => {
                After::Goes(next)
            }
        })
    }

    fn store(&self, state: &mut State, own: usize, place: PlaceId, value: u128) -> Option<()> {
        let PlaceKind::Var(var) = self.program.places[place].kind else { return None };
        let int = self.program.types.int_type(self.program.places[place].ty);
        let value = int.map_or(value, |int| int.wrap(value));
        match self.is_global(var) {
            true => state.globals.insert(var, value),
            false => state.threads[own].frames.last_mut()?.locals.insert(var, value),
        };
        Some(())
    }

    fn lock(&self, expr: ExprId) -> Option<VarId> {
        match self.program.exprs[expr].kind {
            ExprKind::Cast(inner) => self.lock(inner),
            ExprKind::AddrOf(place) => match self.program.places[place].kind {
                PlaceKind::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        }
    }

    fn function(&self, expr: ExprId) -> Option<FnId> {
        match self.program.exprs[expr].kind {
            ExprKind::Cast(inner) => self.function(inner),
            ExprKind::FnAddr(f) => Some(f),
            _ => None,
        }
    }

    /// The global variables that an operation reads, in order.
    fn loads(&self, op: &Op) -> Vec<VarId> {
        let mut all = Vec::new();
        match op {
            Op::Assign(_, value) | Op::Assume { cond: value, .. } | Op::Return(Some(value)) => {
                self.loads_of(*value, &mut all);
            }
            Op::Call(call) => call.args.iter().for_each(|arg| self.loads_of(*arg, &mut all)),
            _ => {}
        }
        all
    }

    fn loads_of(&self, expr: ExprId, all: &mut Vec<VarId>) {
        match self.program.exprs[expr].kind {
            ExprKind::Load(place) => {
                if let PlaceKind::Var(var) = self.program.places[place].kind
                    && self.is_global(var)
                {
                    all.push(var);
                }
            }
            ExprKind::Cast(a) | ExprKind::Unary(_, a) => self.loads_of(a, all),
            ExprKind::Binary(_, a, b) => {
                self.loads_of(a, all);
                self.loads_of(b, all);
            }
            _ => {}
        }
    }

    fn int(&self, expr: ExprId) -> IntType {
        self.program.int_type_of(expr).unwrap_or(IntType::unsigned(64))
    }
}

/// Values of expressions: locals as they are, globals as they were read.
struct Values<'a, 'p> {
    explorer: &'a Explorer<'p>,
    frame: &'a Frame,
    read: std::vec::IntoIter<u128>,
}

impl Values<'_, '_> {
    fn of(&mut self, expr: ExprId) -> Option<u128> {
        let program = self.explorer.program;
        let int = self.explorer.int(expr);
        Some(match program.exprs[expr].kind {
            ExprKind::Int(value) => value,
            ExprKind::Load(place) => match program.places[place].kind {
                PlaceKind::Var(var) if self.explorer.is_global(var) => self.read.next()?,
                PlaceKind::Var(var) => self.frame.locals.get(&var).copied().unwrap_or(0),
                _ => return None,
            },
            ExprKind::AddrOf(_) | ExprKind::FnAddr(_) => 1,
            ExprKind::Cast(a) => {
                let from = self.explorer.int(a);
                int.wrap(from.to_i128(self.of(a)?) as u128)
            }
            ExprKind::Unary(UnOp::Neg, a) => int.wrap((self.of(a)? as i128).wrapping_neg() as u128),
            ExprKind::Unary(UnOp::BitNot, a) => int.wrap(!self.of(a)?),
            ExprKind::Binary(op, a, b) => {
                let of = self.explorer.int(a);
                let (a, b) = (of.to_i128(self.of(a)?), of.to_i128(self.of(b)?));
                match op {
                    BinOp::Add => int.wrap(a.wrapping_add(b) as u128),
                    BinOp::Sub => int.wrap(a.wrapping_sub(b) as u128),
                    BinOp::Eq => (a == b).into(),
                    BinOp::Ne => (a != b).into(),
                    BinOp::Lt => (a < b).into(),
                    BinOp::Le => (a <= b).into(),
                    BinOp::Gt => (a > b).into(),
                    BinOp::Ge => (a >= b).into(),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}
