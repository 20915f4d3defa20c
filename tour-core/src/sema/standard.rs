//! Functions of the standard library that have no body here although it is known what they do: they write through their
//! arguments, or their result is a certain number. To take them for functions that return any value and have no effect
//! would be wrong, not just an assumption.

/// They write through their arguments, or to variables of the library.
const WRITERS: [&str; 66] = [
    "accept",
    "asctime_r",
    "asprintf",
    "clock_gettime",
    "ctime_r",
    "fgetpos",
    "fscanf",
    "fstat",
    "getaddrinfo",
    "getcwd",
    "getdelim",
    "gethostname",
    "getline",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "getpeername",
    "getrandom",
    "getrlimit",
    "getrusage",
    "gets",
    "getsockname",
    "getsockopt",
    "gettimeofday",
    "gmtime_r",
    "localtime_r",
    "lstat",
    "mbrtowc",
    "mbstowcs",
    "mbtowc",
    "mktime",
    "nanosleep",
    "pipe",
    "poll",
    "pread",
    "readlink",
    "readv",
    "realpath",
    "recv",
    "recvfrom",
    "recvmsg",
    "remquo",
    "scanf",
    "select",
    "snprintf",
    "sprintf",
    "sscanf",
    "stat",
    "strerror_r",
    "strftime",
    "strxfrm",
    "swab",
    "tmpnam",
    "uname",
    "vasprintf",
    "vfscanf",
    "vscanf",
    "vsnprintf",
    "vsprintf",
    "vsscanf",
    "wait",
    "waitpid",
    "wcrtomb",
    "wcstombs",
    "wctomb",
    "wmemset",
];

/// They give a certain number: mathematics, with or without an `f` or `l` at the end.
const NUMBERS: [&str; 40] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fma",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "nexttoward",
    "pow",
    "remainder",
    "scalb",
    "scalbln",
    "scalbn",
    "significand",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
];

/// They give what a text says.
const TEXTS: [&str; 12] = [
    "atof",
    "strtod",
    "strtof",
    "strtold",
    "strverscmp",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscpy",
    "wcslen",
    "wcsncmp",
    "wmemcpy",
];

/// They read or set the state of floating arithmetic: how it rounds, and what has happened.
const ENVIRONMENT: [&str; 10] = [
    "__fesetround_other_mode",
    "feclearexcept",
    "fegetenv",
    "fegetexceptflag",
    "feholdexcept",
    "feraiseexcept",
    "fesetenv",
    "fesetexceptflag",
    "fetestexcept",
    "feupdateenv",
];

/// Whose bodies in C are for `float` and `double`: the variants for `long double` are not modelled.
const DOUBLES: [&str; 16] = [
    "ceil", "copysign", "fabs", "fdim", "floor", "fmax", "fmin", "fmod", "frexp", "llrint", "llround",
    "lrint", "lround", "modf", "rint", "round",
];

/// The function is one of these, or a part of one.
pub(super) fn is_known(name: &str) -> bool {
    let name = name.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_");
    let short = name.strip_suffix('f').or(name.strip_suffix('l')).unwrap_or(name);
    let among = |names: &[&str], name: &str| names.binary_search(&name).is_ok();
    let part = ["__format_", "__scan_", "__input_"].iter().any(|prefix| name.starts_with(prefix));
    part || among(&WRITERS, name)
        || among(&TEXTS, name)
        || among(&ENVIRONMENT, name)
        || among(&NUMBERS, name)
        || among(&NUMBERS, short)
        || (short != name && (among(&DOUBLES, short) || matches!(short, "trunc" | "nearbyint")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for list in [&WRITERS[..], &NUMBERS, &TEXTS, &ENVIRONMENT, &DOUBLES] {
            assert!(list.is_sorted(), "{list:?}");
        }
        let check = |name: &str, want: bool| assert_eq!(is_known(name), want, "{name}");
        check("sin", true);
        check("powf", true);
        check("floorl", true);
        check("__isoc99_scanf", true);
        check("vsnprintf", true);
        check("feraiseexcept", true);
        check("read_sensor", false);
        check("kfree", false);
        check("half", false);
    }
}
