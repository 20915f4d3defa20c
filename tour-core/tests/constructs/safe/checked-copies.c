#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char a[8];
  assert(__builtin___memcpy_chk(a, "abc", 4, 4) == a && a[2] == 'c');
  assert(__builtin___strcpy_chk(a, "xyz", 4) == a && a[3] == 0);
  assert(__builtin___strcat_chk(a, "cd", 6) == a && !strcmp(a, "xyzcd"));
  __builtin___memset_chk(a, 1, 8, (size_t)-1);
  assert(a[7] == 1);
  __builtin___strncpy_chk(a, "a", 4, 8);
  assert(a[3] == 0 && a[4] == 1);
  /* What writes more than there is room for ends the program. */
  volatile size_t size = 8;
  switch (getchar()) {
  case EOF:
    return 0;
  case 'a':
    __builtin___memcpy_chk(a, "abcdefg", size, 4);
    break;
  case 'b':
    __builtin___strcpy_chk(a, "abcd", 4);
    break;
  case 'c':
    __builtin___strncpy_chk(a, "a", 5, 4);
    break;
  case 'd':
    __builtin___memset_chk(a, 0, 8, 7);
    break;
  default:
    strcpy(a, "ab");
    __builtin___strcat_chk(a, "cd", 4);
  }
  assert(0);
}
