//! What the compiler's flags change of the language and the ABI.
//!
//! Only the preprocessor is run by the compiler, so what a flag does to types, layouts and arithmetic has to be known
//! here. Flags that change nothing of it are listed, a few are modelled, and any other makes the verdict unknown.

use tour_ir::program::DataModel;

/// What a unit's flags ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abi {
    /// `-fpack-struct`: as if `#pragma pack` stood before the text.
    pub pack: Option<u64>,
    /// `-fshort-enums`: enumerations take the smallest type that holds them.
    pub short_enums: bool,
    /// `-fshort-wchar`: `wchar_t` is an unsigned type of 16 bits.
    pub short_wchar: bool,
    /// Flags that are not modelled.
    pub unmodelled: Vec<String>,
    /// Flags that change the results of floating arithmetic.
    pub floating: Vec<String>,
}

/// What a flag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Nothing,
    /// Nothing, and the next argument belongs to it.
    Argument,
    Pack(u64),
    ShortEnums,
    ShortWchar,
    /// Of floating arithmetic alone.
    Floating,
    Unmodelled,
}

/// Reads flags for a data model.
pub fn read<'a>(flags: impl Iterator<Item = &'a str>, model: DataModel) -> Abi {
    let mut abi = Abi::default();
    let mut flags = flags.peekable();
    while let Some(flag) = flags.next() {
        match effect(flag, flags.peek().copied(), model) {
            Effect::Nothing => {}
            Effect::Argument => {
                flags.next();
            }
            Effect::Pack(pack) => abi.pack = Some(pack),
            Effect::ShortEnums => abi.short_enums = true,
            Effect::ShortWchar => abi.short_wchar = true,
            Effect::Floating => abi.floating.push(flag.to_owned()),
            Effect::Unmodelled => abi.unmodelled.push(flag.to_owned()),
        }
    }
    abi
}

/// Flags whose argument is the next word.
const WITH_ARGUMENT: &[&str] = &[
    "-D",
    "-I",
    "-L",
    "-MF",
    "-MQ",
    "-MT",
    "-U",
    "-Xassembler",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-o",
    "-u",
    "-z",
    "--param",
    "--sysroot",
];

