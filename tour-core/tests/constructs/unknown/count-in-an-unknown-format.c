#include <assert.h>
#include <stdio.h>

int main(void) {
  int n = 7;
  const char *format = "abc%n";
  printf(format, &n);
  assert(n == 7);
  return 0;
}
