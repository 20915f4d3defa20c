/* The smallest and the largest of six numbers: many ways through the program. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    int d = __VERIFIER_nondet_int();
    int e = __VERIFIER_nondet_int();
    int f = __VERIFIER_nondet_int();
    int max = a;
    int min = a;
    //? a: int min = b;
    if (b > max)
        max = b;
    if (b < min)
        min = b;
        //? a: max = b;
    if (c > max)
        max = c;
    if (c < min)
        min = c;
    if (d > max)
    //? c: if (d < max)
        max = d;
        //? a: max = c;
    if (d < min)
        min = d;
    if (e > max)
        max = e;
    if (e < min)
    //? c: if (e > min)
        min = e;
        //? a: min = e + 1;
    if (f > max)
        max = f;
        //? a: min = f;
    if (f < min)
        min = f;
    __VERIFIER_assert(min <= a && min <= b && min <= c && min <= d && min <= e && min <= f && max >= a &&
                      max >= b && max >= c && max >= d && max >= e && max >= f);
    return 0;
}
