#include <assert.h>
#include <stdlib.h>

/* It is so, but no generator is modelled. */
int main(void) {
  srand(1);
  int first = rand();
  srand(1);
  assert(rand() == first);
  return 0;
}
