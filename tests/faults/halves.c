/* A variable goes up by one, another from the middle on. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int x = 0;
    int y = 5;
    //? a: int y = 4;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 6 && n <= 10);
    while (x < n) {
        x = x + 1;
        if (x > 5) {
        //? c: if (x > 4) {
        //? c: if (x < 5) {
            y = y + 1;
            //? a: y = y + 2;
        }
    }
    __VERIFIER_assert(y == n);
    //? k: __VERIFIER_assert(y == n + 1);
    return 0;
}
