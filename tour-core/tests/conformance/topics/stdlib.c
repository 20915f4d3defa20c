#define _GNU_SOURCE
#include <stdlib.h>
#include <stdio.h>
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <string.h>
static int up(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static char *end; static char out[40]; static int got, other; static long lng; static char word[20];
//= atoi("42")
//= atoi("  -17x")
//= atoi("+5")
//= atoi("abc")
//= atoi("")
//= atol("2147483648")
//= atoll("-9223372036854775808")
//= strtol("123", 0, 10)
//= strtol("0x1f", 0, 16)
//= strtol("0x1f", 0, 0)
//= strtol("017", 0, 0)
//= strtol("017", 0, 10)
//= strtol("zz", 0, 36)
//= strtol("  +7", 0, 10)
//= strtol("9223372036854775807", 0, 10)
//= strtol("9223372036854775808", 0, 10)
//= strtol("-9223372036854775808", 0, 10)
//= strtol("-9223372036854775809", 0, 10)
//= errno = 0; strtol("9223372036854775808", 0, 10); => errno
//= errno = 0; strtol("9223372036854775807", 0, 10); => errno
//= char *s = "12ab"; strtol(s, &end, 10); => end - s
//= char *s = "ab"; strtol(s, &end, 10); => end - s
//= char *s = "0x"; strtol(s, &end, 16); => end - s
//= char *s = "0xg"; strtol(s, &end, 0); => end - s
//= char *s = "  -"; strtol(s, &end, 10); => end - s
//= char *s = "099"; strtol(s, &end, 0); => end - s
//= strtoul("18446744073709551615", 0, 10)
//= strtoul("18446744073709551616", 0, 10)
//= strtoul("-1", 0, 10)
//= strtoul("-18446744073709551615", 0, 10)
//= strtoul("-18446744073709551616", 0, 10)
//= errno = 0; strtoul("-1", 0, 10); => errno
//= errno = 0; strtoul("18446744073709551616", 0, 10); => errno
//= strtoll("-5", 0, 10)
//= strtoull("0xffffffffffffffff", 0, 0)
//= strtoimax("77", 0, 8)
//= strtod("1.5", 0)
//= strtod("-.5e1", 0)
//= strtod("0x1p4", 0)
//= strtod("inf", 0)
//= strtod("nan", 0)
//= strtod("1e400", 0)
//= strtod("1e-400", 0)
//= strtod("-0", 0)
//= char *s = "1.5.5"; strtod(s, &end); => end - s
//= char *s = "1e"; strtod(s, &end); => end - s
//= char *s = "x"; strtod(s, &end); => end - s
//= strtof("0.1", 0)
//= atof("2.25")
//= abs(IN(i32, -5))
//= abs(0)
//= labs(IN(i64, -5000000000))
//= llabs(-3)
//= abs(IN(i32, INT_MIN))
//= div(IN(i32, 7), IN(i32, 2)).quot * 10 + div(7, 2).rem
//= div(-7, 2).quot * 10 + div(-7, 2).rem
//= ldiv(IN(i64, 9), -2).rem
//= lldiv(-9, 4).quot
//= int a[] = { 3, 1, 2 }; qsort(a, 3, sizeof *a, up); => a[0] * 100 + a[1] * 10 + a[2]
//= int a[] = { IN(i32, 5), 4 }; qsort(a, 2, sizeof *a, up); => a[0]
//= int a[] = { 9 }; qsort(a, 0, sizeof *a, up); => a[0]
//= int a[] = { 1, 3, 5 }, k = 3; => (int *)bsearch(&k, a, 3, sizeof *a, up) - a
//= int a[] = { 1, 3, 5 }, k = 4; => bsearch(&k, a, 3, sizeof *a, up) == 0
//= snprintf(out, 40, "%d", 42)
//= snprintf(out, 3, "%d", 12345)
//= snprintf(out, 3, "%d", 12345); => out[1] + out[2]
//= snprintf(0, 0, "%s", "abc")
//= sprintf(out, "%5d|", 42); => out[2] + out[5]
//= sprintf(out, "%-5d|", 42); => out[2] + out[5]
//= sprintf(out, "%05d", -42); => out[0] + out[1]
//= sprintf(out, "%x", 255); => out[0]
//= sprintf(out, "%X", 255); => out[0]
//= sprintf(out, "%#x", 255); => out[1]
//= sprintf(out, "%o", 8); => out[0] * 100 + out[1]
//= sprintf(out, "%u", -1)
//= sprintf(out, "%ld", LONG_MIN)
//= sprintf(out, "%c%c", 'a', 0)
//= sprintf(out, "%s", "hey"); => strcmp(out, "hey")
//= sprintf(out, "%.2s", "hey"); => strcmp(out, "he")
//= sprintf(out, "%+d", 5); => out[0]
//= sprintf(out, "%%"); => out[0]
//= sprintf(out, "%hhd", 300); => atoi(out)
//= sprintf(out, "%.3f", 2.0 / 3); => strcmp(out, "0.667")
//= sprintf(out, "%g", 0.0001); => strcmp(out, "0.0001")
//= sprintf(out, "%e", 12345.0); => out[0]
//= sprintf(out, "%*d", 4, 7)
//= sprintf(out, "%.*s", 1, "xyz")
//= sprintf(out, "%d %s", 1, "b"); => out[2]
//= sprintf(out, "%d", IN(i32, -7)); => out[0] + out[1]
//= sscanf("12 34", "%d %d", &got, &other); => got + other
//= sscanf("12 34", "%d %d", &got, &other)
//= sscanf("x", "%d", &got)
//= sscanf("", "%d", &got)
//= sscanf("0x1f", "%x", &got); => got
//= sscanf("0x1f", "%i", &got); => got
//= sscanf("abc def", "%s", word); => strcmp(word, "abc")
//= sscanf("abc", "%2s", word); => strlen(word)
//= sscanf("7,8", "%d,%d", &got, &other); => other
//= sscanf("7;8", "%d,%d", &got, &other)
//= sscanf("-5", "%ld", &lng); => lng
//= sscanf("ab", "%c", word); => word[0]
//= sscanf("3.5", "%d", &got); => got
//= int n = 0; sscanf("12 a", "%d %n", &got, &n); => n
//? char *p = getenv("SURELY_NOT_SET_HERE"); => p == 0
//= INT_MAX
//= CHAR_MIN
//= LONG_MAX
//= ULLONG_MAX
//= SCHAR_MIN
//= USHRT_MAX
//= RAND_MAX > 30000
//= EXIT_FAILURE != EXIT_SUCCESS
//= sizeof(div_t)
//= MB_LEN_MAX > 0
//= EOF
//= void *p = malloc(0); free(p); => 1
//= free(0); => 1
//= char *p = calloc(2, 3); p[5] = 1; int r = p[4] + p[5]; free(p); => r
//= char *p = realloc(0, 4); p[3] = 5; int r = p[3]; free(p); => r
//= char *p = malloc(10); strcpy(p, "abc"); p = realloc(p, 4); int r = p[2]; free(p); => r
//= char *p = aligned_alloc(64, 64); int r = (unsigned long)p % 64; free(p); => r
//= int *p = malloc(4); free(p); => *p
//= int *p = calloc(1, 4); => p[1]