/// Beginnings of flags about warnings, paths, output, debugging, linking.
const PREFIXES: &[&str] = &[
    "-D",
    "-I",
    "-L",
    "-M",
    "-U",
    "-W",
    "-d",
    "-g",
    "-idirafter",
    "-include",
    "-imacros",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-l",
    "-o",
    "-pedantic",
    "-B",
    "-R",
    "-std=",
    "--std=",
    "--sysroot=",
    "--param=",
    "--include",
    "--warn",
    "-fdiagnostics",
    "-ferror-limit",
    "-fmax-errors",
    "-fmessage-length",
    "-fdebug",
    "-ffile-prefix-map",
    "-fmacro-prefix-map",
    "-frandom-seed",
    "-fdump",
    "-fopt-info",
    "-fsave-optimization",
    "-fcolor-diagnostics",
    "-fno-color-diagnostics",
    "-fstack-usage",
    "-fcallgraph-info",
    "-fprofile",
    "-fno-profile",
    "-ftest-coverage",
    "-fcoverage-mapping",
    "-flto",
    "-fno-lto",
    "-ffat-lto",
    "-fuse-ld",
    "-fvisibility",
    "-fno-visibility",
    "-fstack-protector",
    "-fno-stack-protector",
    "-fstack-clash",
    "-fno-stack-clash",
    "-fcf-protection",
    "-fpatchable",
    "-falign-",
    "-fno-align-",
    "-finline",
    "-fno-inline",
    "-fipa",
    "-fno-ipa",
    "-ftree",
    "-fno-tree",
    "-fgcse",
    "-fno-gcse",
    "-fsched",
    "-fno-sched",
    "-floop",
    "-fno-loop",
    "-funroll",
    "-fno-unroll",
    "-fvectorize",
    "-fno-vectorize",
    "-fslp",
    "-fno-slp",
    "-fmodulo",
    "-fvect",
    "-fira",
    "-fprefetch",
    "-fno-prefetch",
    "-fdevirtual",
    "-fno-devirtual",
    "-fbuiltin",
    "-fno-builtin",
    "-fmodules",
    "-fno-modules",
    "-ftime",
    "-fconstexpr",
    "-ftemplate",
    "-fsanitize-blacklist",
    "-fsanitize-ignorelist",
    "-fno-sanitize",
    "-fdata-sections",
    "-ffunction-sections",
    "-mtune=",
    "-mcmodel",
    "-mtls",
    "-mindirect-branch",
    "-mfunction-return",
    "-mstack",
    "-mno-stack",
    "-mpreferred-stack-boundary",
    "-mincoming-stack",
    "-mprefer-vector-width",
    "-mavx2",
    "-mno-avx",
    "-msse2",
    "-msse3",
    "-msse4",
    "-mssse3",
    "-mmmx",
    "-mno-mmx",
    "-mno-sse3",
    "-mno-sse4",
    "-mno-ssse3",
    "-mbmi",
    "-mno-bmi",
    "-madx",
    "-maes",
    "-mpclmul",
    "-mpopcnt",
    "-mlzcnt",
    "-mrdrnd",
    "-mrdseed",
    "-msha",
    "-mcrc32",
    "-mmovbe",
    "-mxsave",
    "-mfxsr",
    "-mf16c",
    "-mno-f16c",
    "-mvaes",
    "-mvpclmul",
    "-mgfni",
    "-mcx16",
    "-mno-red-zone",
    "-mred-zone",
    "-mretpoline",
    "-mharden",
    "-mrecord",
    "-mfentry",
    "-mmacosx",
    "-mmitigate",
    "-mspeculative",
    "-mno-fma",
    "-mno-80387",
    "-mno-fp-ret",
    "-maccumulate",
    "-mno-accumulate",
    "-momit",
    "-mno-omit",
    "-mvzeroupper",
    "-mlong-calls",
    "-mshstk",
    "-mmanual",
    "-mlvi",
    "-mseses",
];

