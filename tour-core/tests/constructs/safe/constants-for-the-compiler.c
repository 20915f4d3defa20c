#include <assert.h>

static const int limit = 42;

/* Whether a variable is a constant depends on how much is optimised; both ways give the same here. */
static int twice(int n) { return __builtin_constant_p(n) ? n + n : 2 * n; }

int main(void) {
  assert(__builtin_constant_p(7) && __builtin_constant_p(3.5) && __builtin_constant_p("text"));
  int known = __builtin_constant_p(limit);
  assert(known == 0 || known == 1);
  assert(twice(4) == 8);
  return 0;
}
