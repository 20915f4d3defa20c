/* Calls of the library at its boundaries. Each line prints a result and `errno`, or the bytes that were written; natively
   and in the interpreter they have to be the same. Of a result that is left open, only what is fixed is printed: S is the
   sign, T whether it is zero, N that `errno` was set. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <arpa/inet.h>
#include <inttypes.h>
#include <libintl.h>
#include <locale.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
char *dirname(char *), *__xpg_basename(char *);
int __signbit(double), __signbitf(float), __fpclassify(double), __fpclassifyf(float);

static int sign(long long n) { return n < 0 ? -1 : n > 0; }
static long at(const char *base, const char *p) { return p ? p - base : -1; }
static const char *text_of(const char *p) { return p ? p : "(null)"; }
#define I(e) { errno = 0; long long r = (long long)(e); int n = errno; printf("%s = %lld, errno %d\n", #e, r, n); }
#define U(e) { errno = 0; unsigned long long r = (e); int n = errno; printf("%s = %llu, errno %d\n", #e, r, n); }
#define S(e) { errno = 0; int r = sign(e); int n = errno; printf("%s has sign %d, errno %d\n", #e, r, n); }
#define T(e) { errno = 0; int r = !!(e); int n = errno; printf("%s is %d, errno %d\n", #e, r, n); }
#define N(e) { errno = 0; long long r = (long long)(e); int n = errno != 0; printf("%s = %lld, sets errno: %d\n", #e, r, n); }
#define D(e) { errno = 0; double r = (e); int n = errno; \
  if (r != r) printf("%s = nan, errno %d\n", #e, n); else printf("%s = %.17g, errno %d\n", #e, r, n); }
#define P(e) { errno = 0; const char *r = text_of(e); int n = errno; printf("%s = [%s], errno %d\n", #e, r, n); }
/* What is written to `to`, with the bytes around it. */
static char all[40], *to = all + 8;
static void reset(const char *text) { memset(all, '~', 40); if (text) strcpy(to, text); }
static void bytes(const char *what) {
  printf("%s writes", what);
  for (int i = 0; i < 40; i++) if (all[i] != '~') printf(" %d:%d", i - 8, all[i]);
  printf("\n");
}
#define B(start, e) { reset(start); e; bytes(#e); }

