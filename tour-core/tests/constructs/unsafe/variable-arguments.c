#include <assert.h>
#include <stdarg.h>

int __VERIFIER_nondet_int(void);

/* The most of so many numbers, if it is above zero. */
static int most(int count, ...) {
  va_list list;
  va_start(list, count);
  int most = 0;
  for (int i = 0; i < count; i++) {
    int next = va_arg(list, int);
    if (next > most)
      most = next;
  }
  va_end(list);
  return most;
}

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  int found = most(2, a, b);
  assert(found == a || found == b);
  return 0;
}
