//! Which names are functions of the C library: `lib/names.txt`.
//!
//! The list has what glibc's `libc` and `libm` export and what its headers declare, each with its shape where a header
//! declares it: the kinds of its result and its parameters (`i` an integer, `f` a floating number, `p` a pointer, `v` nothing, `s`
//! anything else), and `.` for further arguments. A function that a program declares under such a name and does not define is the
//! library's. But code that runs without a library (a kernel's) may have an `index` or `remove` of its own: one of
//! another shape is.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;
use tour_ir::program::{FnSig, Program, Type, TypeId, Types};

/// The names, each with its shape if that is known.
fn all() -> &'static FxHashMap<&'static str, Option<&'static str>> {
    static ALL: OnceLock<FxHashMap<&str, Option<&str>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = include_str!("../../../lib/names.txt").lines();
        lines
            .map(|line| line.split_once(' ').map_or((line, None), |(name, shape)| (name, Some(shape))))
            .collect()
    })
}

/// The library has a function of this name.
pub(super) fn is_known(name: &str) -> bool {
    all().contains_key(name)
}

/// C, or a compiler, knows the function: `lib/reserved.txt` has what the standard reserves (C11 7.1.3), and what gcc and clang
/// replace calls of besides.
pub(super) fn is_reserved(name: &str) -> bool {
    static ALL: OnceLock<FxHashSet<&str>> = OnceLock::new();
    ALL.get_or_init(|| include_str!("../../../lib/reserved.txt").split_whitespace().collect()).contains(name)
}

/// A function without a definition, declared like this, is the library's.
pub(super) fn is_library(program: &Program, name: &str, sig: &FnSig) -> bool {
    if is_part(name) {
        return true;
    }
    match all().get(name) {
        Some(Some(known)) => !sig.prototyped || is_of_shape(&program.types, sig, known),
        Some(None) => true,
        None => false,
    }
}

/// What a call of a library function is taken apart into: see `sema::format`.
fn is_part(name: &str) -> bool {
    ["__format_", "__scan_", "__input_", "__library_"].iter().any(|prefix| name.starts_with(prefix))
}

/// A function has a shape. What is neither a number nor a pointer is not looked at: some headers declare pointers as
/// unions of them.
fn is_of_shape(types: &Types, sig: &FnSig, known: &str) -> bool {
    let own = shape(types, sig);
    own.len() == known.len() && own.bytes().zip(known.bytes()).all(|(a, b)| a == b || b == b's')
}

/// The shape of a function.
fn shape(types: &Types, sig: &FnSig) -> String {
    let kind = |ty: TypeId| match types[ty] {
        Type::Void => 'v',
        Type::Float(_) => 'f',
        _ if types.int_type(ty).is_some() => 'i',
        _ if types.pointee(ty).is_some() => 'p',
        _ => 's',
    };
    let all = std::iter::once(kind(sig.ret)).chain(sig.params.iter().map(|ty| kind(*ty)));
    all.chain(sig.variadic.then_some('.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;
    use crate::front::Input;
    use crate::load;
    use tour_ir::program::{DataModel, Op};

    /// What glibc installs, but for what belongs to the kernel or is no C of our time.
    const HEADERS: &str = "aio aliases alloca argp argz arpa/inet assert byteswap complex crypt ctype dirent dlfcn endian \
        envz err errno error execinfo fcntl fenv fmtmsg fnmatch fstab fts ftw getopt glob grp gshadow iconv ifaddrs \
        inttypes langinfo libgen libintl link locale malloc math mcheck memory mntent monetary mqueue net/if netdb \
        netinet/ether netinet/in nl_types nss obstack poll printf pthread pty pwd regex resolv sched search semaphore \
        setjmp shadow signal spawn stdint stdio stdio_ext stdlib string strings sys/acct sys/auxv sys/epoll sys/eventfd \
        sys/fanotify sys/file sys/fsuid sys/inotify sys/ioctl sys/ipc sys/klog sys/mman sys/mount sys/msg sys/personality \
        sys/poll sys/prctl sys/ptrace sys/quota sys/random sys/reboot sys/resource sys/select sys/sem sys/sendfile \
        sys/shm sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs sys/swap sys/syscall sys/sysinfo sys/time \
        sys/timeb sys/timerfd sys/times sys/timex sys/types sys/uio sys/un sys/utsname sys/vfs sys/wait sys/xattr syslog \
        termios threads time ttyent uchar ucontext ulimit unistd utime utmp utmpx wait wchar wctype wordexp";

    /// Every function that a header of the installed C library declares is one of the list, so that none is taken for a
    /// function of the program that returns any value and does nothing.
    #[test]
    fn all_functions_of_the_headers_are_known() {
        let includes: String = (HEADERS.split_whitespace())
            .map(|h| format!("#if __has_include(<{h}.h>)\n#include <{h}.h>\n#endif\n"))
            .collect();
        let text = format!("#define _GNU_SOURCE\n{includes}int main(void) {{ return 0; }}\n");
        let mut options = LoadOptions::new(DataModel::Lp64);
        options.front.entries.clear();
        let program =
            load(&[Input::text("headers.c", text)], &options).unwrap_or_else(|error| panic!("{error}"));
        let mut missing: Vec<String> = (program.functions.iter())
            .filter(|f| f.body.is_none() && program.sources.place(f.span).system)
            .map(|f| (f, f.sig(&program.types)))
            .filter(|(f, sig)| match all().get(f.name.as_str()) {
                Some(Some(known)) => !is_of_shape(&program.types, sig, known),
                Some(None) | None => true,
            })
            .map(|(f, sig)| format!("{} {}", f.name, shape(&program.types, sig)))
            .collect();
        missing.sort();
        let unread = program.cfa.edges.iter().find_map(|edge| match &edge.op {
            Op::Unsupported(what) if what.kind == "syntax" => {
                Some((what.message.as_str(), program.sources.display(edge.span).to_string()))
            }
            _ => None,
        });
        assert_eq!(unread, None);
        assert!(program.functions.len() > 1000, "{} functions", program.functions.len());
        assert!(missing.is_empty(), "lines for lib/names.txt:\n{}", missing.join("\n"));
    }

    #[test]
    fn names_are_the_librarys_in_their_shape() {
        let check = |text: &str, name: &str, want: bool| {
            let text = format!("{text} int main(void) {{ return 0; }}");
            let mut options = LoadOptions::new(DataModel::Lp64);
            options.front.entries.clear();
            let program = load(&[Input::text("a.i", text.clone())], &options).expect("a program");
            let function = program.functions.iter().find(|f| f.name == name).expect("the function");
            assert_eq!(is_library(&program, name, function.sig(&program.types)), want, "{text}");
        };
        check("unsigned strlen(char *);", "strlen", true);
        check("int strlen();", "strlen", true);
        check("int remove(int);", "remove", false);
        check("int remove(const char *);", "remove", true);
        check("int read_sensor(void);", "read_sensor", false);
        check("double sin(double);", "sin", true);
        check("int __libc_start_main(int);", "__libc_start_main", true);
    }
}
