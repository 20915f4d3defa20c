/* The number in the middle of three. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int middle(int x, int y, int z) {
    int m = z;
    if (y < z) {
    //? c: if (y > z) {
        if (x < y) {
            m = y;
            //? a: m = x;
        } else if (x < z) {
        //? c: } else if (x > z) {
            m = x;
            //? a: m = y;
        }
    } else {
        if (x > y) {
            m = y;
            //? a: m = z;
        } else if (x > z) {
        //? c: } else if (x < z) {
            m = x;
            //? a: m = y;
        }
    }
    return m;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    int m = middle(a, b, c);
    __VERIFIER_assert((a <= m) + (b <= m) + (c <= m) >= 2 && (a >= m) + (b >= m) + (c >= m) >= 2);
    //? k: __VERIFIER_assert((a <= m) + (b <= m) + (c <= m) > 2 && (a >= m) + (b >= m) + (c >= m) >= 2);
    return 0;
}
