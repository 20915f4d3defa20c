//! How schedules are drawn.

use tour_interp::interp::{Random, Scheduler};
use tour_ir::program::ThreadId;

/// When threads are interrupted.
#[derive(Clone, Debug)]
enum Habit {
    /// Only when they have to wait.
    Never,
    /// After a number of turns each, one after the other. The first thread, which creates others, goes before all at the
    /// beginning, and after all then.
    Fair { turns: u64, first: u64 },
    /// By chance, one time out of this number.
    Chance(u64),
    /// At a few places: the thread with the highest priority goes on, and at these turns it gets the lowest (Burckhardt
    /// et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010).
    Priorities(Vec<u64>),
}

/// A schedule that is drawn.
pub struct Drawn {
    habit: Habit,
    random: Random,
    last: Option<ThreadId>,
    /// Turns that it has had in a row.
    row: u64,
    /// A thread that goes on for longer may wait in a loop for others.
    patience: u64,
    /// By thread, drawn when it is first seen; the highest goes first.
    priorities: Vec<i64>,
    lowest: i64,
    /// How many turns there were.
    pub turns: u64,
}

impl Drawn {
    /// The schedule of the n-th run, if runs have some number of turns.
    pub fn new(run: u64, turns: u64, seed: u64) -> Drawn {
        let mut random = Random::new(seed);
        let habit = match run % 8 {
            0 => Habit::Never,
            1 | 2 => Habit::Fair { turns: 1 + run / 8 % 8, first: run / 64 % 8 },
            3 | 4 => Habit::Chance(1 << (1 + random.word() % 6)),
            more => Habit::Priorities((4..more).map(|_| random.word() % turns.max(1)).collect()),
        };
        let patience = 1 << (5 + random.word() % 10);
        Drawn { habit, random, last: None, row: 0, patience, priorities: Vec::new(), lowest: 0, turns: 0 }
    }

    fn priority(&mut self, thread: ThreadId) -> i64 {
        while self.priorities.len() <= thread.index() {
            self.priorities.push((self.random.word() >> 32) as i64);
        }
        self.priorities[thread.index()]
    }

    fn lower(&mut self, thread: ThreadId) {
        self.priority(thread);
        self.lowest -= 1;
        self.priorities[thread.index()] = self.lowest;
    }
}

impl Scheduler for Drawn {
    fn choose(&mut self, able: &[ThreadId]) -> ThreadId {
        self.turns += 1;
        let mut able = able;
        if let (Habit::Fair { first, .. }, [main, others @ ..]) = (&self.habit, able)
            && main.index() == 0
        {
            if self.turns <= *first || others.is_empty() {
                return *main;
            }
            able = others;
        }
        let last = self.last.filter(|last| able.contains(last));
        let is_tired = self.row >= self.patience;
        let any = able[self.random.word() as usize % able.len()];
        let next = match (&self.habit, last) {
            (Habit::Never, Some(last)) if !is_tired => last,
            (Habit::Fair { turns, .. }, Some(last)) if self.row < *turns => last,
            (Habit::Fair { .. }, _) => {
                let after = able.iter().find(|t| self.last.is_none_or(|last| **t > last));
                *after.unwrap_or(&able[0])
            }
            (Habit::Chance(n), Some(last)) if !is_tired && !self.random.word().is_multiple_of(*n) => last,
            (Habit::Never | Habit::Chance(_), _) => any,
            (Habit::Priorities(changes), _) => {
                if let Some(last) = last
                    && (is_tired || changes.contains(&self.turns))
                {
                    self.lower(last);
                }
                able.iter().copied().max_by_key(|t| self.priority(*t)).unwrap_or(any)
            }
        };
        self.row = if self.last == Some(next) { self.row + 1 } else { 1 };
        self.last = Some(next);
        next
    }
}
