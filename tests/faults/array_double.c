/* Every element of an array is twice its index: a loop that writes and a loop that reads. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

enum { N = 5 };

int main(void) {
    int a[N];
    int i;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= N);
    for (i = 0; i < n; i++) {
        a[i] = i;
        //? a: a[i] = i + 1;
    }
    for (i = 0; i < n; i++) {
    //? c: for (i = 1; i < n - 1; i++) {
        a[i] = a[i] * 2;
        //? a: a[i] = a[i] * 3;
        //? a: a[i] = a[i] - 2;
    }
    for (i = 0; i < n; i++) {
        __VERIFIER_assert(a[i] == 2 * i);
    }
    return 0;
}
