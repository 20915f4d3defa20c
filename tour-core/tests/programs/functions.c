// Function pointers, recursion, old style definitions, static locals.
int printf(const char *, ...);

typedef int (*binary)(int, int);
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }
static const struct { const char *name; binary f; } table[] = {
    { "plus", plus }, { "minus", &minus }, { "times", *times },
};

static binary choose(int n) { return n % 2 ? plus : minus; }
static int (*pick(int n))(int, int) { return table[n].f; }
static int apply(int (*f)(int, int), int x, int y) { return f(x, y); }
static int fold(binary f, const int *v, int n) {
    int r = *v;
    while (--n) r = (*f)(r, *++v);
    return r;
}

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

int old_style(a, b)
    char a;
    float b;
{
    return a + (int)b;
}

static int counter(void) {
    static int n = 10;
    static int *self = &n;
    (*self)++;
    return n++;
}

static void hanoi(int n, char from, char to, char by, int *moves) {
    if (n == 0) return;
    hanoi(n - 1, from, by, to, moves);
    ++*moves;
    hanoi(n - 1, by, to, from, moves);
}

static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void sort(int *v, int n, int (*less)(int, int)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && less(v[j], v[j - 1]); j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}
static int down(int a, int b) { return a > b; }

static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

int main(void) {
    int v[] = { 5, 3, 9, 1, 7 };
    for (int i = 0; i < 3; i++) printf("%s %d %d\n", table[i].name, table[i].f(7, 3), fold(table[i].f, v, 5));
    printf("%d %d %d\n", choose(1)(2, 3), choose(2)(2, 3), pick(2)(4, 5));
    printf("%d %d\n", apply(plus, 1, 2), apply(&times, 3, 4));
    printf("%u %d %d\n", ackermann(2, 3), is_even(10), is_odd(7));
    printf("%d\n", old_style(300, 2.75));
    printf("%d ", counter());
    printf("%d ", counter());
    printf("%d\n", counter());
    int moves = 0;
    hanoi(6, 'a', 'b', 'c', &moves);
    printf("%d %ld\n", moves, fib(15));
    sort(v, 5, down);
    for (int i = 0; i < 5; i++) printf("%d ", v[i]);
    swap(&v[0], &v[4]);
    printf("%d %d\n", v[0], v[4]);
    binary none = 0;
    printf("%d %d %d\n", !none, table[0].f == plus, choose(0) != plus);
    return 0;
}
