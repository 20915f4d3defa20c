/* The type of a triangle: 1 scalene, 2 isosceles, 3 equilateral, 4 none. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int type_of(int i, int j, int k) {
    int type;
    if (i == 0 || j == 0 || k == 0) {
        type = 4;
        //? a: type = 3;
    } else {
        type = 0;
        if (i == j) {
            type = type + 1;
            //? a: type = type + 2;
        }
        if (i == k) {
        //? c: if (i != k) {
            type = type + 2;
            //? a: type = type + 1;
        }
        if (j == k) {
            type = type + 3;
        }
        if (type == 0) {
            if (i + j <= k || j + k <= i || i + k <= j) {
            //? c: if (i + j <= k || j + k <= i || i + k > j) {
                type = 4;
            } else {
                type = 1;
                //? a: type = 2;
            }
        } else {
            if (type > 3) {
            //? c: if (type > 1) {
                type = 3;
                //? a: type = 0;
            } else {
                if (type == 1 && i + j > k) {
                //? c: if (type == 1 && i + j <= k) {
                    type = 2;
                } else {
                    if (type == 2 && i + k > j) {
                    //? c: if (type == 1 && i + k > j) {
                        type = 2;
                        //? a: type = 1;
                    } else {
                        if (type == 3 && j + k > i) {
                            type = 2;
                            //? a: type = 3;
                        } else {
                            type = 4;
                        }
                    }
                }
            }
        }
    }
    return type;
}

int main(void) {
    int i = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    int k = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && j >= 0 && k >= 0 && i <= 1000 && j <= 1000 && k <= 1000);
    int type = type_of(i, j, k);
    __VERIFIER_assert(i == 0 || j == 0 || k == 0 || i + j <= k || j + k <= i || i + k <= j ? type == 4
                      : i == j && j == k                                                   ? type == 3
                      : i == j || j == k || i == k                                         ? type == 2
                      //? k: : i == j || i == k ? type == 2
                                                                                           : type == 1);
    return 0;
}