static void strings(void) {
  char *rest, *made;
  I(strlen("")) I(strlen("abc")) I(strnlen("abc", 0)) I(strnlen("abc", 2)) I(strnlen("abc", 9))
  S(memcmp("a", "b", 0)) S(memcmp("a\0x", "a\0y", 3)) S(memcmp("\x80", "\x7f", 1)) S(bcmp("a", "b", 1) != 0) S(bcmp("a", "a", 1))
  S(strcmp("", "")) S(strcmp("a", "")) S(strcmp("", "a")) S(strcmp("\xff", "\x01")) S(strcoll("ab", "ac")) S(strcoll("b", "ac"))
  S(strncmp("abc", "abd", 2)) S(strncmp("abc", "abd", 3)) S(strncmp("a", "b", 0)) S(strncmp("ab", "ab", 9))
  S(strcasecmp("aBc", "AbC")) S(strcasecmp("[", "a")) S(strcasecmp("_", "A")) S(strncasecmp("aBx", "AbY", 2)) S(strncasecmp("aBx", "AbY", 3))
  const char *t = "a/b/c";
  I(at(t, memchr(t, '/', 5))) I(at(t, memchr(t, '/', 1))) I(at(t, memchr(t, 0, 6))) I(at(t, memchr(t, '/' + 256, 5))) I(at(t, memrchr(t, '/', 5)))
  I(at(t, strchr(t, '/'))) I(at(t, strchr(t, 0))) I(at(t, strchr(t, 'x'))) I(at(t, strchrnul(t, 'x'))) I(at(t, strrchr(t, '/'))) I(at(t, strrchr(t, 0)))
  I(at(t, index(t, 'b'))) I(at(t, rindex(t, '/'))) I(at(t, strstr(t, ""))) I(at(t, strstr(t, "/c"))) I(at(t, strstr(t, "/cd"))) I(at(t, strcasestr(t, "B/C")))
  I(strspn(t, "ab/")) I(strspn(t, "")) I(strcspn(t, "c")) I(strcspn(t, "")) I(at(t, strpbrk(t, "bc"))) I(at(t, strpbrk(t, "")))
  I(at(t, memmem(t, 5, "b/", 2))) I(at(t, memmem(t, 5, "", 0))) I(at(t, memmem(t, 1, "a/", 2)))
  B(0, strcpy(to, "abc")) B(0, strcpy(to, "")) B("ab", strcat(to, "cd")) B("ab", strcat(to, ""))
  B(0, strncpy(to, "abc", 2)) B(0, strncpy(to, "abc", 6)) B(0, strncpy(to, "abc", 0)) B("ab", strncat(to, "cdef", 2)) B("ab", strncat(to, "c", 0))
  B(0, stpcpy(to, "ab")) B(0, stpncpy(to, "ab", 4)) B(0, stpncpy(to, "abc", 2)) B(0, bzero(to, 3)) B(0, explicit_bzero(to, 2))
  B("abcdef", memmove(to + 1, to, 4)) B("abcdef", bcopy(to + 1, to, 4)) B(0, memcpy(to, "ab", 2)) B(0, memset(to, 258, 3)) B(0, mempcpy(to, "ab", 2))
  B(0, memccpy(to, "abcd", 'b', 4)) B(0, memccpy(to, "abcd", 'x', 3)) B(0, swab("abcde", to, 4)) B(0, swab("abcde", to, 3)) B(0, swab("ab", to, -1))
  B(0, strxfrm(to, "abc", 8)) I(strxfrm(0, "abc", 0)) P(strdup("xy")) P(strndup("xyz", 2)) P(strndup("xyz", 9))
  reset("a,,b"); P(strtok(to, ",")) P(strtok(0, ",")) P(strtok(0, ",")) reset(",,"); P(strtok_r(to, ",", &rest)) reset(" a b "); P(strtok_r(to, " ", &rest)) P(strtok_r(0, " ", &rest)) P(strtok_r(0, " ", &rest))
  reset("a,,b"); rest = to; P(strsep(&rest, ",")) P(strsep(&rest, ",")) P(strsep(&rest, ",")) P(strsep(&rest, ","))
  reset("/a//"); P(dirname(to)) reset("a/b"); P(dirname(to)) P(dirname(0)) P(basename("a/b")) P(basename("a/")) reset("a/b/"); P(__xpg_basename(to)) reset("/"); P(__xpg_basename(to))
}

static void classes(void) {
#define W1(f) printf("%d", f(c) != 0);
  for (int c = -1; c < 256; c += c < 126 ? 1 : 43) {
    W1((isdigit)) W1((isupper)) W1((islower)) W1((isalpha)) W1((isalnum)) W1((isxdigit)) W1((isspace)) W1((isblank)) W1((iscntrl)) W1((isprint)) W1((isgraph)) W1((ispunct)) printf("%d %d %d %d\n", (isascii)(c), (tolower)(c), (toupper)(c), toascii(c));
  }
  I((*__ctype_b_loc())['a']) I((*__ctype_tolower_loc())['A']) I((*__ctype_toupper_loc())['a'])
}

