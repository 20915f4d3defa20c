#include <assert.h>
#include <stdlib.h>

struct pair {
  int key, value;
};

static int compare(const void *a, const void *b) {
  return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

int main(void) {
  struct pair v[2] = {{1, 1}, {1, 2}};
  qsort(v, 2, sizeof v[0], compare);
  assert(v[0].value == 1);
  return 0;
}
