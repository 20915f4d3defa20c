//! What the attributes of gcc and clang mean to a program.
//!
//! Three lists: those that `sema` models, those that only advise the compiler, and those that change what happens in a
//! way that we do not model. A name in none of them is ignored by compilers, with a warning, if they do not know it
//! either; the compiler is asked for that (`judge`).

/// What an attribute does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It changes the meaning, and is modelled.
    Modelled(&'static str),
    /// It changes the meaning in a way that is not modelled.
    Unmodelled(&'static str),
    /// It says nothing of what a right program does: it advises the optimiser, the linker or whoever reads warnings,
    /// or promises what would be undefined otherwise.
    Harmless,
}

/// The meaning of an attribute, by its name without the underscores around it; `None` if we do not know it.
pub fn meaning(name: &str) -> Option<Meaning> {
    let find = |list: &'static [&'static str]| list.binary_search(&name).ok().map(|i| list[i]);
    if let Some(name) = find(MODELLED) {
        return Some(Meaning::Modelled(name));
    }
    if let Some(name) = find(UNMODELLED) {
        return Some(Meaning::Unmodelled(name));
    }
    let family = HARMLESS_FAMILIES.iter().any(|family| name.starts_with(family));
    (family || find(HARMLESS).is_some()).then_some(Meaning::Harmless)
}

/// `__packed__` is `packed`.
pub fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

/// Known to `sema` by these names.
const MODELLED: &[&str] = &[
    "alias",
    "aligned",
    "assume_aligned",
    "const",
    "constructor",
    "destructor",
    "gnu_inline",
    "malloc",
    "mode",
    "nonnull",
    "noreturn",
    "optimize",
    "packed",
    "pure",
    "reproducible",
    "returns_nonnull",
    "section",
    "transparent_union",
    "unsequenced",
    "vector_size",
    "weak",
    "weakref",
];

const UNMODELLED: &[&str] = &[
    // On x86, some spaces are relative to a segment register.
    "address_space",
    "blocks",
    "cleanup",
    "copy",
    "cpu_dispatch",
    "cpu_specific",
    "enable_if",
    "ext_vector_type",
    "hardbool",
    "ifunc",
    "internal_linkage",
    "interrupt",
    "loader_uninitialized",
    "matrix_type",
    "ms_struct",
    "naked",
    "neon_polyvector_type",
    "neon_vector_type",
    "noinit",
    "overloadable",
    "pass_dynamic_object_size",
    "pass_object_size",
    "persistent",
    "randomize_layout",
    "scalar_storage_order",
];

/// Modelled, and a promise of functions: elsewhere they say nothing.
pub const PROMISES: &[&str] = &[
    "assume_aligned",
    "const",
    "malloc",
    "nonnull",
    "pure",
    "reproducible",
    "returns_nonnull",
    "unsequenced",
];

/// Checkers of threads, ownership and capabilities, other systems and languages.
const HARMLESS_FAMILIES: &[&str] = &[
    "acquire_",
    "amdgpu_",
    "assert_",
    "btf_",
    "bpf_",
    "cf_",
    "exclusive_",
    "fd_arg",
    "guarded_",
    "intel_",
    "lock",
    "no_sanitize",
    "ns_",
    "nvptx_",
    "objc_",
    "os_",
    "ownership_",
    "pt_guarded_",
    "release_",
    "requires_",
    "riscv_",
    "shared_",
    "swift_",
    "sycl_",
    "thread_safety",
    "try_acquire_",
    "unlock",
    "xray_",
];

const HARMLESS: &[&str] = &[
    "access",
    "acquired_after",
    "acquired_before",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "analyzer_noreturn",
    "annotate",
    "annotate_type",
    "argument_with_type_tag",
    "artificial",
    "assume",
    "availability",
    "callback",
    "capability",
    "cdecl",
    "cf_check",
    "cold",
    "common",
    "convergent",
    "counted_by",
    "deprecated",
    "designated_init",
    "diagnose_as_builtin",
    "diagnose_if",
    "disable_sanitizer_instrumentation",
    "disable_tail_calls",
    "dllexport",
    "dllimport",
    "ended_by",
    "enforce_tcb",
    "enum_extensibility",
    "error",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fentry_name",
    "fentry_section",
    "flag_enum",
    "flatten",
    "force_align_arg_pointer",
    "format",
    "format_arg",
    "function_return",
    "gcc_struct",
    "hot",
    "indirect_branch",
    "indirect_return",
    "leaf",
    "lifetimebound",
    "likely",
    "may_alias",
    "maybe_unused",
    "minsize",
    "ms_abi",
    "ms_hook_prologue",
    "musttail",
    "no_builtin",
    "no_caller_saved_registers",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_randomize_layout",
    "no_reorder",
    "no_speculative_load_hardening",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "no_thread_safety_analysis",
    "nocf_check",
    "noclone",
    "nocommon",
    "nodebug",
    "noderef",
    "nodirect_extern_access",
    "nodiscard",
    "noduplicate",
    "noescape",
    "noinline",
    "noipa",
    "nomerge",
    "nonstring",
    "noplt",
    "not_tail_called",
    "nothrow",
    "null_terminated_string_arg",
    "optnone",
    "patchable_function_entry",
    "preferred_name",
    "preserve_access_index",
    "preserve_all",
    "preserve_most",
    "regcall",
    "regparm",
    "require_constant_initialization",
    "retain",
    "returns_twice",
    "scoped_lockable",
    // Of several definitions one counts, where it is heeded: there may be no second one here.
    "selectany",
    "sentinel",
    "simd",
    "sized_by",
    "speculative_load_hardening",
    "sseregparm",
    "stack_protect",
    "standalone_debug",
    "stdcall",
    "strict_flex_array",
    "suppress",
    "symver",
    "sysv_abi",
    "tainted_args",
    "target",
    "target_clones",
    "target_version",
    "test_typestate",
    "thiscall",
    "tls_model",
    "type_tag_for_datatype",
    "type_visibility",
    "unavailable",
    "uninitialized",
    "unlikely",
    "unsafe_buffer_usage",
    "unused",
    "used",
    "uuid",
    "vectorcall",
    "visibility",
    "volatile",
    "warn_if_not_aligned",
    "warn_unused",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_has_one_meaning() {
        for list in [MODELLED, UNMODELLED, HARMLESS, HARMLESS_FAMILIES] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]) || list == HARMLESS_FAMILIES, "{list:?}");
        }
        let check = |name: &str, want: Option<Meaning>| assert_eq!(meaning(plain(name)), want, "{name}");
        check("__packed__", Some(Meaning::Modelled("packed")));
        check("destructor", Some(Meaning::Modelled("destructor")));
        check("cleanup", Some(Meaning::Unmodelled("cleanup")));
        check("scalar_storage_order", Some(Meaning::Unmodelled("scalar_storage_order")));
        check("__nothrow__", Some(Meaning::Harmless));
        check("no_sanitize_thread", Some(Meaning::Harmless));
        check("made_up", None);
    }
}
