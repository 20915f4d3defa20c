//! The library in C against the real one: the same calls with the same random strings, in the interpreter and natively.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::interp::{Fixed, Inputs, Options, Outcome, Request, Unobserved, Why, Zeros, run};
use tour_core::program::{DataModel, HavocOrigin};

/// Reads inputs, calls everything, and prints what comes out. Only what the standard fixes is printed: the sign of a
/// comparison, whether a class of characters fits.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <arpa/inet.h>
char *dirname(char *), *__xpg_basename(char *);
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <stdio.h>
#include <math.h>
int __signbit(double), __signbitf(float), __fpclassify(double), __fpclassifyf(float);
#ifdef NATIVE
static int __VERIFIER_nondet_int(void) { int n; if (scanf("%d", &n) != 1) exit(3); return n; }
#else
int __VERIFIER_nondet_int(void);
#endif
static int sign(int n) { return n < 0 ? -1 : n > 0; }
static long at(const char *base, const char *p) { return p ? p - base : -1; }
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void fill(char *text, int size) {
  int length = __VERIFIER_nondet_int();
  if (length < 0 || length >= size) length = size - 1;
  for (int i = 0; i < length; i++) text[i] = (char)__VERIFIER_nondet_int();
  text[length] = 0;
}
/* Everything is printed three times: where there is room, where there is none, and where it is cut off. */
#define SHOW(...) { \
  char to[80]; memset(to, 'x', 80); \
  int all = sprintf(to, __VA_ARGS__), none = snprintf(0, 0, __VA_ARGS__); \
  printf("%d %d <%s>", all, none, to); \
  memset(to, 'x', 80); int some = snprintf(to, 5, __VA_ARGS__); printf(" %d <%s>\n", some, to); }