/// Flags in full.
const HARMLESS: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-P",
    "-C",
    "-w",
    "-v",
    "-H",
    "-Q",
    "-s",
    "-x",
    "-pipe",
    "-ansi",
    "-traditional-cpp",
    "-trigraphs",
    "-pthread",
    "-pthreads",
    "-static",
    "-shared",
    "-pie",
    "-no-pie",
    "-nopie",
    "-rdynamic",
    "-r",
    "-nostdinc",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nolibc",
    "-undef",
    "-remap",
    "-save-temps",
    "-time",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-PIC",
    "-fno-pic",
    "-fno-PIE",
    "-fno-pie",
    "-fplt",
    "-fno-plt",
    "-fsemantic-interposition",
    "-fno-semantic-interposition",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-foptimize-sibling-calls",
    "-fno-optimize-sibling-calls",
    "-fexceptions",
    "-fno-exceptions",
    "-funwind-tables",
    "-fno-unwind-tables",
    "-fasynchronous-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fnon-call-exceptions",
    "-fdelete-dead-exceptions",
    "-fverbose-asm",
    "-fno-verbose-asm",
    "-fident",
    "-fno-ident",
    "-fhosted",
    "-ffreestanding",
    "-fno-hosted",
    "-fgnu89-inline",
    "-fno-gnu89-inline",
    "-fcommon",
    "-fno-common",
    "-fstrict-aliasing",
    "-fno-strict-aliasing",
    "-fstrict-overflow",
    "-fsigned-char",
    "-fno-unsigned-char",
    "-fsigned-bitfields",
    "-fno-unsigned-bitfields",
    "-fno-short-enums",
    "-fno-short-wchar",
    "-fno-pack-struct",
    "-fno-trapv",
    "-fno-wrapv",
    "-fwrapv",
    "-fno-fast-math",
    "-fmath-errno",
    "-fsigned-zeros",
    "-ftrapping-math",
    "-fno-trapping-math",
    "-fno-associative-math",
    "-fno-reciprocal-math",
    "-fno-finite-math-only",
    "-fno-unsafe-math-optimizations",
    "-fno-rounding-math",
    "-ffp-contract=off",
    "-ffp-model=strict",
    "-ffp-model=precise",
    "-fexcess-precision=standard",
    "-ffloat-store",
    "-fno-signaling-nans",
    "-fkeep-inline-functions",
    "-fkeep-static-functions",
    "-fkeep-static-consts",
    "-fkeep-persistent-storage-decls",
    "-fno-keep-inline-functions",
    "-ftoplevel-reorder",
    "-fno-toplevel-reorder",
    "-funit-at-a-time",
    "-fno-unit-at-a-time",
    "-fzero-initialized-in-bss",
    "-fno-zero-initialized-in-bss",
    "-fmerge-constants",
    "-fno-merge-constants",
    "-fdelete-null-pointer-checks",
    "-fno-delete-null-pointer-checks",
    "-fisolate-erroneous-paths-dereference",
    "-fno-isolate-erroneous-paths-dereference",
    "-fcrossjumping",
    "-fno-crossjumping",
    "-fcse-follow-jumps",
    "-fif-conversion",
    "-fno-if-conversion",
    "-fjump-tables",
    "-fno-jump-tables",
    "-freorder-blocks",
    "-freorder-functions",
    "-fno-reorder-blocks",
    "-fno-reorder-functions",
    "-fthread-jumps",
    "-fno-thread-jumps",
    "-frename-registers",
    "-fno-rename-registers",
    "-fweb",
    "-fgraphite-identity",
    "-fpartial-inlining",
    "-fno-partial-inlining",
    "-fshrink-wrap",
    "-fno-shrink-wrap",
    "-fsplit-stack",
    "-fsplit-loops",
    "-fsplit-wide-types",
    "-fno-split-wide-types",
    "-fexpensive-optimizations",
    "-fforward-propagate",
    "-fhoist-adjacent-loads",
    "-fcaller-saves",
    "-fcode-hoisting",
    "-fguess-branch-probability",
    "-flifetime-dse=0",
    "-fno-lifetime-dse",
    "-fno-allow-store-data-races",
    "-fextended-identifiers",
    "-fdollars-in-identifiers",
    "-fno-ms-extensions",
    "-fblocks",
    "-fno-blocks",
    "-fasm",
    "-fgnu-keywords",
    "-fgnu-runtime",
    "-fno-gnu-unique",
    "-fgnu-unique",
    "-fpreprocessed",
    "-fdirectives-only",
    "-fworking-directory",
    "-fno-working-directory",
    "-fpch-preprocess",
    "-fshow-column",
    "-fno-show-column",
    "-fshow-source-location",
    "-fno-caret-diagnostics",
    "-fcaret-diagnostics",
    "-fintegrated-as",
    "-fno-integrated-as",
    "-fno-addrsig",
    "-faddrsig",
    "-fno-spell-checking",
    "-fspell-checking",
    "-fuse-linker-plugin",
    "-fno-use-linker-plugin",
    "-fno-stack-check",
    "-fstack-check",
    "-fno-threadsafe-statics",
    "-fno-rtti",
    "-fno-elide-type",
    "-fno-limit-debug-info",
    "-fstandalone-debug",
    "-fno-standalone-debug",
    "-flarge-source-files",
    "-fno-canonical-system-headers",
    "-fcanonical-system-headers",
    "-fno-partial-inlining",
    "-fno-strict-overflow",
    "-fno-direct-access-external-data",
    "-fPIC-",
    "-mfpmath=sse",
    "-msse",
    "-m128bit-long-double",
    "-mlong-double-80",
    "-mhard-float",
    "-m80387",
    "-mavx",
    "-mno-ms-bitfields",
    "-mno-align-stringops",
    "-minline-all-stringops",
    "-mno-inline-all-stringops",
    "-mpush-args",
    "-mieee-fp",
    "-mno-ieee-fp",
    "-mrtd-off",
    "-mandroid",
    "-mglibc",
    "-mmusl",
    "-muclibc",
    "-mgeneral-regs-only",
    "--coverage",
    "--verbose",
    "-qmkshrobj",
    "-Qunused-arguments",
    "-Qn",
    "-emit-llvm",
    "-fembed-bitcode",
    "-pg",
    "-p",
    "-no-canonical-prefixes",
    "-no-integrated-cpp",
    "-specs=",
    "-###",
    "--",
    "-",
];

