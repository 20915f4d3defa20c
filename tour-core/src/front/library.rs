//! The standard library in C: bodies for functions that a program calls and does not define.
//!
//! The files in `lib/` are units like the user's, and come last. Only what the entry needs of them is parsed. A
//! function that the user's program defines, or whose name it uses for something else, is not taken from here.
//!
//! Memory (`malloc`, `memcpy`, …) and `printf` are no bodies but [`crate::program::Builtin`]s. `__library_memcpy` and
//! its kin are bodies for what the formulas can't express as one operation: see [`crate::instrument`].

use crate::program::DataModel;

/// Paths of library units begin with this.
pub const FOLDER: &str = "<library>/";

const FILES: [(&str, &str); 7] = [
    ("string.c", include_str!("../../lib/string.c")),
    ("memory.c", include_str!("../../lib/memory.c")),
    ("ctype.c", include_str!("../../lib/ctype.c")),
    ("stdlib.c", include_str!("../../lib/stdlib.c")),
    ("stdio.c", include_str!("../../lib/stdio.c")),
    ("errno.c", include_str!("../../lib/errno.c")),
    ("threads.c", include_str!("../../lib/threads.c")),
];

/// The units of the library: paths and texts.
pub fn units(model: DataModel) -> impl Iterator<Item = (String, String)> {
    // On the first line, so that lines are those of the files.
    let types = match model {
        DataModel::Ilp32 => {
            "typedef unsigned int size_t; struct __tour_mutex { int owner; int count; int unused; int kind; }; "
        }
        DataModel::Lp64 => {
            "typedef unsigned long size_t; \
             struct __tour_mutex { int owner; int count; int unused; int users; int kind; }; "
        }
    };
    FILES.iter().map(move |(name, text)| (format!("{FOLDER}{name}"), format!("{types}{text}")))
}

/// The function that is needed where another one is mentioned: `__builtin_strlen` is `strlen`, `memcpy` may become a
/// loop, and `printf` reads texts.
pub fn behind(name: &str) -> Option<&str> {
    Some(match name {
        "memcpy" | "__builtin_memcpy" | "__builtin___memcpy_chk" => "__library_memcpy",
        "memmove" | "__builtin_memmove" | "__builtin___memmove_chk" => "__library_memmove",
        "memset" | "__builtin_memset" | "__builtin___memset_chk" => "__library_memset",
        "printf" | "puts" | "fputs" | "fprintf" | "snprintf" | "__builtin_printf" | "__builtin_puts" => {
            "__reads_text"
        }
        _ => {
            let short = name.strip_prefix("__builtin_")?;
            short.strip_prefix("__").and_then(|checked| checked.strip_suffix("_chk")).unwrap_or(short)
        }
    })
}
