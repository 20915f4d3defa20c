#include <assert.h>
#include <math.h>

extern double __VERIFIER_nondet_double(void);

int main(void) {
  double y = sin(__VERIFIER_nondet_double());
  assert(!(y > 1.0));
  return 0;
}
