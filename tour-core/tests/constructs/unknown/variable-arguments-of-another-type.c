#include <assert.h>
#include <stdarg.h>

static long first(int n, ...) {
  va_list list;
  va_start(list, n);
  long x = va_arg(list, long);
  va_end(list);
  return x;
}

int main(void) {
  assert(first(1, 2) == 2);
  return 0;
}