static void later(const char *format, ...) {
  char to[40]; memset(to, 'x', 40);
  va_list list; va_start(list, format);
  int all = vsnprintf(to, strlen(format) % 2 ? 40 : 6, format, list);
  va_end(list);
  printf("%d <%s>\n", all, to);
}
static void late_formats(const char *text, int n, int c, int j) {
  char *made;
  later("%d|%i|%u|%x|%X|%o", j, -j, j, j, n, c); later("%5d|%-5d|%05d|%+d|% d", n, n, n, n, n); later("%%%c%3c|%-3c", c | 1, 'b', 'c');
  later("%.3d|%8.3d|%.0d", n, n, n & 1); later("%ld %lx %llu %hhd %hx %zu", (long)j * 1048576, (long)j, 1ull << 40, j, j, (size_t)n);
  later("%s|%9s|%-9s|%.2s", text, text, text, text); later("%*d|%-*d|%.*s", n, c, -n, c, n - 1, text); later("plain");
  int all = asprintf(&made, n & 1 ? "%d-%s" : "%x+%5s", n, text); printf("%d %s\n", all, made); free(made);
}
static void texts_of_numbers(int c, int n) {
  const char *signs[] = {"", "-", " +", "\t -", "x"}, *ends[] = {"", "e2", "E-3", "e+1x", "e", ".", ".25", ".5e-1", " 7", "inf"};
  char text[40], *end;
  for (int i = 0; i < 10; i++) {
    sprintf(text, "%s%d%s", signs[(i + n) % 5], c * n, ends[(i + c) % 10]);
    double d = strtod(text, &end);
    printf("%.17g %d %.17g", d, (int)(end - text), strtof(text, &end));
    printf(" %d %.17g\n", (int)(end - text), atof(text));
  }
  printf("%.17g %.17g %.17g\n", atof("-INF"), strtod("infinity", 0), atof(".5"));
}
static void paths(const char *text) {
  char one[16], two[16];
  for (int i = 0; i < 12; i++) one[i] = text[i] && text[i] % 3 == 0 ? '/' : text[i];
  one[12] = 0; strcpy(two, one);
  printf("%ld", at(one, basename(one))); printf(" [%s]", dirname(one)); printf(" [%s] [%s]\n", __xpg_basename(two), one);
  const char *some[] = {"//", "///", "//a", "a//b/", "/a", "", ".."};
  for (int i = 0; i < 7; i++) { strcpy(one, some[i]); strcpy(two, some[i]); printf("[%s][%s]", dirname(one), __xpg_basename(two)); }
}
static void formats(const char *text, int n, int c) {
  int i = __VERIFIER_nondet_int(), j = i * 1000003;
  long l = (long)j * 1000003;
  SHOW("%d", i) SHOW("%i%%%d", j, -i) SHOW("[%5d|%-5d|%05d]", i, i, i) SHOW("%+d % d", i, i) SHOW("%.3d|%8.3d", i, i)
  SHOW("%u %x %X %o", j, j, j, j) SHOW("%08x|%-8X|", j, i) SHOW("%ld %lx %lu", l, l, l) SHOW("%lld|%llu", (long long)l, 1ull)
  SHOW("%hhd %hd %hhx", j, j, j) SHOW("%c%3c%-3c|", c | 1, 'b', 'c') SHOW("%zu", (size_t)n) SHOW("%.0d|", n & 1)
  SHOW("%s", text) SHOW("a%12sb", text) SHOW("%-12s|", text) SHOW("%.2s|%5.1s", text, text) SHOW("plain")
  int x = 77, y = 78; unsigned u = 5; long z = 9; short s = 4; char word[16] = "old", chars[4] = "pq";
  int got = sscanf(text, "%d %d", &x, &y); printf("%d %d %d\n", got, x, y);
  got = sscanf(text, "%d,%x", &x, &u); printf("%d %d %u\n", got, x, u);
  got = sscanf(text, "%15s%ld", word, &z); printf("%d %s %ld\n", got, word, z);
  got = sscanf(text, " %c%3s", chars, word); printf("%d %s %s\n", got, chars, word);
  char more[20]; strcpy(more, text); strcat(more, " 5 6"); /* a text that ends behind `%*d` is a choice of the library */
  got = sscanf(more, "%*d%hd", &s); printf("%d %d\n", got, s);
  got = sscanf("12 0x1f abc", "%d %i %s", &x, &y, word); printf("%d %d %d %s\n", got, x, y, word);
  got = sscanf("7%8", "%d%%%u", &x, &u); printf("%d %d %u\n", got, x, u);
}
static void mathematics(int n, int c) {
  double x = (c - 128) / 4.0 + n / 8.0, y = n + 0.25, part;
  int e;
  double fraction = frexp(x, &e), rest = modf(x, &part);
  printf("%.17g %.17g %.17g %.17g %.17g ", floor(x), ceil(x), trunc(x), round(x), rint(x));
  printf("%.17g %.17g %.17g %.17g ", fmod(x, y), fdim(x, y), copysign(y, x), rest);
  printf("%.17g %.17g %d %ld ", part, fraction, e, lround(x));
  printf("%d %d %d %d\n", !!signbit(x), fpclassify(x), isnormal(x), isnormal(5e-324));
  printf("%.17g %.17g %.17g\n", floorf((float)x), fmodf((float)x, 3), fmax(x, y) + fmin(x, y));
  double z = ldexp(x, n * 300 - 1100), small = ldexp(y / 3, -1070 - n);
  printf("%.17g %.17g %.17g %.17g %.17g ", z, small, ldexpf((float)x, n * 40 - 150), scalbn(small, 1080 + n), scalbln(z, 900));
  printf("%.17g %d ", logb(x), ilogb(x)); printf("%.17g %d ", logb(small), ilogb(small)); printf("%.17g\n", logb(z));
  printf("%.17g %.17g %.17g ", nextafter(x, y), nextafter(-x, 0), nextafter(small, -1));
  printf("%.17g %.17g %.17g\n", nextafterf((float)x, 1e9f), nextafterf(0, (float)-x), nextafterf((float)z, 3));
  printf("%.17g %.17g %.17g ", remainder(x, y), remainder(-x, 0.75), remainder(1e20, x));
  printf("%.17g %.17g\n", remainder(small, small / 3), remainderf((float)x, 1.5f));
  printf("%.17g %.17g %d %d %d %d\n", sqrt(y), sqrtf((float)y), !!__signbit(x), !!__signbitf((float)-x), __fpclassify(x / 1e300 / 1e15), __fpclassifyf((float)x));
}
int main(void) {
  char a[12], b[12], to[40], *end;
  fill(a, 12);
  fill(b, 12);
  int c = (unsigned char)__VERIFIER_nondet_int(), n = __VERIFIER_nondet_int() & 7, base = __VERIFIER_nondet_int();
  if (base < 2 || base > 36) base = base & 1 ? 10 : 0;
  printf("%d %d %d\n", (int)strlen(a), (int)strnlen(a, n), sign(strcmp(a, b)));
  printf("%d %d %d\n", sign(strncmp(a, b, n)), sign(strcasecmp(a, b)), sign(strncasecmp(a, b, n)));
  printf("%d %ld\n", sign(memcmp(a, b, n)), at(a, memchr(a, c, strlen(a))));
  printf("%ld %ld %ld %ld\n", at(a, strchr(a, c)), at(a, strrchr(a, c)), at(a, strstr(a, b)), at(a, strpbrk(a, b)));
  printf("%d %d\n", (int)strspn(a, b), (int)strcspn(a, b));
  memset(to, 'x', 40);
  strcpy(to, a); strcat(to, b); printf("%d ", (int)strlen(to));
  for (int i = 0; i < 30; i++) printf("%d,", to[i]);
  memset(to, 'x', 40);
  strncpy(to, a, n); to[n] = 0; strncat(to, b, n);
  for (int i = 0; i < 30; i++) printf("%d,", to[i]);
  memset(to, 'x', 40); memcpy(to, a, n); memmove(to + 3, to, n + 5); memset(to + n, c, n);
  for (int i = 0; i < 30; i++) printf("%d,", to[i]);
  char *copy = strdup(a), *part = strndup(b, n);
  printf("\n%d %d\n", strcmp(copy, a), (int)strlen(part));
  free(copy); free(part);
  for (char *word = strtok(strcpy(to, a), b); word; word = strtok(0, b)) printf("[%d]", (int)strlen(word));
  char *rest = strcpy(to, a);
  for (char *word; (word = strsep(&rest, b));) printf("<%d>", (int)strlen(word));
  printf("\n%d%d%d%d%d%d", !!isdigit(c), !!isalpha(c), !!isalnum(c), !!isupper(c), !!islower(c), !!isxdigit(c));
  printf("%d%d%d%d%d%d", !!isspace(c), !!isblank(c), !!iscntrl(c), !!isprint(c), !!isgraph(c), !!ispunct(c));
  printf(" %d %d %d%d\n", tolower(c), toupper(c), !!(isdigit)(c), !!(ispunct)(c));
  printf("%ld", strtol(a, &end, base)); printf(" %d", (int)(end - a));
  printf(" %lu", strtoul(a, &end, base)); printf(" %d", (int)(end - a));
  printf(" %lld %llu %d %ld\n", strtoll(b, 0, base), strtoull(b, 0, base), atoi(a), atol(b));
  printf("%u %u %d %d %d\n", htonl(c * 66051u), ntohs((unsigned short)(c * 259)), ffs(c - n), ffsl((long)c << 33), ffsll(n));
  texts_of_numbers(c, n);
  int numbers[6];
  for (int i = 0; i < 6; i++) numbers[i] = __VERIFIER_nondet_int() & 15;
  int key = __VERIFIER_nondet_int() & 15;
  qsort(numbers, 6, sizeof numbers[0], by_value);
  for (int i = 0; i < 6; i++) printf("%d ", numbers[i]);
  int *found = bsearch(&key, numbers, 6, sizeof numbers[0], by_value);
  printf("%d\n", found ? *found : -1);
  paths(a);
  formats(a, n, c);
  late_formats(a, n, c, base * 100003);
  mathematics(n, c);
  div_t d = div(c, n + 1);
  ldiv_t ld = ldiv(-(long)c, n + 1);
  printf("%d %d %ld %ld %ld\n", d.quot, d.rem, ld.quot, ld.rem, labs(-(long)c));
  printf("%ld %ld", at(to, memccpy(to, a, c, strlen(a))), at(to, mempcpy(to, a, n)));
  printf(" %ld %d\n", at(a, memmem(a, strlen(a), b, n)), bcmp(a, b, n) != 0);
  return 0;
}
"#;

