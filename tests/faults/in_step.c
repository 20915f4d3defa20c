/* Two variables go down in step. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int i = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i <= 5);
    int x = i;
    int y = j;
    //? a: int y = i + 1;
    while (x != 0) {
        x--;
        y--;
        //? a: y = y - 2;
    }
    if (i == j) {
    //? c: if (i != j) {
        __VERIFIER_assert(y == 0);
    }
    return 0;
}
