#include <assert.h>
#include <stdio.h>

int main(void) {
  int n = 7;
  fprintf(stderr, "abc%n", &n);
  assert(n == 7);
  return 0;
}
