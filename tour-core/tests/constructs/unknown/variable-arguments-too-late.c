#include <assert.h>
#include <stdarg.h>

/* The list outlives the call that it belongs to. */
static va_list kept;

static int keep(int n, ...) {
  va_start(kept, n);
  return va_arg(kept, int);
}

int main(void) {
  assert(keep(2, 3, 4) == 3);
  assert(va_arg(kept, int) == 4);
  return 0;
}