static void numbers(void) {
  const char *texts[] = {"", "0", "-0", "+5", " \t\n7x", "0x", "0xg", "0x1F", "-0x10", "077", "08", "z", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999", "-", "+-1", "1 2"};
  const int bases[] = {0, 10, 16, 36, 2, 1, -1, 37};
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 8; j++) {
      char *end = "";
      errno = 0; long a = strtol(texts[i], &end, bases[j]); int n = errno;
      errno = 0; unsigned long b = strtoul(texts[i], 0, bases[j]); int m = errno;
      printf("strtol(%s, %d) = %ld, errno %d, end %d; strtoul %lu, errno %d\n", texts[i], bases[j], a, n, bases[j] == 1 || bases[j] < 0 || bases[j] > 36 ? 0 : (int)(end - texts[i]), b, m);
    }
  I(strtoll("-9223372036854775809", 0, 10)) U(strtoull("-1", 0, 10)) U(strtoull("-18446744073709551615", 0, 10)) I(strtoimax("8000000000000000", 0, 16)) U(strtoumax("zz", 0, 36))
  I(atoi("2147483647")) I(atoi(" -2147483648x")) I(atoi("")) I(atol("-9223372036854775808")) I(atoll("9223372036854775807"))
  D(strtod("1e22", 0)) D(strtod("-0.5x", 0)) D(strtod("inf", 0)) D(strtod("", 0)) D(strtod("e5", 0)) D(strtof("16777216", 0)) D(atof(" 12.5e-1"))
  I(abs(-2147483647)) I(labs(-9223372036854775807)) I(llabs(0)) I(imaxabs(-5)) I(div(-7, 2).quot) I(div(-7, 2).rem) I(ldiv(7, -2).quot) I(ldiv(7, -2).rem)
  I(lldiv(LLONG_MIN, 2).quot) I(imaxdiv(7, 2).quot) I(imaxdiv(-7, 2).rem)
  U(htonl(1)) U(ntohl(0xff000000u)) U(htons(0x1234)) U(ntohs(1)) I(ffs(0)) I(ffs(INT_MIN)) I(ffsl(1l << 40)) I(ffsll(0)) D(difftime(5, 7))
  void *block; I(posix_memalign(&block, 3, 8)) I(posix_memalign(&block, 0, 8)) I(posix_memalign(&block, 16, 8)) T(aligned_alloc(16, 32)) T(memalign(16, 32))
  T(malloc(SIZE_MAX)) T(calloc(SIZE_MAX, 2)) T(calloc(SIZE_MAX / 2, 3)) T(realloc(0, SIZE_MAX)) T(realloc(malloc(4), 0)) T(reallocarray(0, SIZE_MAX, 2)) T(malloc(0))
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sorting(void) {
  int v[] = {3, -1, 3, 0, 9}, key = 3, none = 4;
  qsort(v, 5, sizeof v[0], by_value);
  printf("%d %d %d %d %d\n", v[0], v[1], v[2], v[3], v[4]);
  qsort(v, 0, sizeof v[0], by_value);
  T(bsearch(&key, v, 5, sizeof v[0], by_value)) T(bsearch(&none, v, 5, sizeof v[0], by_value)) T(bsearch(&key, v, 0, sizeof v[0], by_value))
}

static int late(char *into, size_t size, const char *format, ...) {
  va_list list; va_start(list, format); int n = vsnprintf(into, size, format, list); va_end(list); return n;
}
static int later(char *into, const char *format, ...) {
  va_list list; va_start(list, format); int n = vsprintf(into, format, list); va_end(list); return n;
}
static int latest(char **into, const char *format, ...) {
  va_list list; va_start(list, format); int n = vasprintf(into, format, list); va_end(list); return n;
}
static int to_errors(const char *format, ...) {
  va_list list; va_start(list, format); int n = vfprintf(stderr, format, list); va_end(list); return n;
}
static void formats(void) {
  int x, y, n = 7; unsigned u; long l; unsigned long m; short h; signed char k; char word[8], c, *made; long long q;
  B(0, sprintf(to, "%d", INT_MIN)) B(0, sprintf(to, "%5d|%-5d|%05d", 42, 42, -42)) B(0, sprintf(to, "%x %X %o", -1, 255, 8)) B(0, snprintf(to, 3, "%s", "abcdef")) B(0, snprintf(to, 0, "%s", "abc"))
  I(snprintf(0, 0, "%s", "abc")) I(snprintf(to, 1, "%d", -5)) B(0, sprintf(to, "%c%c", 'a', 0)) B(0, sprintf(to, "%.2s|%4s", "abc", "d")) B(0, sprintf(to, "%hhd %hd", 300, 70000))
  B(0, late(to, 5, "%d-%s", 12, "abc")) B(0, later(to, "%5.3d", 7)) I(to_errors("%d-%s%n", 12, "abc", &x)) I(x) I(latest(&made, "%x", 255)) P(made) I(asprintf(&made, "%u", 5u)) P(made)
  I((x = 0, sprintf(to, "ab%ncd", &x), x)) I((h = 9, snprintf(to, 2, "abcdef%hn", &h), h)) I((x = 1, sprintf(to, "%n", &x), x))
#define SCAN(...) { errno = 0; x = y = 77; u = 77; l = 77; m = 77; h = 77; k = 77; q = 77; c = '!'; memset(word, '!', 8); int r = sscanf(__VA_ARGS__); \
  printf("sscanf%s = %d: %d %d %u %ld %lu %d %d %lld %c %.8s\n", #__VA_ARGS__, r, x, y, u, l, m, h, k, q, c, word); }
  SCAN("", "%d", &x) SCAN("  ", "%d", &x) SCAN("a", "%d", &x) SCAN("-", "%d", &x) SCAN("12", "%d%d", &x, &y) SCAN("1234", "%2d%2d", &x, &y) SCAN("-5", "%1d", &x) SCAN("-56", "%2d%d", &x, &y)
  SCAN("0x1f 0x1f", "%i %x", &x, &u) SCAN("0x1fg", "%x%c", &u, &c) SCAN("010 08", "%i %i", &x, &y) SCAN("-1", "%u", &u) SCAN("-18446744073709551615", "%lu", &m) SCAN("9223372036854775807", "%ld", &l)
  SCAN("127 32767", "%hhd %hd", &k, &h) SCAN("abc def", "%3s", word) SCAN("abcdef", "%3s%c", word, &c) SCAN("a,b", "%c,%c", &c, word) SCAN("5%6", "%d%%%d", &x, &y) SCAN(" x", "%c", &c) SCAN("-9223372036854775808", "%lld", &q)
  SCAN("12 ab", "%*d %2s", word) SCAN("0x", "%o", &u) SCAN("7", "%d%n", &x, &y)
  I((fprintf(stderr, "%n", &n), n)) I((n = 0, printf("ab%n\n", &n), n)) I(printf("%d\n", 42)) I(fprintf(stderr, "%s|%5d\n", "abc", 1)) I(putchar('\n')) T(puts("") >= 0)
}

static void streams(void) {
  N(fopen("/nonexistent/x", "r") != 0) N(fopen64("/nonexistent/x", "r") != 0) I(feof(stdin)) I(ferror(stdin)) I(ungetc('a', stdin)) I(fgetc(stdin)) I(ungetc(EOF, stdin)) I(feof_unlocked(stdin)) I(ferror_unlocked(stdin))
  I(ungetc(0x161, stdin)) I(getc(stdin)) I((ungetc('b', stdin), getchar())) I((ungetc('c', stdin), fgetc_unlocked(stdin))) I((ungetc('d', stdin), getc_unlocked(stdin))) I((ungetc('e', stdin), getchar_unlocked()))
  B(0, fgets(to, 1, stdin)) B(0, fgets(to, 0, stdin)) I((ungetc('\n', stdin), 0)) B(0, fgets(to, 9, stdin)) I(fread(to, 0, 5, stdin)) I(fread(to, 5, 0, stdin)) I((clearerr(stdin), feof(stdin)))
  I(fputc('\n', stderr)) I(putc('\n', stderr)) I(fputc_unlocked('\n', stderr)) I(putc_unlocked('\n', stderr)) T(fputs("\n", stderr) >= 0) I(fwrite("\n", 1, 1, stderr)) I(fwrite("", 0, 3, stderr)) I(fflush(stdout)) I(fflush(0))
}

static void mathematics(void) {
  const double some[] = {0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, 1e300, -1e300, 5e-324, 2.2250738585072014e-308, INFINITY, -INFINITY, NAN, 4503599627370497.5, 9007199254740993.0, 1.0, -1.0};
  for (int i = 0; i < 18; i++) {
    double x = some[i], part; int e;
    D(x) D(floor(x)) D(ceil(x)) D(trunc(x)) D(round(x)) D(rint(x)) D(nearbyint(x)) D(floorf(x)) D(ceilf(x)) D(truncf(x)) D(roundf(x)) D(rintf(x)) D(nearbyintf(x))
    D(modf(x, &part)) D(part) if (x - x == 0) { D(frexp(x, &e)) I(e) } I(ilogb(x)) I(ilogbf(x)) if (x != 0) { D(logb(x)) D(logbf(x)) } I(__fpclassify(x)) I(__fpclassifyf(x)) if (x == x) { I(!!__signbit(x)) I(!!__signbitf(x)) I(!!signbit(x)) }
    I(isnormal(x)) I(fpclassify(x)) if (x > -1e18 && x < 1e18) { I(lround(x)) I(llround(x)) I(lrint(x)) I(llrint(x)) I(lroundf(x)) I(lrintf(x)) }
    D(ldexp(x, 1)) D(ldexp(x, 3000)) D(ldexp(x, -3000)) D(ldexp(x, -1074)) D(ldexpf(x, 200)) D(ldexpf(x, -200)) D(scalbn(x, 2000)) D(scalbnf(x, 3)) D(scalbln(x, -5000)) D(scalblnf(x, 1000))
    for (int j = 0; j < 18; j++) {
      double y = some[j];
      /* Long division takes long where the quotient is large. */
      double quotient = fabs(x / y);
      if (!(quotient > 1e20 && quotient < INFINITY) && !(x - x == 0 && y != 0 && quotient - quotient != 0)) { D(fmod(x, y)) D(fmodf(x, y)) D(remainder(x, y)) D(remainderf(x, y)) D(drem(x, y)) }
      D(fdim(x, y)) D(fdimf(x, y)) if (x != y) { D(fmax(x, y)) D(fmin(x, y)) D(fmaxf(x, y)) D(fminf(x, y)) } if (y == y) { D(copysign(x, y)) D(copysignf(x, y)) }
      D(nextafter(x, y)) D(nextafterf((float)x, (float)y))
    }
    D(sqrt(x)) D(sqrtf(x)) D(fabs(x))
  }
  const double exact[] = {0.0, -0.0, NAN};
  for (int i = 0; i < 3; i++) {
    double x = exact[i], s, c;
    D(sin(x)) D(cos(x)) D(tan(x)) D(asin(x)) D(atan(x)) D(sinh(x)) D(cosh(x)) D(tanh(x)) D(asinh(x)) D(atanh(x)) D(exp(x)) D(exp2(x)) D(exp10(x)) D(expm1(x)) D(log1p(x)) D(cbrt(x)) D(erf(x)) D(erfc(x)) D(pow(5, x * 0)) D(hypot(x, INFINITY)) D(atan2(NAN, x))
    sincos(x, &s, &c); D(s) D(c) D(sinf(x)) D(cosf(x)) D(tanf(x)) D(asinf(x)) D(atanf(x)) D(sinhf(x)) D(coshf(x)) D(tanhf(x)) D(expf(x)) D(exp2f(x)) D(expm1f(x)) D(log1pf(x)) D(cbrtf(x)) D(erff(x)) D(erfcf(x)) D(hypotf(x, INFINITY)) D(atan2f(NAN, x)) D(powf(1, x))
  }
  D(sin(INFINITY)) D(cos(-INFINITY)) D(tan(INFINITY)) D(sinf(INFINITY)) D(cosf(INFINITY)) D(tanf(-INFINITY)) D(asin(1.5)) D(asin(-2)) D(acos(1)) D(acos(2)) D(acos(NAN)) D(acosf(2)) D(asinf(2)) D(acosh(1)) D(acosh(0.5)) D(acosh(NAN)) D(atanh(1)) D(atanh(-1)) D(atanh(2))
  D(exp(-INFINITY)) D(exp2(INFINITY)) D(exp10(-INFINITY)) D(log(0)) D(log(-0.0)) D(log(-1)) D(log(1)) D(log(INFINITY)) D(log(NAN)) D(log(-INFINITY)) D(log2(0)) D(log2(-1)) D(log2(1)) D(log10(0)) D(log10(-1)) D(log10(1)) D(logf(0)) D(log2f(-1)) D(log10f(1)) D(log1p(-1)) D(log1p(-2)) D(log1pf(-2))
  D(pow(0, 0)) D(pow(NAN, 0)) D(pow(1, NAN)) D(pow(2, NAN)) D(pow(-1.5, 0.5)) D(powf(-1.5f, 0.5f)) D(hypot(-INFINITY, NAN)) I(fegetround()) I(fesetround(FE_TONEAREST))
}

static int once_runs;
static void run_once(void) { once_runs++; }
static void locks(void) {
  pthread_mutexattr_t attr; pthread_mutex_t m; pthread_rwlock_t l; pthread_spinlock_t s; pthread_barrier_t b; pthread_cond_t c; sem_t sem; pthread_attr_t ta;
  struct timespec past = {0, 0}, none = {0, 1000000000}, negative = {0, -1};
  int kind, value;
  I(pthread_mutexattr_init(&attr)) I(pthread_mutexattr_settype(&attr, 4)) I(pthread_mutexattr_settype(&attr, -1)) I(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK)) I(pthread_mutexattr_gettype(&attr, &kind)) I(kind)
  I(pthread_mutex_init(&m, &attr)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_lock(&m)) I(pthread_mutex_lock(&m)) I(pthread_mutex_trylock(&m)) I(pthread_mutex_timedlock(&m, &past)) I(pthread_mutex_destroy(&m)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_destroy(&m))
  I(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE)) I(pthread_mutex_init(&m, &attr)) I(pthread_mutex_lock(&m)) I(pthread_mutex_lock(&m)) I(pthread_mutex_trylock(&m)) I(pthread_mutex_timedlock(&m, &past)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_unlock(&m)) I(pthread_mutex_unlock(&m)) I(pthread_mutexattr_destroy(&attr))
  I(pthread_mutex_init(&m, 0)) I(pthread_mutex_timedlock(&m, &none)) I(pthread_mutex_trylock(&m)) I(pthread_mutex_timedlock(&m, &past)) I(pthread_mutex_timedlock(&m, &none)) I(pthread_mutex_timedlock(&m, &negative))
  I(pthread_cond_init(&c, 0)) I(pthread_cond_signal(&c)) I(pthread_cond_broadcast(&c)) I(pthread_cond_timedwait(&c, &m, &none)) I(pthread_cond_timedwait(&c, &m, &negative)) I(pthread_cond_destroy(&c)) I(pthread_mutex_unlock(&m))
  I(pthread_rwlock_init(&l, 0)) I(pthread_rwlock_rdlock(&l)) I(pthread_rwlock_tryrdlock(&l)) I(pthread_rwlock_trywrlock(&l)) I(pthread_rwlock_timedrdlock(&l, &past)) I(pthread_rwlock_timedwrlock(&l, &none)) I(pthread_rwlock_unlock(&l)) I(pthread_rwlock_unlock(&l)) I(pthread_rwlock_unlock(&l))
  I(pthread_rwlock_wrlock(&l)) I(pthread_rwlock_rdlock(&l)) I(pthread_rwlock_wrlock(&l)) I(pthread_rwlock_tryrdlock(&l)) I(pthread_rwlock_trywrlock(&l)) I(pthread_rwlock_timedrdlock(&l, &past)) I(pthread_rwlock_timedwrlock(&l, &past)) I(pthread_rwlock_unlock(&l)) I(pthread_rwlock_timedwrlock(&l, &past)) I(pthread_rwlock_unlock(&l)) I(pthread_rwlock_destroy(&l))
  I(pthread_spin_init(&s, 0)) I(pthread_spin_lock(&s)) I(pthread_spin_trylock(&s)) I(pthread_spin_unlock(&s)) I(pthread_spin_trylock(&s)) I(pthread_spin_unlock(&s)) I(pthread_spin_destroy(&s))
  I(pthread_barrier_init(&b, 0, 0)) I(pthread_barrier_init(&b, 0, UINT_MAX)) I(pthread_barrier_init(&b, 0, 1)) I(pthread_barrier_wait(&b)) I(pthread_barrier_wait(&b)) I(pthread_barrier_destroy(&b))
  I(sem_init(&sem, 0, 0x80000000u)) I(sem_init(&sem, 0, 1)) I(sem_trywait(&sem)) I(sem_trywait(&sem)) I(sem_timedwait(&sem, &none)) I(sem_post(&sem)) I(sem_wait(&sem)) I(sem_getvalue(&sem, &value)) I(value) I(sem_destroy(&sem)) I(sem_init(&sem, 0, INT_MAX)) I(sem_post(&sem)) I(sem_getvalue(&sem, &value)) I(value) I(sem_timedwait(&sem, &past))
  pthread_once_t once = PTHREAD_ONCE_INIT; I(pthread_once(&once, run_once)) I(pthread_once(&once, run_once)) I(once_runs)
  once_flag flag = ONCE_FLAG_INIT; call_once(&flag, run_once); call_once(&flag, run_once); I(once_runs)
  pthread_key_t key; I(pthread_key_create(&key, 0)) T(pthread_getspecific(key)) I(pthread_setspecific(key, &value)) I(pthread_getspecific(key) == &value) I(pthread_key_delete(key)) I(pthread_key_delete(key)) I(pthread_setspecific(key, 0)) I(pthread_setspecific(1000000, 0)) I(pthread_key_delete(1000000))
  tss_t t; I(tss_create(&t, 0)) I(tss_set(t, &kind)) I(tss_get(t) == &kind) tss_delete(t); I(tss_set(t, 0))
  I(pthread_attr_init(&ta)) I(pthread_attr_setdetachstate(&ta, 2)) I(pthread_attr_setdetachstate(&ta, PTHREAD_CREATE_DETACHED)) I(pthread_attr_setstacksize(&ta, 16383)) I(pthread_attr_setstacksize(&ta, 16384)) I(pthread_attr_setscope(&ta, PTHREAD_SCOPE_PROCESS)) I(pthread_attr_setscope(&ta, 7)) I(pthread_attr_setscope(&ta, PTHREAD_SCOPE_SYSTEM)) I(pthread_attr_destroy(&ta))
  T(pthread_equal(pthread_self(), pthread_self())) I(sched_yield()) T(thrd_equal(5, 5)) thrd_yield();
  mtx_t x; cnd_t w; I(mtx_init(&x, mtx_plain | mtx_recursive)) I(mtx_lock(&x)) I(mtx_lock(&x)) I(mtx_unlock(&x)) I(mtx_unlock(&x)) I(mtx_init(&x, mtx_timed)) I(mtx_trylock(&x)) I(mtx_trylock(&x)) I(mtx_timedlock(&x, &past)) I(cnd_init(&w)) I(cnd_signal(&w)) I(cnd_broadcast(&w)) I(cnd_timedwait(&w, &x, &none)) I(mtx_unlock(&x)) mtx_destroy(&x); cnd_destroy(&w);
}

