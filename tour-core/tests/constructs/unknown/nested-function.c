#include <assert.h>

int main(void) {
  int k = 2;
  int plus(int a) { return a + k; }
  assert(plus(1) == 4);
  return 0;
}
