//! Runs of programs with threads, by a given schedule: which thread takes which edge. Every step is checked: that the
//! thread is there, that its condition holds, that no atomic section is broken into.

use super::call::Frame;
use super::eval::Location;
use super::image::Image;
use super::inputs::Inputs;
use super::memory::{ALIGN, Memory};
use super::outcome::{Halt, Limit, Options, Outcome, Run, Step, limit, unsupported};
use super::run::Machine;
use super::trace::Observer;
use super::value::Value;
use std::ops::Range;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{Builtin, Call, Callee, CheckId, Op, PlaceId, Program, ThreadId};
use tour_model::block;
use tour_model::threads::race::{self, Poised};
use tour_model::threads::{builtin_of, graph};

/// One step of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// The thread that takes it.
    pub thread: ThreadId,
    /// The edge; `None` for the return from a function.
    pub edge: Option<EdgeId>,
}

/// What of a machine belongs to one thread.
#[derive(Clone, Default)]
pub(super) struct Stack {
    pub at: Option<LocId>,
    pub atomic: u32,
    pub ended: bool,
    frames: Vec<Frame>,
    slots: Vec<Value>,
    objects: Vec<Option<u32>>,
    allocas: Vec<u32>,
    bases: (usize, usize),
    next: u64,
    /// Where its part of the stacks ends.
    end: u64,
}

/// All threads of a run. The machine holds what belongs to the current one.
#[derive(Clone)]
pub(super) struct Team {
    pub stacks: Vec<Stack>,
    current: ThreadId,
    /// Where the first stack begins.
    bottom: u64,
    /// How far apart stacks begin: what lies above the first is divided among all.
    room: u64,
}

impl Team {
    /// Only the first thread is there, at a location.
    fn new(program: &Program, entry: LocId) -> Team {
        let mut stacks = vec![Stack::default(); program.threads.all.len()];
        stacks[0].at = Some(entry);
        let Range { start: bottom, end } = Memory::new(program.model, 0).stack();
        let room = ((end - bottom) / stacks.len() as u64) & !(ALIGN - 1);
        let mut team = Team { stacks, current: ThreadId::new(0), bottom, room };
        for thread in 0..team.stacks.len() {
            team.stacks[thread].end = team.bottom + team.room * (thread as u64 + 1);
        }
        team
    }

    /// The stack of the current thread.
    pub fn own(&mut self) -> &mut Stack {
        &mut self.stacks[self.current.index()]
    }
}

impl Image<'_> {
    /// Runs the threads of the program as the schedule says. At its end, a run violates the rules on data races and
    /// deadlocks if two threads are about to race, or if some thread waits and none can go on.
    pub fn run_schedule<O: Observer>(
        &self,
        inputs: &mut dyn Inputs,
        options: &Options,
        observer: &mut O,
        schedule: &[Scheduled],
    ) -> Run {
        let mut machine = Machine::new(self, inputs, options, observer);
        let result = machine.scheduled(schedule);
        let edge = machine.edge;
        let outcome = result.unwrap_or_else(|halt: Box<Halt>| halt.outcome(edge));
        Run { outcome, last: edge, steps: machine.steps, output: machine.output }
    }
}

impl<O: Observer> Machine<'_, '_, O> {
    fn scheduled(&mut self, schedule: &[Scheduled]) -> Step<Outcome> {
        let program = self.image.program;
        let mut team = self.team()?;
        for step in schedule {
            self.turn_to(&mut team, step.thread);
            let Some(at) = team.own().at.filter(|_| !team.own().ended) else {
                return unsupported("a thread that is not running");
            };
            if team.stacks.iter().enumerate().any(|(i, s)| i != team.current.index() && s.atomic > 0) {
                return unsupported("a step inside the atomic section of another thread");
            }
            if let Some(edge) = step.edge {
                if program.cfa.edges[edge].from != at {
                    return unsupported("an edge that does not begin where the thread is");
                }
                self.edge = Some(edge);
                if let Op::Assume { cond, truth } = program.cfa.edges[edge].op {
                    let value = self.eval(cond)?;
                    if self.truth(value, program.exprs[cond].ty) != truth {
                        return Ok(Outcome::AssumeFailed(edge));
                    }
                }
            } else if program.cfa.locs[at].kind != LocKind::Exit {
                return unsupported("a return that is none");
            }
            if let Some(outcome) = self.step_of(&mut team, step.edge)? {
                return Ok(outcome);
            }
        }
        self.put_away(team.own());
        let broken = match program.threads.deadlock {
            Some(check) if is_deadlock(program, &team.stacks) => Some(check),
            _ => self.race(&mut team.stacks),
        };
        Ok(broken.map_or(Outcome::Ended, Outcome::Error))
    }

