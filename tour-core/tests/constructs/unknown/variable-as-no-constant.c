#include <assert.h>

static const int limit = 42;

int main(void) {
  assert(!__builtin_constant_p(limit));
  return 0;
}
