/* `exit` runs destructors, whoever calls it. */
#include <assert.h>
#include <stdlib.h>

static int ended;

__attribute__((destructor)) static void last(void) { assert(!ended); }

int main(void) {
  void (*leave)(int) = exit;
  ended = 1;
  leave(0);
  return 0;
}
