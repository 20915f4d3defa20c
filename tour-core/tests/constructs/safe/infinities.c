#include <assert.h>
#include <math.h>

/* The macro tells the sign, the compiler's own function does not. */
int main(void) {
  double low = -INFINITY, high = INFINITY, none = NAN;
  assert(isinf(low) != 0 && isinf(high) != 0 && isinf(none) == 0);
  assert(__builtin_isinf_sign(low) == -1 && __builtin_isinf_sign(high) == 1);
  assert(__builtin_isinf(low) == 1 && __builtin_isinf(high) == 1 && __builtin_isinf(none) == 0);
  return 0;
}
