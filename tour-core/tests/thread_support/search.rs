//! An exhaustive search over the concrete states of a small program with threads: the oracle. It knows scalar integer
//! variables and direct calls only, and shares nothing with the engine but the program.

use rustc_hash::FxHashSet;
use tour_core::cfa::{EdgeId, LocId, LocKind};
use tour_core::program::{
    BinOp, Builtin, Call, Callee, ExprId, ExprKind, IntType, Op, PlaceId, PlaceKind, Program, UnOp, VarId,
};

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    at: LocId,
    calls: Vec<EdgeId>,
    atomic: u32,
    /// It ended by `pthread_exit`.
    exited: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Option<Thread>>,
    values: Vec<(u32, u32, u128)>,
}

struct Search<'p> {
    program: &'p Program,
}

/// Some interleaving reaches an error.
pub fn exhaustive(program: &Program) -> bool {
    let error = |_: &Search, _: &State, next: &State, thread: usize| {
        let at = next.threads[thread].as_ref().expect("it moved").at;
        matches!(program.cfa.locs[at].kind, LocKind::Error(_))
    };
    explore(program, |_, _| false, error).expect("not too many states")
}

/// Some interleaving gets to where two threads are about to access the same variable, and one of them to write, and not
/// both are in atomic sections.
pub fn exhaustive_race(program: &Program) -> Option<bool> {
    let races = |search: &Search, state: &State| {
        let all: Vec<Vec<(u32, bool, bool)>> =
            (0..state.threads.len()).map(|t| search.about_to_access(state, t)).collect();
        all.iter().enumerate().any(|(i, one)| {
            all[i + 1..]
                .iter()
                .flatten()
                .any(|b| one.iter().any(|a| a.0 == b.0 && (a.1 || b.1) && !(a.2 && b.2)))
        })
    };
    explore(program, races, |_, _, _, _| false)
}

/// Some interleaving gets to where threads run, none can go on, and main has not returned.
pub fn exhaustive_deadlock(program: &Program) -> Option<bool> {
    let stuck = |search: &Search, state: &State| {
        let running = |t: usize| state.threads[t].as_ref().is_some_and(|t| !search.is_end(t));
        let inside = state.threads.iter().flatten().any(|t| t.atomic > 0);
        let all = || 0..state.threads.len();
        !inside
            && !search.has_returned(state)
            && all().any(running)
            && !all().any(|t| running(t) && search.can_go_on(state, t))
    };
    explore(program, stuck, |_, _, _, _| false)
}

