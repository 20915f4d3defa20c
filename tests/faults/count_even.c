/* How many elements of an array are even and how many odd. */
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
    int even = 0;
    int odd = 0;
    //? a: int odd = 1;
    for (i = 0; i < N; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(a[i] >= 0);
    }
    for (i = 0; i < N; i++) {
    //? c: for (i = 1; i < N; i++) {
        if (a[i] % 2 == 0) {
        //? c: if (a[i] % 2 == 1) {
            even = even + 1;
            //? a: even = even + 2;
        } else {
            odd = odd + 1;
        }
    }
    __VERIFIER_assert(even + odd == N);
    //? k: __VERIFIER_assert(even == odd);
    __VERIFIER_assert(!(a[0] % 2 == 0) || even > 0);
    return 0;
}
