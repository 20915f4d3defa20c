/* property: uninitialised-read */
#include <time.h>

int main(void) {
  struct tm t;
  t.tm_sec = t.tm_min = t.tm_hour = 0;
  t.tm_mday = 1;
  t.tm_mon = 2;
  t.tm_year = 90;
  return mktime(&t) == 3;
}
