//! Tools that tests need beside Rust and a C compiler: clang, valgrind, the sanitizers.

use std::io::Write;

/// A tool is not there. Where `CI` is set that fails, since `./setup` installs all of them; elsewhere it is said on the
/// terminal that something was skipped, also by a test that passes.
pub fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what}");
    // Unlike with `eprintln!`, this is not held back.
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}
