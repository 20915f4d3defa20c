#include <stdlib.h>

static void reach_error(void) { abort(); }

int bad_call(int n) {
  if (n == 7)
    reach_error();
  return 0;
}

int good_call(int n) {
  if (n * 0)
    reach_error();
  return 0;
}
