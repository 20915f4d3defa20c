/* A wrong argument, a wrong result: faults in functions that are called. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int larger(int a, int b) {
    if (a > b) {
    //? c: if (a < b) {
        return a;
    }
    return b;
    //? a: return a;
}

int clamp(int x, int low, int high) {
    int raised = larger(x, low);
    //? a: int raised = larger(x, x);
    if (raised > high) {
    //? c: if (raised > high + 1) {
        return high;
        //? a: return x;
    }
    return raised;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = clamp(x, 10, 20);
    //? a: int y = clamp(x, 5, 20);
    __VERIFIER_assert(y >= 10 && y <= 20);
    //? k: __VERIFIER_assert(y >= 10 && y < 20);
    return 0;
}
