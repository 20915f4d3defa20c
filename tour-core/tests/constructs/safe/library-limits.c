/* What functions of the library give at the limits of what they take. */
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  char text[] = "a,b", byte, *rest;
  strtok_r(text, ",", &rest);
  assert(rest == text + 2);
  strtok_r(0, ",", &rest);
  assert(rest == text + 3);
  assert(!strtok_r(0, ",", &rest));
  assert(difftime(9007199254740993, 9007199254740992) == 1 && difftime(3, 5) == -2);
  assert(tolower(-100) == 156 && toupper(-100) == 156 && tolower(-1) == -1);
  errno = 0;
  assert(!setlocale(99, "C") && errno == EINVAL);
  errno = 0;
  assert(close(-1) == -1 && errno > 0);
  assert(fsync(-1) == -1 && read(-1, &byte, 1) == -1 && write(-1, &byte, 0) == -1);
  assert(unlink("") == -1 && chdir("") == -1 && truncate("x", -1) == -1);
  return 0;
}
