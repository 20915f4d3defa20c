#include <assert.h>
#include <stdlib.h>

static int calls;

static int compare(const void *a, const void *b) {
  calls++;
  return *(const int *)a - *(const int *)b;
}

/* How often elements are compared is up to the library. */
int main(void) {
  int v[3] = {1, 2, 3};
  qsort(v, 3, sizeof v[0], compare);
  assert(calls == 2);
  return 0;
}
