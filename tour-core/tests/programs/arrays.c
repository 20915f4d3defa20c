// Arrays of arrays, variable-length arrays, pointers into them.
int printf(const char *, ...);

static int grid[3][4] = { { 1, 2, 3, 4 }, { 5, 6 }, [2][3] = 12 };

static int sum(int n, int m, int a[n][m]) {
    int s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j];
    return s;
}

static unsigned long size(int a[10]) { return sizeof(a); }

static void sieve(int n) {
    _Bool composite[n + 1];
    for (int i = 0; i <= n; i++) composite[i] = 0;
    for (int i = 2; i <= n; i++) {
        if (composite[i]) continue;
        printf("%d ", i);
        for (int j = i + i; j <= n; j += i) composite[j] = 2;
    }
    printf("%lu\n", sizeof composite);
}

int main(void) {
    int (*row)[4] = grid;
    printf("%d %d %lu\n", row[1][1], (*(row + 2))[3], sizeof *row);
    printf("%d %d\n", sum(3, 4, grid), *(*(grid + 1) + 1));
    int *p = (int *)grid + 6;
    printf("%d %d %ld\n", p[-2], *(p - 6), (long)(p - (int *)grid));
    printf("%lu %d\n", size(grid[0]) / sizeof(void *), 2[grid[0]]);
    sieve(30);
    for (int n = 1; n < 4; n++) {
        int square[n][n];
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) square[i][j] = i * n + j;
        int (*last)[n] = &square[n - 1];
        printf("%d %lu %d\n", sum(n, n, square), sizeof square, (*last)[n - 1]);
    }
    char *names[3][2] = { { "a", "b" }, { "c" } };
    printf("%s %d\n", names[1][0], names[2][1] == 0);
    int three[2][2][3] = { 0 };
    int k = 0;
    for (int *q = (int *)three; q != (int *)three + 12; q++) *q = k++;
    printf("%d %d %ld\n", three[1][0][2], three[0][1][1], (long)(three[1] - three[0]));
    int whole[] = { [5] = 1, 2, [0] = 9, 8 };
    printf("%lu:", sizeof whole / sizeof *whole);
    for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++) printf(" %d", whole[i]);
    printf("\n");
    int *pointers[4], **pp = pointers;
    for (int i = 0; i < 4; i++) pointers[i] = &grid[i % 3][i];
    printf("%d %d\n", **pp, *pp[3]);
    ++*pp[1];
    *(*(pp + 2)) = -4;
    printf("%d %d\n", grid[1][1], grid[2][2]);
    return 0;
}