    /// Another thread is the current one.
    pub(super) fn turn_to(&mut self, team: &mut Team, thread: ThreadId) {
        if thread != team.current {
            self.put_away(team.own());
            team.current = thread;
            self.take_up(team.own());
        }
    }

    /// The first thread begins.
    pub(super) fn team(&mut self) -> Step<Team> {
        let team = Team::new(self.image.program, self.start()?);
        self.memory.stack_end = team.stacks[0].end;
        if self.memory.stack_next > self.memory.stack_end { limit(Limit::Depth) } else { Ok(team) }
    }

    /// The current thread takes an edge whose condition holds, or returns from a function.
    pub(super) fn step_of(&mut self, team: &mut Team, edge: Option<EdgeId>) -> Step<Option<Outcome>> {
        let program = self.image.program;
        let Some(edge) = edge else {
            let Ok(next) = self.leave()? else { return unsupported("a return from a thread") };
            return Ok(self.arrive(team.own(), next));
        };
        self.edge = Some(edge);
        self.steps += 1;
        self.observer.edge(edge, self.frames.len() as u32 - 1);
        let to = match builtin_of(program, &program.cfa.edges[edge].op) {
            Some(Builtin::ThreadStart) => {
                if let Some(new) = graph::about(program, edge, 0) {
                    self.put_away(team.own());
                    if team.stacks[new.index()].at.is_some() {
                        return unsupported("a thread is started twice");
                    }
                    self.memory.stack_next = team.bottom + team.room * new.index() as u64;
                    self.memory.stack_end = team.stacks[new.index()].end;
                    team.stacks[new.index()].at = Some(self.begin_thread(new)?);
                    self.put_away(&mut team.stacks[new.index()]);
                    self.take_up(team.own());
                }
                program.cfa.edges[edge].to
            }
            Some(Builtin::ThreadFinished) => {
                let ended = graph::about(program, edge, 0).is_some_and(|t| team.stacks[t.index()].ended);
                if !ended {
                    return unsupported("a wait for a thread that has not ended");
                }
                program.cfa.edges[edge].to
            }
            Some(Builtin::AtomicBegin) => {
                team.own().atomic += 1;
                program.cfa.edges[edge].to
            }
            Some(Builtin::AtomicEnd) => {
                let atomic = &mut team.own().atomic;
                *atomic = atomic.saturating_sub(1);
                program.cfa.edges[edge].to
            }
            Some(Builtin::ThreadExit) => {
                while self.frames.len() > 1 {
                    self.abandon_frame();
                }
                team.own().atomic = 0;
                match program.functions[program.threads.all[team.current].root].body {
                    Some(body) => body.exit,
                    None => return unsupported("a thread without a body"),
                }
            }
            _ => self.take(edge)?,
        };
        Ok(self.arrive(team.own(), to))
    }

