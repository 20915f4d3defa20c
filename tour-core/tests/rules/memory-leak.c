#include <stdlib.h>

static char *held;

int bad_lost(int n) {
  char *volatile p = malloc(4);
  if (n != 7)
    free(p);
  p = 0;
  return 0;
}

int bad_overwritten(int n) {
  char *volatile p = malloc(4);
  p = malloc(5);
  free(p);
  return n;
}

int bad_dropped(int n) {
  for (int i = 0; i < n; i++) {
    char *p = malloc(1);
    if (i != 3)
      free(p);
  }
  return 0;
}

int good_freed(int n) {
  char *p = malloc(4);
  p = realloc(p, 8);
  char *q = realloc(0, 3);
  free(q);
  free(p);
  return n;
}

int good_held(int n) {
  held = malloc(4);
  return n;
}
