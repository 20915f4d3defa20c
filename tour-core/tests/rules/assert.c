#include <assert.h>

int bad_assert(int n) {
  assert(n != 7);
  return 0;
}

int good_assert(int n) {
  assert(n == 7 || n != 7);
  return 0;
}
