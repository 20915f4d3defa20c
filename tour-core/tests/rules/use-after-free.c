#include <stdlib.h>

static int *keep;

static int *local(int n) {
  int x = n;
  keep = &x;
  return keep;
}

int bad_read(int n) {
  int *p = malloc(sizeof *p);
  *p = n;
  free(p);
  return *p;
}

int bad_write(int n) {
  int *p = malloc(sizeof *p), *q = p;
  if (n == 7)
    free(p);
  *q = 1;
  if (n != 7)
    free(q);
  return 0;
}

int bad_moved(int n) {
  int *p = malloc(sizeof *p);
  int *q = realloc(p, 100 * sizeof *p);
  *p = n;
  free(q);
  return 0;
}

/* Sanitizers see it only with an option. */
int wrong_returned(int n) {
  local(n);
  return *keep;
}

int good_in_order(int n) {
  int *p = malloc(sizeof *p);
  *p = n;
  n = *p;
  free(p);
  p = malloc(sizeof *p);
  *p = 1;
  free(p);
  return n;
}
