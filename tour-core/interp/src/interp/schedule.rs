//! Runs of programs with threads in which a scheduler chooses who goes on, wherever a step concerns other threads.
//!
//! An atomic section that can't be completed (a lock that is taken, a thread that has not ended) was not begun: what it
//! has done is undone, and the thread waits until another one has moved.

use super::image::Image;
use super::inputs::Inputs;
use super::memory::Memory;
use super::outcome::{Limit, Options, Outcome, Run, Step};
use super::run::Machine;
use super::threads::{Scheduled, Team};
use super::trace::Observer;
use super::value::Value;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{Builtin, Op, ThreadId};
use tour_model::block::Visible;
use tour_model::threads::{builtin_of, graph};

/// Chooses who goes on.
pub trait Scheduler {
    /// One of the threads that may be able to go on: ascending, at least one.
    fn choose(&mut self, able: &[ThreadId]) -> ThreadId;
}

/// What came of a turn of one thread.
enum Turn {
    Moved,
    /// It has done nothing: it waits for others.
    Waits,
    Over(Outcome),
}

/// A state of the machine, to come back to.
struct Saved {
    team: Team,
    memory: Memory,
    slots: Vec<Value>,
    frames: Vec<super::call::Frame>,
    objects: Vec<Option<u32>>,
    allocas: Vec<u32>,
    bases: (usize, usize),
    inputs: usize,
    schedule: usize,
}

impl Image<'_> {
    /// Runs the threads of the program as the scheduler says: the run, and its schedule.
    pub fn run_threads<O: Observer>(
        &self,
        inputs: &mut dyn Inputs,
        options: &Options,
        observer: &mut O,
        visible: &Visible,
        scheduler: &mut dyn Scheduler,
    ) -> (Run, Vec<Scheduled>) {
        let mut machine = Machine::new(self, inputs, options, observer);
        let mut schedule = Vec::new();
        let result = machine.free(visible, scheduler, &mut schedule);
        let edge = machine.edge;
        let outcome = result.unwrap_or_else(|halt| halt.outcome(edge));
        (Run { outcome, last: edge, steps: machine.steps, output: machine.output }, schedule)
    }
}

impl<O: Observer> Machine<'_, '_, O> {
    fn free(
        &mut self,
        visible: &Visible,
        scheduler: &mut dyn Scheduler,
        schedule: &mut Vec<Scheduled>,
    ) -> Step<Outcome> {
        let mut team = self.team()?;
        let mut waiting = vec![false; team.stacks.len()];
        loop {
            let stacks = team.stacks.iter().enumerate();
            let able: Vec<ThreadId> = stacks
                .filter(|(i, stack)| stack.at.is_some() && !stack.ended && !waiting[*i])
                .map(|(i, _)| ThreadId::new(i))
                .collect();
            if able.is_empty() {
                return Ok(Outcome::Ended);
            }
            let thread = scheduler.choose(&able);
            self.turn_to(&mut team, thread);
            match self.turn(&mut team, thread, visible, schedule)? {
                Turn::Moved => waiting.fill(false),
                Turn::Waits => waiting[thread.index()] = true,
                Turn::Over(outcome) => return Ok(outcome),
            }
        }
    }

    /// The current thread takes one step that concerns others, and goes on to the next one.
    fn turn(
        &mut self,
        team: &mut Team,
        thread: ThreadId,
        visible: &Visible,
        schedule: &mut Vec<Scheduled>,
    ) -> Step<Turn> {
        let program = self.image.program;
        let mut saved: Option<Saved> = None;
        let begin = schedule.len();
        let mut acted = false;
        while let Some(at) = team.own().at {
            if self.steps >= self.options.max_steps {
                return Ok(Turn::Over(Outcome::Limit(Limit::Steps)));
            }
            let edge = match program.cfa.locs[at].kind {
                LocKind::Exit => None,
                _ => match self.possible(team, at)? {
                    Some(edge) => Some(edge),
                    None => {
                        if let Some(saved) = saved.filter(|_| team.own().atomic > 0) {
                            schedule.truncate(saved.schedule);
                            self.restore(team, saved);
                        }
                        let moved = schedule.len() > begin;
                        return Ok(if moved { Turn::Moved } else { Turn::Waits });
                    }
                },
            };
            let begins = edge
                .is_some_and(|e| builtin_of(program, &program.cfa.edges[e].op) == Some(Builtin::AtomicBegin));
            if begins && team.own().atomic == 0 {
                saved = Some(self.save(team, schedule.len()));
            }
            acted |= visible.concerns(at, team.own().atomic > 0);
            schedule.push(Scheduled { thread, edge });
            if let Some(outcome) = self.step_of(team, edge)? {
                return Ok(Turn::Over(outcome));
            }
            let own = team.own();
            let concerns = |at: LocId| own.atomic == 0 && visible.concerns(at, false);
            if own.ended || acted && own.at.is_none_or(concerns) {
                break;
            }
        }
        Ok(Turn::Moved)
    }

    /// An edge that the current thread can take.
    fn possible(&mut self, team: &Team, at: LocId) -> Step<Option<EdgeId>> {
        let program = self.image.program;
        let out = &program.cfa.locs[at].out;
        let begun = |t: ThreadId| team.stacks[t.index()].at.is_some();
        let mut control = false;
        for &edge in out {
            let (about, previous) = (graph::about(program, edge, 0), graph::about(program, edge, 1));
            match builtin_of(program, &program.cfa.edges[edge].op) {
                Some(Builtin::ThreadStart) => {
                    let before = previous.filter(|p| Some(*p) != about);
                    if !about.is_some_and(begun) && before.is_none_or(begun) {
                        return Ok(Some(edge));
                    }
                }
                // The condition that says which thread is waited for comes next.
                Some(Builtin::ThreadFinished) => {
                    let next = &program.cfa.locs[program.cfa.edges[edge].to].out;
                    if about.is_some_and(|t| team.stacks[t.index()].ended) && self.choose(next)?.is_some() {
                        return Ok(Some(edge));
                    }
                }
                _ => continue,
            }
            control = true;
        }
        if control {
            return Ok(None);
        }
        let edge = self.choose(out)?;
        Ok(edge.filter(|e| !matches!(program.cfa.edges[*e].op, Op::Unsupported(_))))
    }

    fn save(&mut self, team: &Team, schedule: usize) -> Saved {
        // Copies take time, too.
        self.steps += self.memory.weight();
        Saved {
            team: team.clone(),
            memory: self.memory.clone(),
            slots: self.slots.clone(),
            frames: self.frames.clone(),
            objects: self.frame_objects.clone(),
            allocas: self.allocas.clone(),
            bases: (self.slot_base, self.object_base),
            inputs: self.inputs.given(),
            schedule,
        }
    }

    fn restore(&mut self, team: &mut Team, saved: Saved) {
        *team = saved.team;
        self.memory = saved.memory;
        self.slots = saved.slots;
        self.frames = saved.frames;
        self.frame_objects = saved.objects;
        self.allocas = saved.allocas;
        (self.slot_base, self.object_base) = saved.bases;
        self.inputs.take_back(saved.inputs);
    }
}
