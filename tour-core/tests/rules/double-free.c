#include <stdlib.h>

int bad_twice(int n) {
  char *p = malloc(4);
  free(p);
  if (n == 7)
    free(p);
  return 0;
}

int bad_alias(int n) {
  char *p = malloc(4), *q = n == 7 ? p : 0;
  free(q);
  free(p);
  return 0;
}

int good_cleared(int n) {
  char *p = malloc(4);
  free(p);
  p = 0;
  if (n == 7)
    free(p);
  return 0;
}
