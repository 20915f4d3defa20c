//! CaDiCaL, asked one question, with a proof of its answer. The crate that contains CaDiCaL does not pass proofs on: these
//! are calls of its C interface.
//!
//! # Safety
//!
//! The solver and the stream are made, used and released in [`refute`] alone. CaDiCaL writes to the stream until the proof
//! is closed, and calls `terminate` with the watch only while it solves; all of that comes before they are released.

use cadical as _; // is linked
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use tour_ir::limits::Interrupt;

unsafe extern "C" {
    fn ccadical_init() -> *mut c_void;
    fn ccadical_release(solver: *mut c_void);
    fn ccadical_set_option(solver: *mut c_void, name: *const c_char, value: c_int);
    fn ccadical_trace_proof(solver: *mut c_void, file: *mut libc::FILE, name: *const c_char) -> c_int;
    fn ccadical_close_proof(solver: *mut c_void);
    fn ccadical_set_terminate(
        solver: *mut c_void,
        state: *const c_void,
        terminate: Option<extern "C" fn(*const c_void) -> c_int>,
    );
    fn ccadical_add(solver: *mut c_void, literal: c_int);
    fn ccadical_solve(solver: *mut c_void) -> c_int;
}

/// The proof is in the format FRAT, binary, and says from which clauses others follow.
const OPTIONS: [(&CStr, c_int); 2] = [(c"frat", 1), (c"binary", 1)];

/// What `ccadical_solve` returns for clauses that are not satisfiable together.
const UNSATISFIABLE: c_int = 20;

/// Stops CaDiCaL.
struct Watch<'a> {
    interrupt: &'a Interrupt,
    calls: Cell<u64>,
    max_calls: u64,
}

extern "C" fn terminate(watch: *const c_void) -> c_int {
    // SAFETY: see the module.
    let watch = unsafe { &*watch.cast::<Watch>() };
    watch.calls.set(watch.calls.get() + 1);
    (watch.calls.get() > watch.max_calls || watch.interrupt.reason().is_some()).into()
}

/// CaDiCaL's proof that clauses are not satisfiable together; `None` if it has not found one when it has called back that
/// often.
pub fn refute(interrupt: &Interrupt, clauses: &[Vec<i32>], max_calls: u64) -> Option<Vec<u8>> {
    let watch = Watch { interrupt, calls: Cell::new(0), max_calls };
    let (mut text, mut size) = (null_mut(), 0);
    // SAFETY: see the module. After `fclose`, `text` points to `size` bytes that are ours to free.
    unsafe {
        let stream = libc::open_memstream(&raw mut text, &raw mut size);
        if stream.is_null() {
            return None;
        }
        let solver = ccadical_init();
        for (name, value) in OPTIONS {
            ccadical_set_option(solver, name.as_ptr(), value);
        }
        ccadical_trace_proof(solver, stream, c"proof".as_ptr());
        ccadical_set_terminate(solver, (&raw const watch).cast(), Some(terminate));
        for clause in clauses {
            for literal in clause {
                ccadical_add(solver, *literal);
            }
            ccadical_add(solver, 0);
        }
        let answer = ccadical_solve(solver);
        ccadical_close_proof(solver);
        ccadical_release(solver);
        libc::fclose(stream);
        let is_refuted = answer == UNSATISFIABLE && !text.is_null();
        let proof = is_refuted.then(|| std::slice::from_raw_parts(text.cast::<u8>(), size).to_vec());
        libc::free(text.cast());
        proof
    }
}