/// A state for which `bad` holds, or a step for which `error` does, can be reached; `None` if there are too many states.
fn explore(
    program: &Program,
    bad: impl Fn(&Search, &State) -> bool,
    error: impl Fn(&Search, &State, &State, usize) -> bool,
) -> Option<bool> {
    let search = Search { program };
    let body = program.functions[program.entry].body.expect("a body");
    let mut threads = vec![None; program.threads.all.len()];
    threads[0] = Some(Thread { at: body.entry, calls: Vec::new(), atomic: 0, exited: false });
    let first = State { threads, values: Vec::new() };
    let mut seen = FxHashSet::default();
    seen.insert(first.clone());
    let mut work = vec![first];
    while let Some(state) = work.pop() {
        if seen.len() > 3_000_000 {
            return None;
        }
        if bad(&search, &state) {
            return Some(true);
        }
        let inside = state.threads.iter().position(|t| t.as_ref().is_some_and(|t| t.atomic > 0));
        for thread in 0..state.threads.len() {
            if inside.is_some_and(|inside| inside != thread) {
                continue;
            }
            for next in search.steps(&state, thread) {
                if error(&search, &state, &next, thread) {
                    return Some(true);
                }
                let at = next.threads[thread].as_ref().expect("it moved").at;
                let over = matches!(program.cfa.locs[at].kind, LocKind::End | LocKind::Error(_));
                if !over && seen.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
    }
    Some(false)
}

impl Search<'_> {
    fn is_end(&self, thread: &Thread) -> bool {
        thread.calls.is_empty() && self.program.cfa.locs[thread.at].kind == LocKind::Exit
    }

    fn steps(&self, state: &State, thread: usize) -> Vec<State> {
        let Some(own) = &state.threads[thread] else { return Vec::new() };
        if self.is_end(own) {
            return Vec::new();
        }
        let cfa = &self.program.cfa;
        if cfa.locs[own.at].kind == LocKind::Exit {
            let mut next = state.clone();
            let moved = next.threads[thread].as_mut().expect("own");
            let call = moved.calls.pop().expect("a call");
            moved.at = cfa.edges[call].to;
            if let Op::Call(Call { callee: Callee::Direct(f), dest: Some(dest), .. }) = &cfa.edges[call].op {
                let ret = self.program.functions[*f].ret.expect("a result");
                let value = get(state, (ret.index() as u32, NO_FIELD));
                let cell = self.cell(*dest);
                set(&mut next, cell, value);
            }
            return vec![next];
        }
        let mut out = Vec::new();
        for (id, edge) in cfa.successors(own.at) {
            let mut next = state.clone();
            next.threads[thread].as_mut().expect("own").at = edge.to;
            match &edge.op {
                Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) => {}
                Op::Assign(place, value) => {
                    let value = self.eval(state, *value);
                    set(&mut next, self.cell(*place), self.fit(*place, value));
                }
                Op::Assume { cond, truth } => {
                    if (self.eval(state, *cond) != 0) != *truth {
                        continue;
                    }
                }
                Op::Return(Some(value)) => {
                    let function = cfa.locs[own.at].function;
                    let ret = self.program.functions[function].ret.expect("a result");
                    let value = self.eval(state, *value);
                    set(&mut next, (ret.index() as u32, NO_FIELD), value);
                }
                Op::Call(call) => {
                    let Callee::Direct(f) = call.callee else { panic!("indirect call") };
                    let function = &self.program.functions[f];
                    if let Some(body) = function.body {
                        for (&param, &arg) in function.params.iter().zip(&call.args) {
                            let value = self.eval(state, arg);
                            set(&mut next, (param.index() as u32, NO_FIELD), value);
                        }
                        let moved = next.threads[thread].as_mut().expect("own");
                        moved.calls.push(id);
                        moved.at = body.entry;
                    } else if !self.control(state, &mut next, thread, call, function.builtin) {
                        continue;
                    }
                }
                // Waiting for what is no thread does not happen in these programs.
                Op::Unsupported(_) => continue,
                Op::Havoc(..) => panic!("no inputs"),
            }
            out.push(next);
        }
        out
    }

    fn control(
        &self,
        state: &State,
        next: &mut State,
        thread: usize,
        call: &Call,
        builtin: Option<Builtin>,
    ) -> bool {
        let number = |i: usize| {
            let value = self.program.const_value(call.args[i]).expect("a constant") as u32 as usize;
            (value < state.threads.len()).then_some(value)
        };
        match builtin {
            Some(Builtin::AtomicBegin) => next.threads[thread].as_mut().expect("own").atomic += 1,
            Some(Builtin::AtomicEnd) => next.threads[thread].as_mut().expect("own").atomic -= 1,
            Some(Builtin::ThreadStart) => {
                let (new, previous) = (number(0), number(1));
                if previous.is_some_and(|p| Some(p) != new && state.threads[p].is_none())
                    || new.is_some_and(|new| state.threads[new].is_some())
                {
                    return false;
                }
                if let Some(new) = new {
                    let root = self.program.threads.all[tour_core::program::ThreadId::new(new)].root;
                    let body = self.program.functions[root].body.expect("a body");
                    next.threads[new] =
                        Some(Thread { at: body.entry, calls: Vec::new(), atomic: 0, exited: false });
                }
            }
            Some(Builtin::ThreadFinished) => {
                let other = number(0).expect("a thread");
                return state.threads[other].as_ref().is_some_and(|t| self.is_end(t));
            }
            Some(Builtin::ThreadExit) => {
                let root = self.program.threads.all[tour_core::program::ThreadId::new(thread)].root;
                let exit = self.program.functions[root].body.expect("a body").exit;
                next.threads[thread] = Some(Thread { at: exit, calls: Vec::new(), atomic: 0, exited: true });
            }
            other => panic!("{other:?}"),
        }
        true
    }

    /// Main has returned: the program is over.
    fn has_returned(&self, state: &State) -> bool {
        state.threads[0].as_ref().is_some_and(|main| self.is_end(main) && !main.exited)
    }

    /// The thread can take a step, and get through its atomic section if it begins one.
    fn can_go_on(&self, state: &State, thread: usize) -> bool {
        let mut work = self.steps(state, thread);
        let mut seen: FxHashSet<State> = work.iter().cloned().collect();
        while let Some(state) = work.pop() {
            if state.threads[thread].as_ref().is_some_and(|t| t.atomic == 0) {
                return true;
            }
            work.extend(self.steps(&state, thread).into_iter().filter(|next| seen.insert(next.clone())));
        }
        false
    }

    /// The variables with static storage that the next steps of a thread access: whether they write, whether they are in
    /// an atomic section.
    fn about_to_access(&self, state: &State, thread: usize) -> Vec<(u32, bool, bool)> {
        let Some(own) = &state.threads[thread] else { return Vec::new() };
        let cfa = &self.program.cfa;
        let mut all = Vec::new();
        if cfa.locs[own.at].kind == LocKind::Exit {
            if let Some(call) = own.calls.last()
                && let Op::Call(Call { dest: Some(dest), .. }) = &cfa.edges[*call].op
            {
                all.push((self.cell(*dest).0, true));
            }
        } else {
            for (_, edge) in cfa.successors(own.at) {
                match &edge.op {
                    Op::Assign(place, value) => {
                        all.push((self.cell(*place).0, true));
                        self.reads(*value, &mut all);
                    }
                    Op::Assume { cond: value, .. } | Op::Return(Some(value)) => self.reads(*value, &mut all),
                    Op::Call(call) => call.args.iter().for_each(|arg| self.reads(*arg, &mut all)),
                    _ => {}
                }
            }
        }
        all.retain(|(var, _)| self.program.vars[VarId::new(*var as usize)].is_static());
        all.into_iter().map(|(var, write)| (var, write, own.atomic > 0)).collect()
    }

    fn reads(&self, expr: ExprId, all: &mut Vec<(u32, bool)>) {
        match self.program.exprs[expr].kind {
            ExprKind::Load(place) => all.push((self.cell(place).0, false)),
            ExprKind::Cast(a) | ExprKind::Unary(_, a) => self.reads(a, all),
            ExprKind::Binary(_, a, b) => {
                self.reads(a, all);
                self.reads(b, all);
            }
            _ => {}
        }
    }

    fn cell(&self, place: PlaceId) -> (u32, u32) {
        match self.program.places[place].kind {
            PlaceKind::Var(v) => (VarId::index(v) as u32, NO_FIELD),
            PlaceKind::Field(base, index) => (self.cell(base).0, index),
            _ => panic!("memory"),
        }
    }

    fn fit(&self, place: PlaceId, value: u128) -> u128 {
        self.program.types.int_type(self.program.places[place].ty).map_or(value, |int| int.wrap(value))
    }

    fn int(&self, expr: ExprId) -> IntType {
        self.program.int_type_of(expr).unwrap_or(IntType::unsigned(64))
    }

    fn eval(&self, state: &State, expr: ExprId) -> u128 {
        let int = self.int(expr);
        match self.program.exprs[expr].kind {
            ExprKind::Int(value) => value,
            ExprKind::Load(place) => get(state, self.cell(place)),
            ExprKind::Cast(inner) => int.wrap(self.int(inner).to_i128(self.eval(state, inner)) as u128),
            ExprKind::Unary(op, a) => {
                let a = self.eval(state, a);
                int.wrap(match op {
                    UnOp::Neg => (a as i128).wrapping_neg() as u128,
                    UnOp::BitNot => !a,
                    UnOp::Sqrt | UnOp::Abs => unreachable!("programs of integers"),
                })
            }
            ExprKind::Binary(op, a, b) => {
                let of = self.int(a);
                let (a, b) = (of.to_i128(self.eval(state, a)), of.to_i128(self.eval(state, b)));
                let truth = |holds: bool| u128::from(holds);
                match op {
                    BinOp::Add => int.wrap(a.wrapping_add(b) as u128),
                    BinOp::Sub => int.wrap(a.wrapping_sub(b) as u128),
                    BinOp::Mul => int.wrap(a.wrapping_mul(b) as u128),
                    BinOp::Eq => truth(a == b),
                    BinOp::Ne => truth(a != b),
                    BinOp::Lt => truth(a < b),
                    BinOp::Le => truth(a <= b),
                    BinOp::Gt => truth(a > b),
                    BinOp::Ge => truth(a >= b),
                    other => panic!("{other:?}"),
                }
            }
            ref other => panic!("{other:?}"),
        }
    }
}

const NO_FIELD: u32 = u32::MAX;

/// All begins with zero: statics do, and locals are written before they are read.
fn get(state: &State, cell: (u32, u32)) -> u128 {
    match state.values.binary_search_by_key(&cell, |v| (v.0, v.1)) {
        Ok(i) => state.values[i].2,
        Err(_) => 0,
    }
}

fn set(state: &mut State, cell: (u32, u32), value: u128) {
    match state.values.binary_search_by_key(&cell, |v| (v.0, v.1)) {
        Ok(i) if value == 0 => _ = state.values.remove(i),
        Ok(i) => state.values[i].2 = value,
        Err(i) if value != 0 => state.values.insert(i, (cell.0, cell.1, value)),
        Err(_) => {}
    }
}
