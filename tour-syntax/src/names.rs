//! Functions, methods and macros that have a meaning of their own in a harness.

/// Macros that make a claim or end the harness.
pub const MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "unimplemented",
    "todo",
    "addr_of",
    "addr_of_mut",
];

/// Methods of integers.
pub const INTEGER_METHODS: &[&str] = &[
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_div",
    "wrapping_rem",
    "wrapping_neg",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_abs",
    "checked_add",
    "checked_sub",
    "checked_mul",
    "checked_div",
    "checked_rem",
    "checked_neg",
    "checked_shl",
    "checked_shr",
    "overflowing_add",
    "overflowing_sub",
    "overflowing_mul",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "abs",
    "abs_diff",
    "unsigned_abs",
    "min",
    "max",
    "clamp",
    "rotate_left",
    "rotate_right",
    "is_power_of_two",
    "is_positive",
    "is_negative",
];

/// Methods of arrays, slices, pointers, `Option` and `MaybeUninit`.
pub const OTHER_METHODS: &[&str] = &[
    "as_ptr",
    "as_mut_ptr",
    "as_slice",
    "as_mut_slice",
    "len",
    "is_empty",
    "unwrap",
    "expect",
    "unwrap_or",
    "is_some",
    "is_none",
    "assume_init",
    "add",
    "sub",
    "offset",
    "is_null",
    "cast",
    "cast_mut",
    "cast_const",
    "read",
    "write",
    "clone",
];

/// The method is known.
pub fn is_method(name: &str) -> bool {
    INTEGER_METHODS.contains(&name) || OTHER_METHODS.contains(&name)
}
