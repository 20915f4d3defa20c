/* The smallest and the largest of three numbers: the introductory example of the seed. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int main(void) {
    int input1 = __VERIFIER_nondet_int();
    int input2 = __VERIFIER_nondet_int();
    int input3 = __VERIFIER_nondet_int();
    int least = input1;
    int most = input1;
    if (most < input2)
        most = input2;
    if (most < input3)
        most = input3;
    if (least > input2)
        least = input2;
        //? a: most = input2;
    if (least > input3)
        least = input3;
        //? a: most = least - 1;
    __VERIFIER_assert(least <= most);
}
