#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static void complain(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
}

int main(void) {
  int n = 1;
  complain("%d\n", n);
  assert(n == 1);
  return 0;
}
