/* A sum in a loop, by steps of two. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i;
    int sum = 0;
    __VERIFIER_assume(n >= 1 && n <= 6);
    for (i = 1; i <= n; i++) {
    //? c: for (i = 1; i < n; i++) {
        sum = sum + 2;
        //? a: sum = sum + 1;
        if (i == 4)
            sum = sum + 0;
            //? a: sum = 10;
    }
    __VERIFIER_assert(sum == n * 2);
    //? k: __VERIFIER_assert(sum == n * 3);
    return 0;
}
