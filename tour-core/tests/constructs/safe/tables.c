#include <assert.h>
#include <stdio.h>
struct entry {
  short value;
  unsigned char bits;
};
static const struct entry entries[3] = {{1, 2}, {300, 4}, {-5, 6}};
static const int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const unsigned squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
static const char *names[] = {"abc", "de", "f"};
static unsigned sum(const unsigned *p, unsigned n) { return n ? p[n - 1] + sum(p, n - 1) : 0; }
int main(void) {
  unsigned i = (unsigned)getchar(), j = (unsigned)getchar();
  if (i < 3) {
    assert(entries[i].value * 2 + entries[i].bits >= -4);
    assert(names[i][0] >= 'a' && names[i][0] <= 'f');
    if (j < 2)
      assert(grid[j][i] == (int)(3 * j + i + 1));
  }
  assert(squares[i & 7] == (i & 7) * (i & 7));
  assert(sum(squares, 4) == 14);
  return 0;
}
