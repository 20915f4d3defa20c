#include <assert.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
  int numbers[3] = {3, 1, 2}, key = 2;
  qsort(numbers, 3, sizeof(int), by_value);
  assert(numbers[0] == 1 && numbers[2] == 3);
  assert(bsearch(&key, numbers, 3, sizeof(int), by_value) == numbers + 1);
  return 0;
}
