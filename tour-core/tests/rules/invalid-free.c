#include <stdlib.h>

static int global;

int bad_local(int n) {
  int *volatile p = &n;
  free(p);
  return 0;
}

int bad_global(int n) {
  int *volatile p = n == 7 ? &global : 0;
  free(p);
  return 0;
}

int bad_inside(int n) {
  char *p = malloc(10);
  free(p + n);
  return 0;
}

int bad_realloc(int n) {
  char *p = malloc(10);
  p = realloc(p + n, 5);
  return 0;
}

int good_block(int n) {
  char *p = malloc(10);
  p += 3;
  p[0] = n;
  free(p - 3);
  free(0);
  return 0;
}
