#include <assert.h>

int main(void) {
  static void *targets[] = {&&a, &&b};
  int i = 1;
  goto *targets[i];
a:
  assert(0);
b:
  return 0;
}
