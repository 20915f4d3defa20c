/* Elements below a bound are raised to it. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

enum { N = 4 };

int main(void) {
    int a[N];
    int i;
    int bound = __VERIFIER_nondet_int();
    for (i = 0; i < N; i++) {
        a[i] = __VERIFIER_nondet_int();
    }
    for (i = 0; i < N; i++) {
    //? c: for (i = 0; i < N - 1; i++) {
        if (a[i] < bound) {
        //? c: if (a[i] > bound) {
        //? c: if (a[i] < bound - 1) {
            a[i] = bound;
            //? a: a[i] = bound - 1;
        }
    }
    for (i = 0; i < N; i++) {
        __VERIFIER_assert(a[i] >= bound);
        //? k: __VERIFIER_assert(a[i] > bound);
    }
    return 0;
}
