/* property: uninitialised-read */
#include <time.h>

/* `mktime` computes the other members. */
int main(void) {
  struct tm t;
  t.tm_sec = t.tm_min = t.tm_hour = 0;
  t.tm_mday = 1;
  t.tm_mon = 2;
  t.tm_year = 90;
  t.tm_isdst = -1;
  time_t at = mktime(&t);
  struct timespec none = {0, 0};
  nanosleep(&none, 0);
  return at == 3;
}
