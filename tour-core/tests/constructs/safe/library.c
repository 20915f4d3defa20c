#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char text[16] = "ab", *end;
  strcat(text, "cd");
  assert(strcmp(text, "abcd") == 0 && strchr(text, 'c') == text + 2 && strstr(text, "cd") == text + 2);
  assert(mempcpy(text, "xyz", 3) == text + 3 && stpcpy(text, "uvw") == text + 3);
  errno = 0;
  assert(strtol("12x", &end, 10) == 12 && *end == 'x' && errno == 0);
  assert(strtol("99999999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
  div_t d = div(-7, 2);
  assert(d.quot == -3 && d.rem == -1);
  return 0;
}
