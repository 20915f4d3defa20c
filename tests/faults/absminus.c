/* The absolute value of a difference: the running example of the seed. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int foo(int i, int j) {
    int result;
    int k = 0;
    //? a: int k = 1;
    if (i <= j) {
    //? c: if (i >= j) {
        k = k + 1;
        //? a: k = k + 2;
    }
    if (k == 1 && i != j) {
    //? c: if (k == 0 && i != j) {
    //? c: if (k == 1 && i == j) {
        result = j - i;
        //? a: result = i - j;
        //? a: result = j + i;
    } else {
        result = i - j;
        //? a: result = j - i;
    }
    __VERIFIER_assert((i < j && result == j - i) || (i >= j && result == i - j));
    //? k: __VERIFIER_assert((i < j && result == j - i) || (i > j && result == i - j));
    return result;
}

int main(void) {
    foo(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    return 0;
}
