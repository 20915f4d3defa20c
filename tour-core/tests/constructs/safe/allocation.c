#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int *grown = calloc(2, sizeof(int));
  if (!grown)
    return 0;
  assert(grown[1] == 0);
  grown[0] = 7;
  grown = reallocarray(grown, 4, sizeof(int));
  if (!grown)
    return 0;
  assert(grown[0] == 7);
  free(grown);
  return 0;
}
