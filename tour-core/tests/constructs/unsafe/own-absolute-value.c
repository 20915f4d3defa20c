#include <assert.h>

/* gcc computes `abs` itself, clang calls this without optimisation. */
int abs(int x) { return 7; }

int main(void) {
  assert(abs(-3) == 7);
  return 0;
}
