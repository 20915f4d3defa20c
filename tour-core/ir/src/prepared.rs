//! A program as analyses get it: it does not change any more, so that what was found out about it is kept.
//!
//! ```
//! # use tour_ir::{prepared::{Fact, Prepared}, program::Program};
//! struct Functions(usize);
//! impl Fact for Functions {
//!     fn of(program: &Prepared) -> Functions {
//!         Functions(program.functions.len())
//!     }
//! }
//! fn is_small(program: &Prepared) -> bool {
//!     program.fact::<Functions>().0 < 10 // counted once, however often this is asked
//! }
//! ```

use crate::program::Program;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Something that can be found out about a program. Any layer can add its own.
pub trait Fact: Send + Sync + 'static {
    /// Finds it out.
    fn of(program: &Prepared) -> Self;
}

/// A program with all that is to be checked woven in, and what is known about it.
pub struct Prepared {
    program: Program,
    facts: Mutex<FxHashMap<TypeId, Slot>>,
    whole: Option<Arc<Prepared>>,
}

type Slot = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

impl Prepared {
    /// A program that is complete.
    pub fn new(program: Program) -> Prepared {
        Prepared { program, facts: Mutex::default(), whole: None }
    }

    /// A part of a program, with the same identifiers: what it does wrong is to be shown by runs of the whole.
    pub fn part(program: Program, whole: Arc<Prepared>) -> Prepared {
        Prepared { whole: Some(whole), ..Prepared::new(program) }
    }

    /// The program that this is a part of.
    pub fn whole(&self) -> Option<&Prepared> {
        self.whole.as_deref()
    }

    /// A fact, found out when it is first asked for. Threads that ask for the same one wait for each other.
    pub fn fact<F: Fact>(&self) -> Arc<F> {
        let slot = {
            let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
            facts.entry(TypeId::of::<F>()).or_default().clone()
        };
        let found = slot.get_or_init(|| Arc::new(F::of(self))).clone();
        match found.downcast() {
            Ok(fact) => fact,
            Err(_) => unreachable!("facts are found under their own type"),
        }
    }

    /// Changes the program. What was known about it is forgotten.
    pub fn change(&mut self, change: impl FnOnce(&mut Program)) {
        *self.facts.get_mut().unwrap_or_else(PoisonError::into_inner) = FxHashMap::default();
        change(&mut self.program);
    }
}

impl Deref for Prepared {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

/// A copy knows nothing yet: it is made to be changed.
impl Clone for Prepared {
    fn clone(&self) -> Prepared {
        Prepared { whole: self.whole.clone(), ..Prepared::new(self.program.clone()) }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Prepared").field("program", &self.program).finish_non_exhaustive()
    }
}
