//! How the process ends.

use std::io::Write;

/// Exit codes. They are a contract: scripts and CI rely on them.
///
/// | code | meaning |
/// |---|---|
/// | 0 | everything selected was proved |
/// | 1 | a property is violated |
/// | 2 | usage or configuration error; the input can't be read |
/// | 3 | inconclusive: unknown, timeout, unsupported construct, and nothing violated |
/// | 4 | nothing to verify was found |
/// | 5 | vacuous claim or below the coverage gate |
/// | 70 | internal error (a bug in tour): never 0, never 1 |
/// | 101 | the build of the user's crate failed |
/// | 130 | interrupted by the user |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Proved, or the command did what it was asked to.
    Success = 0,
    /// A property is violated.
    Violated = 1,
    /// The command line or the input is wrong.
    Usage = 2,
    /// No answer.
    Unknown = 3,
    /// There is nothing to verify.
    Nothing = 4,
    /// A claim says nothing.
    Vacuous = 5,
    /// A bug in tour.
    Internal = 70,
    /// The user's crate does not build.
    Build = 101,
    /// The user pressed Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Ends the process at once. Threads that still run (in the solver, say) are not waited for, and no destructor
    /// of a library runs under their feet; neither is memory given back piece by piece.
    pub fn now(self) -> ! {
        // What can't be written has no reader.
        let _ = std::io::stdout().flush();
        // SAFETY: `_exit` has no preconditions.
        unsafe { libc::_exit(self as i32) }
    }
}
