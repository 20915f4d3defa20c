#include <assert.h>
#include <stdlib.h>

int main(void) {
  assert(rand() >= 0);
  srand(1);
  assert(lrand48() >= 0);
  return 0;
}
