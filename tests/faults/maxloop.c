/* The largest element of an array, in a loop. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int a[6];
    int i;
    int max;
    for (i = 0; i < 6; i++) {
        a[i] = __VERIFIER_nondet_int();
    }
    max = a[0];
    //? a: max = a[1];
    //? a: max = 0;
    for (i = 1; i < 6; i++) {
    //? c: for (i = 1; i < 5; i++) {
    //? c: for (i = 2; i < 6; i++) {
        if (a[i] > max) {
        //? c: if (a[i] < max) {
            max = a[i];
            //? a: max = a[i - 1];
            //? a: max = a[i] - 1;
        }
    }
    for (i = 0; i < 6; i++) {
        __VERIFIER_assert(a[i] <= max);
        //? k: __VERIFIER_assert(a[i] < max);
    }
    return 0;
}