fn effect(flag: &str, next: Option<&str>, model: DataModel) -> Effect {
    let narrow = model == DataModel::Ilp32;
    match flag {
        _ if !flag.starts_with('-') => Effect::Nothing,
        "-fpack-struct" => Effect::Pack(1),
        "-fshort-enums" => Effect::ShortEnums,
        "-fshort-wchar" => Effect::ShortWchar,
        "-m64" if !narrow => Effect::Nothing,
        "-m32" | "-m96bit-long-double" if narrow => Effect::Nothing,
        "-x" if next == Some("c") => Effect::Argument,
        "-x" => Effect::Unmodelled,
        "-O" | "-O0" | "-O1" | "-O2" | "-O3" | "-O4" | "-Os" | "-Oz" | "-Og" => Effect::Nothing,
        // What clang's own driver or LLVM is told can be anything.
        "-Xclang" | "-mllvm" | "-Xarch_host" => Effect::Unmodelled,
        // The linker may be told to take one symbol for another.
        "-Xlinker" => match next {
            Some(next) if is_harmless_to_link(next) => Effect::Argument,
            _ => Effect::Unmodelled,
        },
        "-T" | "-e" => Effect::Unmodelled,
        "-z" if next == Some("muldefs") => Effect::Unmodelled,
        "-target" | "--target" if next.is_some_and(|next| is_target(next, narrow)) => Effect::Argument,
        "-Ofast"
        | "-ffast-math"
        | "-funsafe-math-optimizations"
        | "-fassociative-math"
        | "-freciprocal-math"
        | "-ffinite-math-only"
        | "-fno-signed-zeros"
        | "-frounding-math"
        | "-fsignaling-nans"
        | "-fexcess-precision=fast"
        | "-ffp-contract=fast"
        | "-ffp-contract=on"
        | "-ffp-model=fast"
        | "-mfma"
        | "-mfma4"
        | "-mno-sse"
        | "-mno-sse2"
        | "-mfpmath=387"
        | "-mfpmath=both"
        | "-mfpmath=sse,387"
        | "-mfpmath=sse+387"
        | "-mpc32"
        | "-mpc64"
        | "-mpc80"
        | "-msoft-float"
        | "-mno-80387"
        | "-mdaz-ftz"
        | "-mrecip" => Effect::Floating,
        "-fno-math-errno" => Effect::Floating,
        _ if WITH_ARGUMENT.contains(&flag) => Effect::Argument,
        _ if HARMLESS.contains(&flag) => Effect::Nothing,
        _ => {
            if let Some(pack) = flag.strip_prefix("-fpack-struct=") {
                return match pack.parse() {
                    Ok(pack @ (1 | 2 | 4 | 8 | 16)) => Effect::Pack(pack),
                    _ => Effect::Unmodelled,
                };
            }
            if let Some(options) = flag.strip_prefix("-Wl,") {
                let harmless = options.split(',').all(is_harmless_to_link);
                return if harmless { Effect::Nothing } else { Effect::Unmodelled };
            }
            if let Some(machine) = flag.strip_prefix("-march=") {
                return if WITHOUT_FMA.contains(&machine) { Effect::Nothing } else { Effect::Floating };
            }
            if let Some(target) = flag.strip_prefix("--target=") {
                return if is_target(target, narrow) { Effect::Nothing } else { Effect::Unmodelled };
            }
            if PREFIXES.iter().any(|prefix| flag.starts_with(prefix)) {
                Effect::Nothing
            } else {
                Effect::Unmodelled
            }
        }
    }
}

