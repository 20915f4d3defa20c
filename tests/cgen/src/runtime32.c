// The run-time system of 32-bit programs on a machine without a 32-bit C library: start, output of the few formats
// that the checksums need, copying, and the 64-bit operations that the compiler calls.

typedef unsigned long long u64;
typedef long long s64;

static int system_call(int number, int a, int b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static char buffer[1 << 16];
static unsigned used;

static void flush(void) {
    unsigned done = 0;
    while (done < used) {
        int n = system_call(4, 1, (int)(buffer + done), (int)(used - done));
        if (n <= 0) break;
        done += (unsigned)n;
    }
    used = 0;
}

static void put(char c) {
    if (used == sizeof buffer) flush();
    buffer[used++] = c;
}

// Knows `%llx`.
int printf(const char *format, ...) {
    __builtin_va_list args;
    __builtin_va_start(args, format);
    for (; *format; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        format += 3;
        u64 value = __builtin_va_arg(args, u64);
        char digits[16];
        int n = 0;
        do digits[n++] = "0123456789abcdef"[value & 15];
        while (value >>= 4);
        while (n > 0) put(digits[--n]);
    }
    __builtin_va_end(args);
    return 0;
}

void *memcpy(void *to, const void *from, unsigned size) {
    for (unsigned i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, unsigned size) {
    for (unsigned i = 0; i < size; i++) ((char *)to)[i] = (char)byte;
    return to;
}

u64 __udivmoddi4(u64 a, u64 b, u64 *rest) {
    u64 quotient = 0, remainder = 0;
    for (int i = 63; i >= 0; i--) {
        u64 carry = remainder >> 63;
        remainder = remainder << 1 | (a >> i & 1);
        if (carry || remainder >= b) {
            remainder -= b;
            quotient |= 1ull << i;
        }
    }
    if (rest) *rest = remainder;
    return quotient;
}

u64 __udivdi3(u64 a, u64 b) { return __udivmoddi4(a, b, 0); }

u64 __umoddi3(u64 a, u64 b) {
    u64 rest;
    __udivmoddi4(a, b, &rest);
    return rest;
}

static u64 magnitude(s64 a) { return a < 0 ? 0 - (u64)a : (u64)a; }

s64 __divdi3(s64 a, s64 b) {
    u64 q = __udivmoddi4(magnitude(a), magnitude(b), 0);
    return (s64)((a < 0) != (b < 0) ? 0 - q : q);
}

s64 __moddi3(s64 a, s64 b) {
    u64 rest;
    __udivmoddi4(magnitude(a), magnitude(b), &rest);
    return (s64)(a < 0 ? 0 - rest : rest);
}

s64 __divmoddi4(s64 a, s64 b, s64 *rest) {
    *rest = __moddi3(a, b);
    return __divdi3(a, b);
}

// A long double holds 64 bits exactly, so that each conversion rounds once.
static long double exact(u64 a) {
    return (long double)(unsigned)(a >> 32) * 4294967296.0L + (long double)(unsigned)a;
}

double __floatundidf(u64 a) { return (double)exact(a); }

float __floatundisf(u64 a) { return (float)exact(a); }

u64 __fixunsdfdi(double a) {
    return a < 9223372036854775808.0 ? (u64)(s64)a : (u64)(s64)(a - 9223372036854775808.0) ^ 1ull << 63;
}

u64 __fixunssfdi(float a) { return __fixunsdfdi(a); }

int main(void);

__attribute__((force_align_arg_pointer)) void _start(void) {
    int code = main();
    flush();
    system_call(1, code, 0, 0);
    for (;;) {
    }
}
