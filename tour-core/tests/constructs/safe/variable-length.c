#include <assert.h>

static int sum(int n, int m, int a[n][m]) {
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += a[i][j];
  return s;
}

int main(void) {
  int square[2][2] = {{1, 2}, {3, 4}};
  assert(sum(2, 2, square) == 10);
  return 0;
}
