#include <assert.h>
#include <math.h>
int main(void) {
  assert(sqrt(2.25) == 1.5 && sqrtf(4.0f) == 2.0f);
  double x = sqrt(-1.0);
  assert(x != x);
  return 0;
}
