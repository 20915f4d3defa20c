//! What the end of a native run says about a claim.

use super::{End, Replay};
use tour_evidence::verdict::Violation;
use tour_ir::program::{Program, Rule};

/// What would show a violation.
pub(super) struct Evidence {
    rule: Rule,
    /// The line of the check.
    line: u32,
    /// What sanitizers say of it.
    reports: &'static [&'static str],
}

/// What sanitizers say of a rule; empty if they do not look at it.
fn reports(rule: Rule) -> &'static [&'static str] {
    match rule.id() {
        "null-deref" => &["null pointer", "SEGV on unknown address", "address points to the zero page"],
        "out-of-bounds" => &[
            "buffer-overflow",
            "buffer-underflow",
            "out of bounds",
            "container-overflow",
            "insufficient space",
            "SEGV on unknown address",
            "null pointer",
            "param-overlap",
            "negative-size-param",
        ],
        "use-after-free" => &["use-after-free", "use-after-scope", "use-after-return", "use-after-poison"],
        "double-free" => &["attempting double-free"],
        "invalid-free" => &["attempting free on address which was not malloc()-ed", "bad-free", "SEGV"],
        "memory-leak" => &["detected memory leaks"],
        "signed-overflow" => &[
            "signed integer overflow",
            "negation of",
            "division of",
            "cannot be represented in type",
            "FPE on unknown address",
        ],
        // The library's own divisions are not instrumented.
        "division-by-zero" => &["division by zero", "FPE on unknown address"],
        "shift-out-of-range" => &["shift exponent", "left shift of", "cannot be represented in type"],
        "pointer-overflow" => &["pointer index expression", "applying", "out of bounds", "buffer-overflow"],
        "bad-cast" | "invalid-bool" => &["load of value", "not a valid value"],
        "misaligned-access" => &["misaligned address"],
        "float-cast-overflow" => &["outside the range of representable values"],
        "overlapping-copy" => &["param-overlap"],
        "unreachable" => &["execution reached an unreachable program point", "__builtin_unreachable"],
        "missing-return" => &["execution reached the end of a value-returning function"],
        "vla-length" => &["variable length array bound evaluates to non-positive"],
        "bit-count-of-zero" => &["passing zero to"],
        _ => &[],
    }
}

impl Evidence {
    /// What would show this violation; an error if nothing would.
    pub(super) fn of(program: &Program, violation: &Violation) -> Result<Evidence, String> {
        let check = &program.checks[violation.check];
        let line = program.sources.place(check.span).line;
        let reports = reports(check.rule);
        match check.rule {
            Rule::UnreachCall if !check.message.starts_with("call of") => {
                Err("nothing shows natively that a label is reached".to_owned())
            }
            Rule::UnreachCall | Rule::Assert => Ok(Evidence { rule: check.rule, line, reports: &[] }),
            rule if reports.is_empty() => {
                Err(format!("no sanitizer of the compiler looks at `{}`", rule.id()))
            }
            rule => Ok(Evidence { rule, line, reports }),
        }
    }

    pub(super) fn sanitizes(&self) -> bool {
        !self.reports.is_empty()
    }

    /// Flags of the compiler that let it show.
    pub(super) fn flags(&self) -> &'static [&'static str] {
        if !self.sanitizes() {
            return &[];
        }
        &[
            "-fsanitize=address,undefined,float-cast-overflow",
            "-fno-sanitize-recover=all",
            "-fno-omit-frame-pointer",
        ]
    }
}

/// Compares. The note is what the shim left.
pub(super) fn judge(evidence: &Evidence, end: &End, note: Option<&str>) -> Replay {
    let shown = |how: String| Replay::Confirmed { how };
    let not = |why: String| Replay::NotShown { why };
    let Some(status) = end.status else {
        return not("the native run did not end".to_owned());
    };
    if evidence.sanitizes() {
        return match report(&end.errors) {
            Some(report) if evidence.reports.iter().any(|known| report.contains(known)) => shown(report),
            Some(report) => not(format!("a sanitizer stopped it before: {report}")),
            None => not(note.and_then(diverged).unwrap_or_else(|| {
                format!("`{}` had no effect in the native run that could be seen", evidence.rule.id())
            })),
        };
    }
    let Some(note) = note else {
        return not(match signal(status) {
            Some(how) => format!("the native run was {how}"),
            None => format!("the native run ended with {status}"),
        });
    };
    if let Some(function) = note.strip_prefix("error ") {
        return shown(format!("call of `{function}`"));
    }
    if let Some((line, claim)) = note.strip_prefix("assertion ").and_then(|rest| rest.split_once(' ')) {
        let line: u32 = line.parse().unwrap_or_default();
        // A function that does nothing but fail is where an unreached call ends.
        return if line == evidence.line || evidence.rule == Rule::UnreachCall {
            shown(format!("assertion `{claim}` failed in line {line}"))
        } else {
            not(format!("another assertion failed before, in line {line}: `{claim}`"))
        };
    }
    not(diverged(note).unwrap_or_else(|| "the native run left no word that we know".to_owned()))
}

/// A run that went another way.
fn diverged(note: &str) -> Option<String> {
    match note {
        "assumption" => Some("an assumption did not hold in the native run".to_owned()),
        "more inputs" => Some("the native run asked for more inputs".to_owned()),
        "other inputs" => Some("the native run asked for other inputs".to_owned()),
        _ => None,
    }
}

/// The line in which a sanitizer says what it found.
fn report(errors: &str) -> Option<String> {
    let line = errors.lines().find(|line| {
        line.contains("runtime error:")
            || line.contains("ERROR: AddressSanitizer")
            || line.contains("ERROR: LeakSanitizer")
    })?;
    let text = line.split_once("runtime error: ").map(|(_, text)| text);
    let text = text.or_else(|| line.split_once("ERROR: ").map(|(_, text)| text)).unwrap_or(line);
    // Addresses differ from run to run.
    Some(
        text.split(" on address ")
            .next()
            .unwrap_or(text)
            .split(" 0x")
            .next()
            .unwrap_or(text)
            .trim()
            .to_owned(),
    )
}

#[cfg(unix)]
pub(crate) fn signal(status: std::process::ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal()?;
    let name = match number {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        11 => " (SIGSEGV)",
        _ => "",
    };
    Some(format!("killed by signal {number}{name}"))
}

#[cfg(not(unix))]
pub(crate) fn signal(status: std::process::ExitStatus) -> Option<String> {
    status.code().filter(|code| *code < 0).map(|code| format!("crashed with {code:#x}"))
}
