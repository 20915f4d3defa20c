#include <assert.h>
#include <stdarg.h>

/* More is read than is passed. */
static int second(int n, ...) {
  va_list list;
  va_start(list, n);
  int x = va_arg(list, int);
  x = va_arg(list, int);
  va_end(list);
  return x;
}

int main(void) {
  assert(second(1, 2) != 3);
  return 0;
}
