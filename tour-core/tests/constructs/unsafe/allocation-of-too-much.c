#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc((size_t)-1);
  assert(block);
  return *block;
}
