//! Functions of the standard library that have no body here although it is known what they do: they write through their
//! arguments, or their result is a certain number. To take them for functions that return any value and have no effect
//! would be wrong, not just an assumption.

/// They write through their arguments, or to variables of the library, or change what is read next.
const WRITERS: [&str; 150] = [
    "accept",
    "asctime_r",
    "asprintf",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "ctime_r",
    "epoll_wait",
    "erand48",
    "fgetpos",
    "fgetws",
    "fscanf",
    "fstat",
    "fstatat",
    "fstatfs",
    "fstatvfs",
    "ftime",
    "fwscanf",
    "getaddrinfo",
    "getcontext",
    "getcwd",
    "getdelim",
    "getgroups",
    "gethostbyname_r",
    "gethostname",
    "getitimer",
    "getline",
    "getloadavg",
    "getlogin_r",
    "getnameinfo",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "getpeername",
    "getpwnam_r",
    "getpwuid_r",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getrusage",
    "gets",
    "getsockname",
    "getsockopt",
    "getsubopt",
    "gettimeofday",
    "glob",
    "gmtime_r",
    "iconv",
    "inet_aton",
    "inet_ntop",
    "inet_pton",
    "initstate_r",
    "ioctl",
    "jrand48",
    "localtime_r",
    "lstat",
    "mbrtowc",
    "mbsrtowcs",
    "mbstowcs",
    "mbtowc",
    "mkdtemp",
    "mkstemp",
    "mkstemps",
    "mktime",
    "nanosleep",
    "nrand48",
    "pipe",
    "pipe2",
    "poll",
    "ppoll",
    "pread",
    "preadv",
    "process_vm_readv",
    "pselect",
    "pthread_sigmask",
    "rand_r",
    "random_r",
    "readdir_r",
    "readlink",
    "readlinkat",
    "readv",
    "realpath",
    "recv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "regcomp",
    "regexec",
    "remquo",
    "scanf",
    "sched_getaffinity",
    "select",
    "setitimer",
    "sigaddset",
    "sigdelset",
    "sigemptyset",
    "sigfillset",
    "sigpending",
    "sigprocmask",
    "sigwait",
    "sigwaitinfo",
    "snprintf",
    "socketpair",
    "sprintf",
    "sscanf",
    "stat",
    "statfs",
    "statvfs",
    "statx",
    "strerror_r",
    "strfmon",
    "strfromd",
    "strftime",
    "strptime",
    "strxfrm",
    "swab",
    "swapcontext",
    "swprintf",
    "swscanf",
    "sysinfo",
    "tcgetattr",
    "timer_create",
    "times",
    "tmpnam",
    "ttyname_r",
    "uname",
    "ungetc",
    "vasprintf",
    "vfscanf",
    "vscanf",
    "vsnprintf",
    "vsprintf",
    "vsscanf",
    "vswprintf",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "wcrtomb",
    "wcsftime",
    "wcsncat",
    "wcsncpy",
    "wcsrtombs",
    "wcstombs",
    "wcsxfrm",
    "wctomb",
    "wmemmove",
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
const TEXTS: [&str; 34] = [
    "atof",
    "fnmatch",
    "inet_addr",
    "inet_network",
    "strtod",
    "strtof",
    "strtold",
    "strtold_l",
    "strverscmp",
    "wcscasecmp",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscoll",
    "wcscpy",
    "wcscspn",
    "wcsdup",
    "wcslen",
    "wcsncasecmp",
    "wcsncmp",
    "wcsnlen",
    "wcspbrk",
    "wcsrchr",
    "wcsspn",
    "wcsstr",
    "wcstod",
    "wcstof",
    "wcstol",
    "wcstoll",
    "wcstoul",
    "wcstoull",
    "wmemchr",
    "wmemcmp",
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
