// 128-bit integers, where the data model has them.
int printf(const char *, ...);
typedef __int128 wide;
typedef unsigned __int128 uwide;

static void show(const char *name, uwide v) {
    printf("%s %llx %llx\n", name, (unsigned long long)(v >> 64), (unsigned long long)v);
}

int main(void) {
    uwide a = ((uwide)0x0123456789abcdefULL << 64) | 0xfedcba9876543210ULL;
    uwide b = 0xffffffffffffffffULL;
    wide c = -(wide)a;
    show("a", a);
    show("a+b", a + b);
    show("a-b", b - a);
    show("a*b", a * b);
    show("a/b", a / b);
    show("a%b", a % b);
    show("c", c);
    show("c/3", c / 3);
    show("c%7", c % 7);
    show("c>>5", c >> 5);
    show("a<<100", a << 100);
    show("~a^b", ~a ^ b);
    printf("%d %d %d %d\n", c < 0, (uwide)c < a, a > b, c == -(wide)a);
    wide from_int = -5;
    uwide from_unsigned = 5u;
    show("int", from_int);
    show("unsigned", from_unsigned + from_int);
    printf("%d %lu\n", (int)c, (unsigned long)sizeof(wide));
    struct { char pad; wide w; } s = { 1, -1 };
    show("member", s.w + sizeof s);
    wide sum = 0;
    for (int i = 0; i < 24; i++) sum = sum * 31 + i;
    show("sum", sum);
    return 0;
}
