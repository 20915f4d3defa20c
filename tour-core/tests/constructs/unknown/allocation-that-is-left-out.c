#include <assert.h>
#include <stdlib.h>

/* clang leaves the allocation out, and takes it for successful. */
int main(void) {
  char *block = calloc((size_t)-1 / 2, 4);
  assert(!block);
}
