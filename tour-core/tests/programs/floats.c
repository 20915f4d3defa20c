// Floats and doubles: conversions, rounding, printing.
int printf(const char *, ...);

static float third(void) { return 1.0f / 3; }

int main(void) {
    float f = 16777216.0f;
    double d = 0.1 + 0.2;
    printf("%g %g %.17g\n", f + 1.0f, f + 2.0f, d);
    printf("%d %d %d\n", d == 0.3, (float)d == 0.3f, 0.1f == 0.1);
    printf("%.9g %.17g %.17g\n", third(), third(), 1.0 / 3);
    int i = 2147483647;
    f = i;
    printf("%f %d %d\n", f, f == i, (double)f == i);
    unsigned long long u = 0xffffffffffffffffULL;
    printf("%f %f\n", (double)u, (float)u);
    long long l = -9007199254740993LL;
    printf("%f %f\n", (double)l, (float)l);
    printf("%d %d %d %u\n", (int)-2.9, (int)2.9, (char)65.99, (unsigned)3e9);
    printf("%llu %lld\n", (unsigned long long)1e19, (long long)-1e18);
    double inf = 1e308 * 10, tiny = 5e-324;
    printf("%f %f %g %g\n", inf, -inf, tiny, tiny / 2);
    double nan = inf - inf;
    printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, !(nan >= 1));
    printf("%d %d\n", nan ? 1 : 0, -0.0 ? 1 : 0);
    printf("%g %g %d\n", -0.0, 0.0, -0.0 == 0.0);
    i = 7;
    i /= 2.0;
    printf("%d ", i);
    i *= 1.5;
    printf("%d ", i);
    i += 0.9f;
    printf("%d\n", i);
    char c = 3.99;
    _Bool b = 0.25;
    printf("%d %d\n", c, b);
    f = 0;
    for (int k = 0; k < 10; k++) f += 0.1f;
    d = 0;
    for (int k = 0; k < 10; k++) d += 0.1;
    printf("%.9g %.17g\n", f, d);
    printf("%5.1f|%-8.3f|%08.2f|%+.0f|%e|%E\n", 3.14159, 2.5, -1.5, 2.5, 12345.678, 0.00012);
    printf("%g %g %g %g %G\n", 1e-5, 123456789.0, 100000.0, 1e15, 1e-10);
    printf("%.3g %.10g %#g %.0f %.1f\n", 1234.5, 0.1, 1.0, 0.5, 0.25);
    printf("%g\n", 0x1.8p3 + 1e2 + .5 + 1.f);
    double parts[3] = { 1, 2.5f, 'a' };
    printf("%g\n", parts[0] + parts[1] + parts[2]);
    printf("%d\n", 1 ? 3.7 > 3 : 0);
    i++;
    d = i;
    d++;
    --f;
    printf("%g %.6f\n", d, f);
    return 0;
}
