#include <assert.h>
#include <stdio.h>

int main(void) {
  int n = 0;
  if (fread(&n, sizeof n, 1, stdin) == 1)
    assert(n != 5);
  return 0;
}
