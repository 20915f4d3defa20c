/* property: uninitialised-read */
#include <time.h>

int main(void) {
  struct timespec interval;
  interval.tv_sec = 0;
  return nanosleep(&interval, 0);
}
