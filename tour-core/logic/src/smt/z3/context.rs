//! A Z3 context: its creation, errors, parameters, and interruption from another thread.
//!
//! This and its sibling modules call the C interface directly. The safe crate on top of it panics where Z3 reports an
//! error, and reads operator codes whose numbers differ between Z3's versions; here an error is a value, and
//! operators are told by name.
//!
//! # Safety
//!
//! Every unsafe block of these modules relies on the same facts, which this module upholds:
//! * the raw context is valid as long as a [`Context`] lives, and only its own thread uses it (it is not `Send`),
//!   except for `Z3_interrupt`, which is made for other threads and is called under a lock that also guards deletion;
//! * the context counts references: each object is given one ([`Context::keep`], or a guard such as [`Held`]) before
//!   the next call that may make Z3 drop it;
//! * objects are used only with the context that made them: they never leave this module's siblings;
//! * strings that Z3 returns are copied before the next call.

use crate::smt::Unknown;
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;
use tour_ir::limits::Interrupt;
use z3_sys::*;

/// How often the interrupt is looked at while the context lives.
/// How soon an interrupt is noticed: nothing else hangs on it.
const TICK: Duration = Duration::from_millis(5);

/// Contexts are left to the end of the process.
static LEFT_TO_EXIT: AtomicBool = AtomicBool::new(false);

/// While the process holds less than this, contexts may be left to its end.
/// It protects the memory of the process.
const LEFT_AT_MOST: usize = 512 << 20;

/// For a process that ends soon after its verdict: what solvers hold is left to its end. To take a context apart, term by
/// term, costs as much as many questions do.
pub fn leave_to_exit() {
    LEFT_TO_EXIT.store(true, Ordering::Relaxed);
}

/// A raw context on its way to the thread that may interrupt it.
struct Raw {
    context: Z3_context,
    /// A query is under way. An interrupt at another time may end the process: not all of Z3 expects one.
    asking: bool,
}

// SAFETY: the other thread only calls `Z3_interrupt` with it, which Z3 allows at any time while the context exists.
unsafe impl Send for Raw {}

/// A Z3 context.
pub struct Context {
    raw: Z3_context,
    /// `None` once the context is gone.
    shared: Arc<Mutex<Option<Raw>>>,
    pub interrupt: Interrupt,
    /// It is not taken apart.
    left: Cell<bool>,
}

impl Context {
    pub fn new(interrupt: Interrupt) -> Result<Context, Unknown> {
        let failed = || Unknown::Error("a context can't be made".into());
        // SAFETY: the configuration is deleted after its only use. Without a handler, errors are codes to ask for;
        // Z3's own handler would end the process.
        let raw = unsafe {
            let config = Z3_mk_config().ok_or_else(failed)?;
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let raw = raw.ok_or_else(failed)?;
            Z3_set_error_handler(raw, None);
            raw
        };
        let shared = Arc::new(Mutex::new(Some(Raw { context: raw, asking: false })));
        let context = Context { raw, shared, interrupt, left: Cell::new(false) };
        context.watch();
        Ok(context)
    }

    /// Nobody asks it any more. It is left to the end of the process, if that is allowed and memory is not short.
    pub fn retire(&self) {
        let is_small = || memory_stats::memory_stats().is_some_and(|usage| usage.physical_mem < LEFT_AT_MOST);
        self.left.set(LEFT_TO_EXIT.load(Ordering::Relaxed) && is_small());
    }

    /// It is left to the end of the process, with all that it made.
    pub fn is_left(&self) -> bool {
        self.left.get()
    }

    /// Runs a query, which may be interrupted.
    pub fn asking<T>(&self, query: impl FnOnce() -> T) -> T {
        self.set_asking(true);
        let answer = query();
        self.set_asking(false);
        answer
    }

