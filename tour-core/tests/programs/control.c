// Jumps of all kinds, and sequence points.
int printf(const char *, ...);

static int calls;
static int yes(int n) { printf("yes%d ", n); calls++; return 1; }
static int no(int n) { printf("no%d ", n); calls++; return 0; }

static void duff(char *to, const char *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int nested(int a, int b) {
    int r = 0;
    switch (a) {
        int unused;
    case 1:
        switch (b) {
        case 1: r += 1;
        default: r += 10; break;
        case 3: r += 100;
        }
        r += 1000;
        break;
    case 2 ... 4:
        r = -1;
        /* fall through */
    case 5:
        unused = 7;
        r += unused;
        break;
    default:
        return -a;
    }
    return r;
}

static int find(int wanted) {
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            if (i * j == wanted) {
                printf("[%d %d]", i, j);
                goto found;
            }
            if (j > i) break;
        }
    return 0;
found:
    return 1;
}

static int into_loop(int skip) {
    int i = 0, sum = 0;
    if (skip) goto inside;
    for (i = 10; i < 13; i++) {
        sum += 100;
    inside:
        sum += i;
    }
    return sum;
}

static unsigned collatz(unsigned n) {
    unsigned steps = 0;
    while (1) {
        if (n == 1) return steps;
        steps++;
        if (n & 1) { n = 3 * n + 1; continue; }
        n /= 2;
    }
}

int main(void) {
    char copy[12] = { 0 };
    duff(copy, "hello world", 11);
    printf("%s\n", copy);
    for (int a = 0; a < 7; a++) for (int b = 1; b < 4; b++) printf("%d ", nested(a, b));
    printf("\n%d %d\n", find(6), find(17));
    printf("%d %d\n", into_loop(0), into_loop(1));
    printf("%u %u\n", collatz(27), collatz(97));
    int r = yes(1) && no(2) && yes(3) || no(4) || (yes(5), no(6)) || !no(7);
    printf("= %d\n", r);
    r = (no(1) ? yes(2) : no(3)) ? 1 : yes(4) ? 2 : 3;
    printf("= %d, %d calls\n", r, calls);
    int i = 5, x;
    x = i++ + 3, i += x;
    printf("%d %d\n", i, x);
    int a[3] = { 1, 2, 3 }, *p = a;
    *p++ += 10;
    *++p -= 1;
    printf("%d %d %d %d\n", a[0], a[1], a[2], (int)(p - a));
    do { if (x) continue; printf("never\n"); } while (0);
    for (;;) { if (++x > 20) break; }
    printf("%d\n", x);
    unsigned char wrap = 250;
    int turns = 0;
    while (wrap++) turns++;
    printf("%d %d\n", wrap, turns);
    for (i = 0, x = 10; i < x; i++, x--) ;
    printf("%d %d\n", i, x);
    const char *names[] = { [2] = "two", [0] = "zero" };
    printf("%s %s %d\n", names[0], names[2], names[1] == 0);
    return 0;
}