/// Numbers that make interesting strings: digits, letters, signs, spaces, and anything.
fn inputs(seed: u64) -> Vec<i32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut word = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let kind = word() % 4;
    (0..60)
        .map(|_| {
            let n = word();
            (match (kind, n % 8) {
                (0, _) => u64::from(b"0123456789-+ xXaf"[(n / 8 % 17) as usize]),
                (1, _) => u64::from(b"abABc \t"[(n / 8 % 7) as usize]),
                (_, 0..=3) => n / 8 % 12,
                (_, 4 | 5) => u64::from(b"0123456789-+ xXaf"[(n / 8 % 17) as usize]),
                _ => n / 8 % 256,
            }) as i32
        })
        .collect()
}

/// Numbers for what is an input; what the library leaves open is zero.
struct Numbers(Fixed);

impl Inputs for Numbers {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(HavocOrigin::Input) => self.0.next(request),
            _ => Some(0),
        }
    }
}

#[test]
fn ours_does_what_the_real_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("calls.c");
    std::fs::write(&source, PROGRAM).expect("written");
    let executable = folder.path().join("calls");
    let built = Command::new("cc")
        .args(["-w", "-DNATIVE", "-O0", "-fno-builtin", "-fsigned-char"])
        .arg(&source)
        .arg("-o")
        .arg(&executable)
        .arg("-lm")
        .status()
        .expect("a compiler");
    assert!(built.success());
    let program = tour_core::load(&[Input::file(&source)], &LoadOptions::new(DataModel::Lp64))
        .unwrap_or_else(|e| panic!("{e}"));
    for name in ["strlen", "strstr", "qsort", "strtol", "__ctype_b_loc"] {
        let mut functions = program.functions.iter();
        assert!(functions.any(|f| f.name == name && f.body.is_some()), "{name} has a body");
    }
    let mut prepared = program.clone();
    tour_core::instrument::select(&mut prepared, &tour_core::program::Rule::ALL[2..8]);
    for seed in 0..200 {
        let values = inputs(seed);
        let mut child = Command::new(&executable)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let text: Vec<String> = values.iter().map(i32::to_string).collect();
        child.stdin.take().expect("a pipe").write_all(text.join(" ").as_bytes()).expect("written");
        let native = child.wait_with_output().expect("it ends");
        let bits = || values.iter().map(|n| u128::from(*n as u32)).collect::<Vec<_>>();
        let ours = run(&program, &mut Numbers(Fixed::new(bits())), &Options::default(), &mut Unobserved);
        assert_eq!(ours.outcome, Outcome::Exited(0), "seed {seed}");
        assert_eq!(
            String::from_utf8_lossy(&ours.output),
            String::from_utf8_lossy(&native.stdout),
            "seed {seed}"
        );
        // The same with checks violates nothing. Outputs ask for results then, which no one looks at.
        let padded = bits().into_iter().chain(std::iter::repeat_n(0, 10_000));
        let checked = run(&prepared, &mut Numbers(Fixed::new(padded)), &Options::default(), &mut Unobserved);
        assert_eq!(checked.outcome, Outcome::Exited(0), "seed {seed}");
    }
}

