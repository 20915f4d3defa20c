/* The sum of an array of ones and zeros in turn. */
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
    int n = __VERIFIER_nondet_int();
    int sum = 0;
    //? a: int sum = 1;
    __VERIFIER_assume(n >= 0 && n <= N);
    for (i = 0; i < n; i++) {
        if (i % 2 == 0) {
        //? c: if (i % 2 == 1) {
            a[i] = 1;
            //? a: a[i] = 2;
        } else {
            a[i] = 0;
            //? a: a[i] = 3;
        }
    }
    for (i = 0; i < n; i++) {
        if (i == 0 || i == 2) {
            sum = sum + a[i];
            //? a: sum = sum + i + 1;
        } else {
            sum = sum + a[i] * a[i];
        }
    }
    __VERIFIER_assert(sum == (n + 1) / 2);
    return 0;
}
