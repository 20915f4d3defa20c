#include <assert.h>
#include <threads.h>

static int x;

static int run(void *unused) {
  x = 1;
  return 0;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, run, 0);
  thrd_join(thread, 0);
  assert(x == 0);
  return 0;
}