/// Functions of the library that `library/calls.c` does not call, and why.
const NOT_COMPARED: [(&str, &[&str]); 5] = [
    (
        "what they give is up to the system",
        &[
            "clock",
            "clock_gettime",
            "fclose",
            "fdopen",
            "freopen",
            "fseek",
            "fseeko",
            "fseeko64",
            "ftell",
            "ftello",
            "ftello64",
            "getdelim",
            "getentropy",
            "getline",
            "getrandom",
            "gettimeofday",
            "localtime",
            "localtime_r",
            "pclose",
            "perror",
            "popen",
            "read",
            "rewind",
            "time",
            "timespec_get",
            "tmpfile",
            "write",
        ],
    ),
    (
        "they give any numbers",
        &[
            "drand48", "lrand48", "mrand48", "rand", "rand_r", "random", "seed48", "srand", "srand48",
            "srandom",
        ],
    ),
    ("not every C library has them", &["pthread_yield", "signbitf", "strlcat", "strlcpy"]),
    ("they need a second thread: see `threads.rs`", &["cnd_wait", "pthread_cond_wait"]),
    ("what it prints is not kept", &["putchar_unlocked", "vprintf"]),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The functions that the library defines for programs.
fn defined() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder("c/lib")).expect("the library") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "c") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        for line in text.lines().filter(|line| line.ends_with(['{', '}', ','])) {
            let Some((before, _)) = line.split_once('(') else { continue };
            let starts = line.starts_with(|c: char| c.is_ascii_alphabetic());
            if !starts || before.starts_with("static") || before.contains('=') {
                continue;
            }
            let name = before.rsplit([' ', '*']).next().unwrap_or_default();
            // Others are parts of functions.
            if !name.starts_with("__") {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_function_is_compared() {
    let calls = std::fs::read_to_string(folder("tests/library/calls.c")).expect("the calls");
    let called: BTreeSet<&str> = (calls.lines().filter(|line| !line.starts_with('#')))
        .flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .collect();
    let except: BTreeSet<&str> = NOT_COMPARED.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let defined = defined();
    assert!(defined.len() > 250, "{}", defined.len());
    let missing: Vec<_> = defined
        .iter()
        .filter(|name| !called.contains(name.as_str()) && !except.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "neither called nor excepted: {missing:?}");
    let stale: Vec<_> =
        except.iter().filter(|name| !defined.contains(**name) || called.contains(*name)).collect();
    assert!(stale.is_empty(), "excepted, but called or not there: {stale:?}");
}

#[test]
fn boundaries_are_those_of_the_real_one() {
    let source = folder("tests/library/calls.c");
    let place = tempfile::tempdir().expect("a folder");
    let executable = place.path().join("calls");
    let built = Command::new("cc")
        .args(["-w", "-O0", "-fno-builtin", "-fsigned-char", "-pthread"])
        .arg(&source)
        .arg("-o")
        .arg(&executable)
        .arg("-lm")
        .status()
        .expect("a compiler");
    assert!(built.success());
    let native =
        Command::new(&executable).stdin(Stdio::null()).stderr(Stdio::null()).output().expect("it runs");
    assert!(native.status.success());
    let program = tour_core::load(&[Input::file(&source)], &LoadOptions::new(DataModel::Lp64))
        .unwrap_or_else(|e| panic!("{e}"));
    // Zeros are what glibc does, wherever something is left open.
    let ours = run(&program, &mut Zeros, &Options::default(), &mut Unobserved);
    assert_eq!(ours.outcome, Outcome::Exited(0));
    let (ours, native) = (String::from_utf8_lossy(&ours.output), String::from_utf8_lossy(&native.stdout));
    let lines = native.lines().count();
    for (i, (ours, native)) in ours.lines().zip(native.lines()).enumerate() {
        assert_eq!(ours, native, "line {i} of {lines}");
    }
    assert_eq!(ours.lines().count(), lines);
    assert!(lines > 5000, "{lines}");
}

#[test]
fn a_function_of_the_users_is_the_users() {
    let check = |text: &str, want: i128| {
        let program = tour_core::load(&[Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64));
        let program = program.unwrap_or_else(|error| panic!("{text}: {error}"));
        let ended = run(&program, &mut Zeros, &Options::default(), &mut Unobserved).outcome;
        assert_eq!(ended, Outcome::Exited(want), "{text}");
    };
    check(
        "unsigned long strlen(const char *s) { return 42; } int main(void) { return strlen(\"abc\"); }",
        42,
    );
    check("unsigned long strlen(const char *s); int main(void) { return strlen(\"abc\"); }", 3);
    check("int main(void) { return __builtin_strlen(\"abcd\"); }", 4);
    check("static int atoi(int n) { return n; } int main(void) { return atoi(5); }", 5);
    check("int index = 3; int main(void) { return index; }", 3);
    check("typedef int rand; int main(void) { rand x = 2; return x; }", 2);
    check("int main(void) { int strlen = 7; return strlen; }", 7);
    check(
        "int *__errno_location(void); int main(void) { *__errno_location() = 5; return *__errno_location(); }",
        5,
    );
}
