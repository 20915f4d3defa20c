#include <assert.h>
#include <fenv.h>
int main(void) {
  fesetround(FE_DOWNWARD);
  float x = 1.0f, y = 0x1.8p-24f;
  assert(x + y == 1.0f);
  return 0;
}
