//! What functions do that have no body in C.

use super::super::library;
use super::cells::{Cell, ERRNO, Effects, static_root};

/// What functions of the library do that are no bodies in C.
pub(super) fn known_effects(name: &str) -> Effects {
    let short = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some(checked) = short.strip_prefix("__").and_then(|short| short.strip_suffix("_chk")) {
        // It ends the run where there is no room.
        return Effects { ends: true, ..known_effects(checked) };
    }
    match short {
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "trap" | "unreachable"
        | "__VERIFIER_assume" | "pthread_exit" | "longjmp" | "siglongjmp" => {
            Effects { ends: true, ..Effects::default() }
        }
        "assert" | "__assert_fail" | "__VERIFIER_assert" | "__VERIFIER_error" | "reach_error"
        | "__tour_misuse" => Effects { fails: true, ..Effects::default() },
        "printf" | "puts" | "memcmp" | "strlen" | "strcmp" | "strncmp" | "strchr" => {
            Effects::pointed(true, false)
        }
        "free" => Effects::pointed(false, true),
        "realloc" | "memcpy" | "memmove" | "memset" | "strcpy" | "strncpy" | "strcat" | "sprintf"
        | "snprintf" | "sscanf" | "scanf" | "fscanf" | "va_start" | "va_copy" => Effects::pointed(true, true),
        _ if name.starts_with("__atomic_") || name.starts_with("__sync_") || name.starts_with("__c11_") => {
            Effects { atomic: true, ..Effects::pointed(true, true) }
        }
        _ if name.starts_with("pthread_") => Effects { atomic: true, ..Effects::pointed(true, true) },
        _ => match library::touches(short) {
            Some((memory, errno, ends)) => {
                let mut effects = if memory { Effects::pointed(true, true) } else { Effects::default() };
                effects.ends = ends;
                if errno {
                    let root = static_root(ERRNO, None);
                    effects.writes.insert(Cell { root, aggregate: false, record: false, member: None });
                }
                effects
            }
            None => Effects::default(),
        },
    }
}

/// Calls whose arguments are not all evaluated, or not as values.
pub(super) fn is_unevaluated(name: &str) -> bool {
    matches!(
        name,
        "__builtin_constant_p"
            | "__builtin_choose_expr"
            | "__builtin_object_size"
            | "__builtin_dynamic_object_size"
            | "__builtin_va_start"
            | "__builtin_c23_va_start"
            | "__builtin_va_copy"
            | "__builtin_va_end"
    ) || (name.starts_with("__tour_") && name != "__tour_misuse")
}
