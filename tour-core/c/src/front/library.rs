//! The standard library in C: bodies for functions that a program calls and does not define.
//!
//! The files in `lib/` are units like the user's, and come last. Only what the entry needs of them is parsed. Their names
//! are apart from the program's: a function that the program defines is not taken from here, and calls within the
//! library go to the library's own functions all the same, as in a C library that is linked dynamically.
//!
//! Memory (`malloc`, `memcpy`, …) and `printf` are no bodies but [`tour_ir::program::Builtin`]s. `__library_memcpy` and
//! its kin are bodies for what the formulas can't express as one operation: see `instrument`.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::OnceLock;
use tour_ir::program::DataModel;
use tour_ir::source::LIBRARY;

/// What is known of functions that have no body here.
pub const TABLE: &str = include_str!("../../lib/table.txt");

const FILES: [(&str, &str); 15] = [
    ("string.c", include_str!("../../lib/string.c")),
    ("memory.c", include_str!("../../lib/memory.c")),
    ("ctype.c", include_str!("../../lib/ctype.c")),
    ("stdlib.c", include_str!("../../lib/stdlib.c")),
    ("arithmetic.c", include_str!("../../lib/arithmetic.c")),
    ("random.c", include_str!("../../lib/random.c")),
    ("unspecified.c", include_str!("../../lib/unspecified.c")),
    ("stdio.c", include_str!("../../lib/stdio.c")),
    ("format.c", include_str!("../../lib/format.c")),
    ("math.c", include_str!("../../lib/math.c")),
    ("errno.c", include_str!("../../lib/errno.c")),
    ("environment.c", include_str!("../../lib/environment.c")),
    ("time.c", include_str!("../../lib/time.c")),
    ("wide.c", include_str!("../../lib/wide.c")),
    ("threads.c", include_str!("../../lib/threads.c")),
];

/// The functions that a program may define in place of the C library's, whose own calls then go to them.
pub fn is_replaceable(name: &str) -> bool {
    matches!(
        name,
        "malloc"
            | "calloc"
            | "realloc"
            | "free"
            | "aligned_alloc"
            | "memalign"
            | "posix_memalign"
            | "pvalloc"
            | "valloc"
            | "malloc_usable_size"
    )
}

/// The units of the library: paths and texts.
pub fn units(model: DataModel) -> impl Iterator<Item = (String, String)> {
    // On the first line, so that lines are those of the files.
    let types = match model {
        DataModel::Ilp32 => {
            "typedef unsigned int size_t; typedef long long __intmax; \
             struct __tour_mutex { int owner; int count; int unused; int kind; }; "
        }
        DataModel::Lp64 => {
            "typedef unsigned long size_t; typedef long __intmax; \
             struct __tour_mutex { int owner; int count; int unused; int users; int kind; }; "
        }
    };
    FILES.iter().map(move |(name, text)| (format!("{LIBRARY}{name}"), format!("{types}{text}")))
}

/// The functions that are needed where another one is mentioned: `__builtin_strlen` is `strlen`, `memcpy` may become a
/// loop, and `printf` reads texts.
pub fn behind(name: &str) -> SmallVec<[&str; 16]> {
    let name = name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_")).unwrap_or(name);
    let found = match name {
        "sprintf" | "snprintf" | "__builtin_sprintf" | "__builtin_snprintf" => {
            return SmallVec::from_slice(&PRINTING);
        }
        "sscanf" | "__builtin_sscanf" => return SmallVec::from_slice(&SCANNING),
        "scanf" | "fscanf" | "__builtin_scanf" | "__builtin_fscanf" => return SmallVec::from_slice(&INPUT),
        "__builtin_isnormal" => "__library_isnormal",
        "__builtin_fpclassify" => "__library_fpclassify",
        "memcpy" | "__builtin_memcpy" | "__builtin___memcpy_chk" => "__library_memcpy",
        "memmove" | "__builtin_memmove" | "__builtin___memmove_chk" => "__library_memmove",
        "memset" | "__builtin_memset" | "__builtin___memset_chk" => "__library_memset",
        "printf" | "fprintf" | "__builtin_printf" | "__builtin_fprintf" => {
            let mut all = SmallVec::from_slice(&PRINTING);
            all.extend_from_slice(&OUTPUT);
            return all;
        }
        "putchar" | "__builtin_putchar" => "__put",
        "puts" | "__builtin_puts" => return SmallVec::from_slice(&["__reads_text", "__put_text"]),
        "fputs" => "__reads_text",
        "stdin" | "stdout" | "stderr" => STREAMS,
        "thrd_create" => return SmallVec::from_slice(&["__thread_given", "__thread_run"]),
        "thrd_join" => "__thread_result",
        "__errno_location" => return SmallVec::from_slice(&ERRNO),
        "__builtin___strcpy_chk" => return SmallVec::from_slice(&["strcpy", SIZE_OF_TEXT]),
        "__builtin___stpcpy_chk" => return SmallVec::from_slice(&["stpcpy", SIZE_OF_TEXT]),
        "__builtin___strcat_chk" => return SmallVec::from_slice(&["strcat", "__library_size_of_both"]),
        _ if reads_text(name) => "__reads_text",
        _ => {
            let Some(short) = name.strip_prefix("__builtin_") else { return SmallVec::new() };
            short.strip_prefix("__").and_then(|checked| checked.strip_suffix("_chk")).unwrap_or(short)
        }
    };
    SmallVec::from_slice(&[found])
}

/// The functions that compilers may call instead of another: `printf("a\n")` is `puts("a")`.
pub fn instead(name: &str) -> &'static [&'static str] {
    match name {
        "printf" | "__builtin_printf" => &["puts", "putchar"],
        "fprintf" | "__builtin_fprintf" => &["fputs", "fputc", "putc", "fwrite"],
        _ => &[],
    }
}

/// The function is one of the table whose arguments are texts.
fn reads_text(name: &str) -> bool {
    static NAMES: OnceLock<FxHashSet<&str>> = OnceLock::new();
    let names = || {
        let calls = TABLE.lines().filter_map(|line| line.split_once("->")?.0.split_once('('));
        calls.filter(|(_, params)| params.contains("text")).map(|(name, _)| name).collect()
    };
    NAMES.get_or_init(names).contains(name)
}

/// What the compiler's own operations do to `errno`, where the program looks at it.
const ERRNO: [&str; 3] = ["__any_errno", "__no_memory", "__root_errno"];

/// How many bytes a checked copy writes.
const SIZE_OF_TEXT: &str = "__library_size_of_text";

/// What `stdin`, `stdout` and `stderr` point to.
pub const STREAMS: &str = "__standard_streams";

/// What output to a stream gives.
const OUTPUT: [&str; 4] = ["__reads_text", "__standard_output", "__printed", "__printed_any"];

/// What formats are printed and read with: see [`crate::sema`].
const PRINTING: [&str; 7] = [
    "__format_char",
    "__format_text",
    "__format_signed",
    "__format_unsigned",
    "__format_end",
    "__format_into",
    "__format_count",
];
const SCANNING: [&str; 8] = [
    "__scan_space",
    "__scan_literal",
    "__scan_number",
    "__scan_text",
    "__scan_chars",
    "__scan_count",
    "__scan_goes_on",
    "__scan_end",
];
const INPUT: [&str; 7] = [
    "__input_begin",
    "__input_from",
    "__input_number",
    "__input_float",
    "__input_double",
    "__input_text",
    "__input_chars",
];
