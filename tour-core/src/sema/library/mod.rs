//! Functions of the C library that have no body here.
//!
//! What such a function does is known, so that nothing is assumed of it: it is in the [table], or a call is not modelled.
//! That a function without a body returns any value and has no other effect is said of the program's own alone.
//!
//! | file | what |
//! |---|---|
//! | `names` | which names are the library's, and how it declares them |
//! | `table` | what is known of functions without a body: `lib/table.txt` |
//! | `body` | a row of the table as a body |
//! | `builder` | steps of a body |
//! | `bind` | calls of functions that have a body in `lib/` |
//! | `start` | what `main` is called with |

mod bind;
mod body;
mod builder;
mod names;
mod start;
mod table;

pub(super) use bind::bind;
pub(super) use body::build;
pub(super) use start::start;
pub(super) use table::Row;

use crate::front::is_library;
use crate::program::{FnId, Function, Program, Unsupported};

/// What is known of a function without a body.
pub(super) enum Class {
    /// The program's own: nothing.
    Own,
    /// The library's, and the table says what it does.
    Tabled(&'static Row),
    /// The library's, and not modelled.
    Unsupported(Unsupported),
}

/// What is known of a function without a body.
pub(super) fn class(program: &Program, f: FnId) -> Class {
    let Function { name, span, .. } = &program.functions[f];
    let sig = program.functions[f].sig(&program.types);
    let by_name = names::is_library(program, name, sig);
    let by_place = program.sources.place(*span).system || is_library(&program.sources.unit(span.unit).path);
    if !by_name && !by_place {
        return Class::Own;
    }
    match table::row(name).filter(|row| row.fits(&program.types, sig)) {
        Some(row) => Class::Tabled(row),
        None => Class::Unsupported(not_modelled(name)),
    }
}

/// The function ends the run, whatever it is given.
pub(super) fn ends(program: &Program, f: FnId) -> bool {
    match class(program, f) {
        Class::Own => program.functions[f].noreturn,
        Class::Tabled(row) => row.ends(),
        Class::Unsupported(_) => false,
    }
}

fn not_modelled(name: &str) -> Unsupported {
    let (kind, why) = match name {
        "fork" | "vfork" | "clone" | "_Fork" => ("threads", "starts a process"),
        "thrd_create" => ("threads", "starts a thread"),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" => {
            ("longjmp", "jumps between functions")
        }
        "atexit" | "on_exit" | "at_quick_exit" | "qsort_r" | "bsearch" | "signal" | "sigaction"
        | "pthread_atfork" | "call_once" => ("callback", "calls functions that it is given"),
        _ => ("library", "is a function of the system's library"),
    };
    Unsupported { kind, message: format!("`{name}` {why}, which is not modelled") }
}