static wchar_t wide_all[16], *wide_to = wide_all + 2;
static void wide_reset(const wchar_t *text) {
  for (int i = 0; i < 16; i++) wide_all[i] = -7;
  for (int i = 0; text && (i == 0 || text[i - 1]); i++) wide_to[i] = text[i];
}
static void wide_show(const char *what) {
  printf("%s writes", what);
  for (int i = 0; i < 16; i++) if (wide_all[i] != -7) printf(" %d:%d", i - 2, (int)wide_all[i]);
  printf("\n");
}
#define W(start, e) { wide_reset(start); e; wide_show(#e); }
static long wide_at(const wchar_t *base, const wchar_t *p) { return p ? p - base : -1; }
static void wide(void) {
  const wchar_t *t = L"abcab";
  I(wcslen(L"")) I(wcslen(t)) I(wcsnlen(t, 3)) I(wcsnlen(t, 9)) I(wide_at(t, wcschr(t, L'b'))) I(wide_at(t, wcschr(t, 0))) I(wide_at(t, wcschr(t, L'x'))) I(wide_at(t, wcsrchr(t, L'a'))) I(wide_at(t, wmemchr(t, L'c', 2))) I(wide_at(t, wmemchr(t, L'c', 3)))
  W(0, wcscpy(wide_to, L"ab")) W(0, wcpcpy(wide_to, L"ab")) W(0, wcsncpy(wide_to, L"abc", 2)) W(0, wcsncpy(wide_to, L"a", 3)) W(L"ab", wcscat(wide_to, L"c")) W(L"ab", wcsncat(wide_to, L"cde", 2)) W(0, wmemcpy(wide_to, L"ab", 2)) W(0, wmempcpy(wide_to, L"ab", 2)) W(L"abcd", wmemmove(wide_to + 1, wide_to, 3)) W(0, wmemset(wide_to, L'x', 3))
  for (int c = 0; c < 300; c += c < 128 ? 1 : 57) {
    W1(iswdigit) W1(iswupper) W1(iswlower) W1(iswalpha) W1(iswalnum) W1(iswxdigit) W1(iswspace) W1(iswblank) W1(iswcntrl) W1(iswprint) W1(iswgraph) W1(iswpunct) printf("%d %d\n", (int)towlower(c), (int)towupper(c));
  }
}

