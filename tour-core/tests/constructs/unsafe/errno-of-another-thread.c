#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *run(void *unused) {
  assert(errno == 34);
  return unused;
}

int main(void) {
  pthread_t thread;
  errno = 34;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  return 0;
}
