#include <assert.h>
#include <math.h>

int main(void) {
  assert(fabs(-2.0) == 2.0 && floor(-1.5) == -2.0 && ceil(1.5) == 2.0 && trunc(-1.5) == -1.0);
  assert(round(2.5) == 3.0 && rint(2.5) == 2.0 && lround(-2.5) == -3 && floorf(1.5f) == 1.0f);
  assert(fmax(1, 2) == 2 && fmin(1, NAN) == 1 && fdim(3, 1) == 2 && fmod(-5, 3) == -2);
  assert(copysign(1.0, -0.0) == -1.0 && signbit(-0.0) && !signbit(1.0));
  assert(isnan(NAN) && isinf(INFINITY) && isnormal(1.0) && fpclassify(0.0) == FP_ZERO);
  return 0;
}
