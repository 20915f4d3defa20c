#include <assert.h>
#include <errno.h>
#include <math.h>
#include <semaphore.h>
#include <stdlib.h>

int main(void) {
  errno = 0;
  assert(strtoul("-18446744073709551615", 0, 10) == 1 && errno == 0);
  assert(strtol("9223372036854775808", 0, 10) > 0 && errno == ERANGE);
  volatile double below = -1;
  errno = 0;
  sqrt(below);
  assert(errno == EDOM);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  errno = 0;
  assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  return 0;
}
