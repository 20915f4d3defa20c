#include <assert.h>
#include <stdio.h>

int called;

int puts(const char *text) {
  called = 1;
  return 0;
}

/* Compilers make it `puts("hello")`. */
int main(void) {
  printf("hello\n");
  assert(!called);
}