/// Options of the linker that replace symbols, or choose among their definitions or where they stand.
const SYMBOLS: &[&str] = &[
    "wrap",
    "defsym",
    "allow-multiple-definition",
    "muldefs",
    "script",
    "version-script",
    "entry",
    "init",
    "fini",
];

/// A word for the linker leaves every symbol its meaning.
fn is_harmless_to_link(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    let short = word == "-T" || word == "-e" || word.starts_with("-T") && !word.starts_with("--");
    !short && !SYMBOLS.contains(&name)
}

/// Processors that have no instruction which multiplies and adds, and rounds once where C rounds twice.
const WITHOUT_FMA: &[&str] = &[
    "x86-64",
    "x86-64-v2",
    "core2",
    "nocona",
    "nehalem",
    "westmere",
    "sandybridge",
    "ivybridge",
    "corei7",
    "corei7-avx",
    "core-avx-i",
    "bonnell",
    "silvermont",
    "atom",
    "k8",
    "k8-sse3",
    "amdfam10",
    "barcelona",
    "btver1",
    "btver2",
    "opteron",
    "athlon64",
    "prescott",
    "i386",
    "i486",
    "i586",
    "i686",
    "pentium",
    "pentium3",
    "pentium4",
    "pentium-m",
    "pentiumpro",
];

/// A target triple is that of the data model.
fn is_target(triple: &str, narrow: bool) -> bool {
    let machine = triple.split('-').next().unwrap_or("");
    let linux = triple.contains("linux") && !triple.contains("x32");
    linux && if narrow { matches!(machine, "i386" | "i486" | "i586" | "i686") } else { machine == "x86_64" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(flags: &[&str]) -> Abi {
        read(flags.iter().copied(), DataModel::Lp64)
    }

    #[test]
    fn harmless_flags_change_nothing() {
        let flags = [
            "-O2",
            "-Wall",
            "-Wextra",
            "-I",
            "-funsigned-char",
            "-D",
            "-DX=1",
            "-std=gnu99",
            "-fPIC",
            "-m64",
            "-ffunction-sections",
            "-gdwarf-4",
            "-fno-strict-aliasing",
            "-pthread",
            "-MD",
            "-MF",
            "x.d",
            "file.c",
            "-fvisibility=hidden",
            "-msse4.1",
            "-Wl,-O1,--as-needed,-z,relro",
            "-Xlinker",
            "--gc-sections",
            "--target=x86_64-unknown-linux-gnu",
        ];
        assert_eq!(of(&flags), Abi::default());
    }

    #[test]
    fn what_changes_the_abi_is_modelled_or_reported() {
        assert_eq!(of(&["-fpack-struct"]).pack, Some(1));
        assert_eq!(of(&["-fpack-struct=2"]).pack, Some(2));
        assert!(of(&["-fshort-enums"]).short_enums);
        assert!(of(&["-fshort-wchar"]).short_wchar);
        for flag in [
            "-funsigned-char",
            "-funsigned-bitfields",
            "-mms-bitfields",
            "-ftrapv",
            "-m32",
            "-mx32",
            "-mlong-double-64",
            "-fsanitize=undefined",
            "-finstrument-functions",
            "-fopenmp",
            "-ftrivial-auto-var-init=zero",
            "-fleading-underscore",
            "-fsome-new-thing",
            "-mllvm",
            "--target=arm-none-eabi",
            "-fpack-struct=3",
            "-fsingle-precision-constant",
            "-fmerge-all-constants",
            "-Wl,--wrap=f",
            "-Wl,-O1,--defsym=g=f",
            "-Wl,-z,muldefs",
        ] {
            assert_eq!(of(&[flag]).unmodelled, [flag], "{flag}");
        }
        for flag in ["-ffast-math", "-Ofast", "-mfma", "-fno-signed-zeros", "-march=native"] {
            assert_eq!(of(&[flag]).floating, [flag], "{flag}");
        }
        assert_eq!(read(["-m32"].into_iter(), DataModel::Ilp32), Abi::default());
    }
}
