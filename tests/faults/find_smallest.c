/* The smallest element of an array, from its first on. */
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
    int min = 0;
    for (i = 0; i < N; i++) {
        a[i] = __VERIFIER_nondet_int();
    }
    i = 0;
    while (i < N) {
        if (i == 0 || a[i] < min) {
        //? c: if (i == 0 || a[i] > min) {
        //? c: if (i == 1 || a[i] < min) {
            min = a[i];
            //? a: min = a[0];
        }
        i = i + 1;
        //? a: i = i + 2;
    }
    for (i = 0; i < N; i++) {
        __VERIFIER_assert(min <= a[i]);
    }
    return 0;
}