    /// Two threads are about to access the same memory, and that is a race.
    fn race(&mut self, stacks: &mut [Stack]) -> Option<CheckId> {
        let program = self.image.program;
        let mut poised = Vec::new();
        for (thread, stack) in stacks.iter().enumerate().filter(|(_, stack)| !stack.ended) {
            let (Some(at), thread) = (stack.at, ThreadId::new(thread)) else { continue };
            let steps: Vec<block::Step> = match (program.cfa.locs[at].kind, stack.frames.last()) {
                (LocKind::Exit, Some(Frame { call: Some(call), function, .. })) => {
                    vec![block::Step::Leave { call: *call, callee: *function }]
                }
                _ => program.cfa.successors(at).map(|(id, edge)| entered(program, id, &edge.op)).collect(),
            };
            let steps = steps.into_iter();
            poised.extend(steps.filter_map(|step| Poised::new(program, thread, step, stack.atomic)));
        }
        race::happens(program, &poised, |thread, place| {
            self.take_up(&mut stacks[thread.index()]);
            let bytes = self.bytes(place);
            self.put_away(&mut stacks[thread.index()]);
            bytes.ok().flatten()
        })
    }

    /// The addresses of a place in memory.
    fn bytes(&mut self, place: PlaceId) -> Step<Option<Range<u64>>> {
        let Location::Memory(pointer) = self.place(place)? else { return Ok(None) };
        let size = self.size_of(self.image.program.places[place].ty)?;
        let first = pointer.address;
        Ok(first.checked_add(size).map(|end| first..end))
    }

    /// The thread gets to a location, which may end the run.
    fn arrive(&self, stack: &mut Stack, to: LocId) -> Option<Outcome> {
        stack.at = Some(to);
        match self.image.program.cfa.locs[to].kind {
            LocKind::Error(check) => return Some(Outcome::Error(check)),
            LocKind::End => return Some(Outcome::Ended),
            LocKind::Exit => stack.ended = self.frames.len() == 1,
            LocKind::Plain | LocKind::Entry => {}
        }
        None
    }

    fn put_away(&mut self, stack: &mut Stack) {
        let statics = self.image.static_slots.len();
        stack.slots = self.slots.split_off(statics);
        stack.frames = std::mem::take(&mut self.frames);
        stack.objects = std::mem::take(&mut self.frame_objects);
        stack.allocas = std::mem::take(&mut self.allocas);
        stack.bases = (self.slot_base, self.object_base);
        stack.next = self.memory.stack_next;
    }

    fn take_up(&mut self, stack: &mut Stack) {
        self.slots.append(&mut stack.slots);
        self.frames = std::mem::take(&mut stack.frames);
        self.frame_objects = std::mem::take(&mut stack.objects);
        self.allocas = std::mem::take(&mut stack.allocas);
        (self.slot_base, self.object_base) = stack.bases;
        self.memory.stack_next = stack.next;
        self.memory.stack_end = stack.end;
    }
}

/// What happens first on an edge.
fn entered(program: &Program, edge: EdgeId, op: &Op) -> block::Step {
    match op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) if program.functions[*f].body.is_some() => {
            block::Step::Enter { call: edge, callee: *f, guard: None }
        }
        _ => block::Step::Edge(edge),
    }
}

/// Some thread runs, and each that does waits: for what nobody does, or for the end of a thread that has not ended.
fn is_deadlock(program: &Program, stacks: &[Stack]) -> bool {
    let next = |loc: LocId| program.cfa.successors(loc).map(|(id, edge)| (id, edge.to));
    let builtin = |edge: EdgeId| builtin_of(program, &program.cfa.edges[edge].op);
    let joins = |at: LocId| {
        let mut awaited = Vec::new();
        for (begin, inside) in next(at) {
            if builtin(begin) != Some(Builtin::AtomicBegin) {
                return false;
            }
            let ends = next(inside).filter(|(edge, _)| builtin(*edge) == Some(Builtin::ThreadFinished));
            awaited.extend(ends.filter_map(|(edge, _)| graph::about(program, edge, 0)));
        }
        !awaited.is_empty() && awaited.iter().all(|t| !stacks[t.index()].ended)
    };
    let mut running = stacks.iter().filter(|stack| !stack.ended).filter_map(|stack| stack.at).peekable();
    running.peek().is_some() && running.all(|at| program.threads.blocked_at.contains(&at) || joins(at))
}