    fn set_asking(&self, asking: bool) {
        if let Some(raw) = self.shared.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            raw.asking = asking;
        }
    }

    /// How many steps Z3 has made in this context, as a solver tells. It is the same for the same questions.
    pub fn steps(&self, solver: Z3_solver) -> Option<u32> {
        let c = self.raw();
        // SAFETY: the statistics are referenced while they are read.
        unsafe {
            let stats = Z3_solver_get_statistics(c, solver)?;
            Z3_stats_inc_ref(c, stats);
            let found = (0..Z3_stats_size(c, stats)).rev().find(|&i| {
                let key = Z3_stats_get_key(c, stats, i);
                !key.is_null() && std::ffi::CStr::from_ptr(key).to_bytes() == b"rlimit count"
            });
            let steps = found
                .filter(|&i| Z3_stats_is_uint(c, stats, i))
                .map(|i| Z3_stats_get_uint_value(c, stats, i));
            Z3_stats_dec_ref(c, stats);
            steps
        }
    }

    /// Starts the thread that passes the interrupt on to Z3. It ends with the context.
    fn watch(&self) {
        let shared: Weak<Mutex<Option<Raw>>> = Arc::downgrade(&self.shared);
        let interrupt = self.interrupt.clone();
        let watch = move || {
            loop {
                thread::sleep(TICK);
                let Some(shared) = shared.upgrade() else { return };
                if interrupt.reason().is_none() {
                    continue;
                }
                let guard = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match *guard {
                    // SAFETY: the context is not deleted while the lock is held.
                    Some(Raw { context, asking: true }) => unsafe { Z3_interrupt(context) },
                    Some(Raw { asking: false, .. }) => {}
                    None => return,
                }
            }
        };
        // Without the thread, queries end by their own limits and the run by its supervisor.
        let _ = thread::Builder::new().name("tour-solver-watch".into()).spawn(watch);
    }

    pub fn raw(&self) -> Z3_context {
        self.raw
    }

    /// The result of a call, or Z3's error.
    pub fn ok<T>(&self, result: Option<T>) -> Result<T, Unknown> {
        result.ok_or_else(|| self.error().unwrap_or_else(|| Unknown::Error("no result".into())))
    }

    /// The error of the last call, if there was one.
    pub fn error(&self) -> Option<Unknown> {
        if let Some(reason) = self.interrupt.reason() {
            return Some(Unknown::Stopped(reason));
        }
        // SAFETY: see the module.
        let code = unsafe { Z3_get_error_code(self.raw) };
        if code == ErrorCode::Ok {
            return None;
        }
        // SAFETY: see the module.
        let message = unsafe { self.text(Z3_get_error_msg(self.raw, code)) };
        Some(self.unknown(message))
    }

    /// The error of the last call as a result.
    pub fn check(&self) -> Result<(), Unknown> {
        self.error().map_or(Ok(()), Err)
    }

    /// What Z3's words for giving up mean.
    pub fn unknown(&self, words: String) -> Unknown {
        if let Some(reason) = self.interrupt.reason() {
            return Unknown::Stopped(reason);
        }
        let lower = words.to_lowercase();
        if lower.contains("memory") {
            Unknown::Error(words)
        } else if ["cancel", "timeout", "resource", "max."].iter().any(|w| lower.contains(w)) {
            Unknown::Limit
        } else if lower.contains("incomplete") {
            Unknown::Incomplete(words)
        } else {
            Unknown::Error(words)
        }
    }

    /// A copy of Z3's text.
    ///
    /// # Safety
    /// The pointer comes from the last call to Z3.
    pub unsafe fn text(&self, text: Z3_string) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: Z3's strings end with a zero byte and live until the next call.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    pub fn symbol(&self, name: &str) -> Result<Z3_symbol, Unknown> {
        let name = CString::new(name).map_err(|e| Unknown::Error(e.to_string()))?;
        // SAFETY: see the module; Z3 copies the name.
        self.ok(unsafe { Z3_mk_string_symbol(self.raw, name.as_ptr()) })
    }

    /// A new object, kept as long as the context lives.
    pub fn keep(&self, ast: Option<Z3_ast>) -> Result<Z3_ast, Unknown> {
        let ast = self.ok(ast)?;
        // SAFETY: see the module.
        unsafe { Z3_inc_ref(self.raw, ast) };
        Ok(ast)
    }

    /// A new object, kept as long as the guard lives.
    pub fn hold(&self, ast: Option<Z3_ast>) -> Result<Held<'_>, Unknown> {
        Ok(Held { ast: self.keep(ast)?, context: self })
    }

    pub fn params(&self, set: &[(&str, Param)]) -> Result<Params<'_>, Unknown> {
        // SAFETY: see the module; each object gets its reference before the next call.
        unsafe {
            let raw = self.ok(Z3_mk_params(self.raw))?;
            Z3_params_inc_ref(self.raw, raw);
            let params = Params { raw, context: self };
            for (name, value) in set {
                let name = self.symbol(name)?;
                match *value {
                    Param::Bool(value) => Z3_params_set_bool(self.raw, raw, name, value),
                    Param::Uint(value) => Z3_params_set_uint(self.raw, raw, name, value),
                    Param::Symbol(value) => {
                        let value = self.symbol(value)?;
                        Z3_params_set_symbol(self.raw, raw, name, value);
                    }
                }
            }
            Ok(params)
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if !self.is_left() {
            // SAFETY: the other thread can't reach the context any more, and all objects made by it are gone: they hold
            // a reference to the owner of this value.
            unsafe { Z3_del_context(self.raw) };
        }
    }
}

/// A term of Z3 with a reference of its own.
pub struct Held<'c> {
    pub ast: Z3_ast,
    context: &'c Context,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_dec_ref(self.context.raw, self.ast) };
    }
}

/// The value of a parameter.
#[derive(Clone, Copy)]
pub enum Param {
    Bool(bool),
    Uint(u32),
    Symbol(&'static str),
}

/// Parameters of Z3.
pub struct Params<'c> {
    pub raw: Z3_params,
    context: &'c Context,
}

impl Drop for Params<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_params_dec_ref(self.context.raw, self.raw) };
    }
}