static void calendar(void) {
  const long times[] = {0, -1, 951782400, 1709251199, 4107542399, -2203891200, 253402300800, -62135596801, 86399};
  for (int i = 0; i < 9; i++) {
    struct tm day; time_t when = times[i];
    gmtime_r(&when, &day);
    printf("%ld: %d %d %d %d %d %d %d %d %d\n", times[i], day.tm_sec, day.tm_min, day.tm_hour, day.tm_mday, day.tm_mon, day.tm_year, day.tm_wday, day.tm_yday, day.tm_isdst);
    I(timegm(&day)) I(gmtime(&when)->tm_yday)
    day.tm_mon += 25; day.tm_mday -= 40; day.tm_hour += 100; I(timegm(&day)) I(day.tm_mon) I(day.tm_mday)
  }
  long far = LONG_MAX; struct tm none; T(gmtime_r(&far, &none))
}

static void environment(void) {
  P(setlocale(LC_ALL, 0)) P(setlocale(LC_ALL, "C")) P(setlocale(LC_NUMERIC, "POSIX")) I(MB_CUR_MAX) P(gettext("a")) P(dgettext("d", "a")) P(dcgettext("d", "a", LC_MESSAGES)) P(ngettext("a", "b", 1)) P(ngettext("a", "b", 0)) P(dngettext("d", "a", "b", 2))
  I(strtoq("-9223372036854775809", 0, 10)) U(strtouq("-1", 0, 0)) I(at("abc", 0)) B("abc", memfrob(to, 3)) reset("abc"); I(at(to, rawmemchr(to, 'c')))
}

int main(void) {
  wide(); calendar(); environment();
  strings(); classes(); numbers(); sorting(); formats(); streams(); mathematics(); locks();
  return 0;
}
