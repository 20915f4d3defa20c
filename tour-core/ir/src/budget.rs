//! Budgets that are granted bit by bit: how the portfolio shares the machine between analyses.
//!
//! A budget is counted in steps of the solver, not in time, so that the same program always gets the same answer. An
//! analysis that has used up what it was granted waits where it is; it goes on, with everything it has found, once it is
//! granted more.

use crate::limits::{Interrupt, StopReason};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often someone who waits looks at the interrupt.
const TICK: Duration = Duration::from_millis(20);

/// What an analysis may spend. The default is without a limit.
#[derive(Clone, Debug, Default)]
pub struct Budget(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Unlimited,
    /// So much and no more.
    Fixed(u64),
    /// What someone else grants. Clones share it.
    Metered(Arc<Account>),
}

/// Why an analysis may not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The run is stopped.
    Stopped(StopReason),
    /// All is spent, and no more will come.
    UsedUp,
}

#[derive(Debug, Default)]
struct Account {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Steps granted so far, in all.
    granted: u64,
    /// The analysis waits for more.
    waits: bool,
    /// The analysis has ended.
    ended: bool,
}

impl Budget {
    /// A budget of which nothing is granted yet.
    pub fn metered() -> Budget {
        Budget(Kind::Metered(Arc::default()))
    }

    /// A number of steps and no more.
    pub fn fixed(steps: u64) -> Budget {
        Budget(Kind::Fixed(steps))
    }

    /// Steps granted so far, in all; `None` without a limit.
    pub fn granted(&self) -> Option<u64> {
        match &self.0 {
            Kind::Unlimited => None,
            Kind::Fixed(steps) => Some(*steps),
            Kind::Metered(account) => Some(account.lock().granted),
        }
    }

    fn account(&self) -> Option<&Account> {
        match &self.0 {
            Kind::Unlimited | Kind::Fixed(_) => None,
            Kind::Metered(account) => Some(account),
        }
    }

    /// Grants a number of steps in all.
    pub fn grant(&self, total: u64) {
        let Some(account) = self.account() else { return };
        let mut state = account.lock();
        state.granted = state.granted.max(total);
        state.waits = false;
        account.changed.notify_all();
    }

    /// For the analysis: goes on at once while what was spent is granted, and waits for more otherwise. Returns whether
    /// it had to wait.
    pub fn wait(&self, spent: u64, interrupt: &Interrupt) -> Result<bool, Refused> {
        let account = match &self.0 {
            Kind::Unlimited => return Ok(false),
            Kind::Fixed(steps) if spent <= *steps => return Ok(false),
            Kind::Fixed(_) => return Err(Refused::UsedUp),
            Kind::Metered(account) => account,
        };
        let mut state = account.lock();
        let mut waited = false;
        while state.granted < spent {
            if !waited {
                waited = true;
                state.waits = true;
                account.changed.notify_all();
            }
            interrupt.check().map_err(Refused::Stopped)?;
            state = account.doze(state);
        }
        Ok(waited)
    }

    /// For the analysis: it needs no more.
    pub fn end(&self) {
        if let Some(account) = self.account() {
            account.lock().ended = true;
            account.changed.notify_all();
        }
    }

    /// For who grants: whether the analysis has ended, or waits itself, after a moment at the latest.
    pub fn is_spent_soon(&self) -> bool {
        let Some(account) = self.account() else { return true };
        let mut state = account.lock();
        if !state.waits && !state.ended {
            state = account.doze(state);
        }
        state.waits || state.ended
    }

    /// The analysis has ended.
    pub fn has_ended(&self) -> bool {
        self.account().is_some_and(|account| account.lock().ended)
    }
}

impl Account {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doze<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn an_analysis_waits_for_what_it_is_granted() {
        let (budget, interrupt) = (Budget::metered(), Interrupt::new());
        budget.grant(10);
        let (own, stop) = (budget.clone(), interrupt.clone());
        let analysis = thread::spawn(move || {
            assert_eq!(own.wait(10, &stop), Ok(false));
            assert_eq!(own.wait(15, &stop), Ok(true));
            let end = own.wait(25, &stop);
            own.end();
            end
        });
        while !budget.is_spent_soon() {}
        assert!(!budget.has_ended());
        budget.grant(20);
        while !budget.is_spent_soon() {}
        assert!(!budget.has_ended());
        interrupt.stop(StopReason::Cancelled);
        assert_eq!(analysis.join().ok(), Some(Err(Refused::Stopped(StopReason::Cancelled))));
        assert!(budget.has_ended());
    }

    #[test]
    fn without_a_limit_nobody_waits() {
        assert_eq!(Budget::default().wait(u64::MAX, &Interrupt::new()), Ok(false));
        assert_eq!(Budget::default().granted(), None);
        let (fixed, interrupt) = (Budget::fixed(3), Interrupt::new());
        assert_eq!((fixed.wait(3, &interrupt), fixed.wait(4, &interrupt)), (Ok(false), Err(Refused::UsedUp)));
    }
}
