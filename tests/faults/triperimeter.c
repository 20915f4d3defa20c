/* The perimeter of a triangle, or -1. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}

int perimeter(int i, int j, int k) {
    int kind;
    int sum;
    if (i == 0 || j == 0 || k == 0) {
        sum = -1;
        //? a: sum = 0;
    } else {
        kind = 0;
        if (i == j) {
            kind = kind + 1;
        }
        if (i == k) {
            kind = kind + 2;
        }
        if (j == k) {
            kind = kind + 3;
        }
        if (kind == 0) {
            if (i + j <= k || j + k <= i || i + k <= j) {
            //? c: if (i + j <= k || j + k > i || i + k <= j) {
                sum = -1;
            } else {
                sum = i + j + k;
                //? a: sum = i + j - k;
            }
        } else {
            if (kind > 3) {
            //? c: if (kind > 1) {
                sum = 3 * i;
                //? a: sum = 2 * i;
            } else {
                if (kind == 1 && i + j > k) {
                //? c: if (kind == 2 && i + j > k) {
                    sum = 2 * i + k;
                    //? a: sum = 2 * k + i;
                } else {
                    if (kind == 2 && i + k > j) {
                        sum = 2 * i + j;
                        //? a: sum = 2 * i + k;
                    } else {
                        if (kind == 3 && j + k > i) {
                        //? c: if (kind == 3 && j + k < i) {
                            sum = 2 * j + i;
                            //? a: sum = 2 * i + j;
                        } else {
                            sum = -1;
                        }
                    }
                }
            }
        }
    }
    return sum;
}

int main(void) {
    int i = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    int k = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && j >= 0 && k >= 0 && i <= 1000 && j <= 1000 && k <= 1000);
    int sum = perimeter(i, j, k);
    __VERIFIER_assert(i + j <= k || j + k <= i || i + k <= j ? sum == -1 : sum == i + j + k);
    //? k: __VERIFIER_assert(i + j < k || j + k <= i || i + k <= j ? sum == -1 : sum == i + j + k);
    return 0;
}
