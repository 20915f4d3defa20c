#include <assert.h>

int main(void) {
  int x = 1;
  __asm__("addl $1,%0" : "+r"(x) : : "memory");
  assert(x == 2);
  return 0;
}
