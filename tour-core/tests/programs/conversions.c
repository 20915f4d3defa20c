// Promotions, usual conversions and the traps in them.
int printf(const char *, ...);

static char give(int x) { return x; }
static _Bool truth(long x) { return x; }
static unsigned short cut(unsigned x) { return x; }

int main(void) {
    unsigned u = 1;
    int i = -1;
    long l = -1;
    unsigned long ul = 1;
    unsigned char uc = 255;
    signed char sc = -1;
    unsigned short us = 65535;
    short s = -32768;
    char c = 200;
    printf("%d %d %d %d\n", i < u, l < u, i < ul, l < (long)ul);
    printf("%d %d %d\n", uc + 1, sc == uc, (unsigned char)sc == uc);
    printf("%d %d %d\n", us + 1, (unsigned short)(us + 1), s - 1);
    printf("%d %d %d\n", c, c >> 1, (unsigned char)c >> 1);
    printf("%d %u\n", ~uc, ~u);
    printf("%d %d\n", (uc << 23) < 0, -1 >> 31);
    printf("%u %lx %lx\n", (unsigned)-1, (unsigned long)-1, (unsigned long)(unsigned)-1);
    printf("%lld %llu\n", (long long)i, (unsigned long long)i);
    printf("%d %d %d\n", give(300), truth(1L << 40), cut(70000));
    uc += 10;
    sc *= 100;
    us <<= 1;
    printf("%d %d %d\n", uc, sc, us);
    uc = 200;
    uc = uc + uc;
    printf("%d\n", uc);
    printf("%d %d\n", -7 / 2, -7 % 2);
    printf("%d %d\n", 7 / -2, 7 % -2);
    printf("%u %u\n", -7 / 2u, -7 % 2u);
    printf("%ld %d\n", sizeof(char) - 2 < 0 ? 1L : 0L, (int)sizeof(c + c));
    printf("%lu %lu %lu %lu\n", sizeof 'a', sizeof 1.0f, sizeof(1 ? 1 : 1L), sizeof(uc++));
    printf("%d\n", uc);
    printf("%d %d\n", 1 ? -1 : 1u > 0, (1 ? -1 : 1u) > 0);
    printf("%d %d %d %d\n", 0x7fffffff, 0x80000000 > 0, 2147483648 > 0, -2147483648 < 0);
    printf("%d %d %d\n", 'a' - 'A', '\\', '\377');
    printf("%d %d %d\n", !5, !!5, !0);
    printf("%u\n", 0xffffffff + 1);
    printf("%d\n", (_Bool)256 + (_Bool)0.1 + (_Bool)"");
    _Bool b = 2;
    b += 3;
    printf("%d ", b);
    b--;
    printf("%d ", b);
    b--;
    printf("%d\n", b);
    enum { A = -1, B } e = A;
    printf("%d %d\n", e < 0, e < B);
    unsigned field = 5;
    printf("%d %d\n", field - 6 > 0, (int)(field - 6) > 0);
    printf("%lld\n", 1LL << 40 | 1 << 4);
    printf("%d\n", (short)0x18000);
    long long big = 0x123456789abcdef0LL;
    printf("%d %d %d\n", (int)big, (short)big, (char)big);
    printf("%d\n", 3 > 2 > 1);
    printf("%d\n", 10 - 3 - 2 << 1 & 0xf ^ 2 | 1);


    printf("%d\n", 5 & 3 == 3);
    return 0;
}
