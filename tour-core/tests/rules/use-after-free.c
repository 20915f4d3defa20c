#include <stdlib.h>
#include <stdio.h>

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

int bad_block(int n) {
  int *p = &n;
  {
    int x = n;
    p = &x;
  }
  return *p;
}

/* Natively it is alive again. */
int wrong_iteration(int n) {
  int *p = &n, sum = 0;
  for (int i = 0; i < 2; i++) {
    int x = n;
    sum += *p & 1;
    p = &x;
  }
  return sum;
}

int bad_after_break(int n) {
  int *p = &n;
  for (;;) {
    int x = n;
    p = &x;
    if (x == n)
      break;
  }
  return *p;
}

int bad_after_goto(int n) {
  int *p = &n;
  {
    int x = n;
    p = &x;
    if (n == 7)
      goto out;
    p = &n;
  }
out:
  return *p;
}

/* A compound literal lives as long as the statement that the condition chooses. */
int bad_literal(int n) {
  int *p = &n;
  if (n == 7)
    p = (int[]){1, 2, 3};
  return *p;
}

int bad_statement_expression(int n) {
  int *p = &n;
  int sum = ({ int x = n; p = &x; x; });
  return *p + sum;
}

int bad_discarded(int n) {
  int *p = malloc(sizeof *p);
  *p = n;
  free(p);
  n == 7 ? *p : 0;
  return 0;
}

int bad_printed(int n) {
  char *text = malloc(2);
  text[0] = 'a';
  text[1] = 0;
  if (n == 7)
    free(text);
  printf("%d %s\n", n, text);
  if (n != 7)
    free(text);
  return 0;
}

int bad_put(int n) {
  char *text = malloc(2);
  text[0] = 'a';
  text[1] = 0;
  free(text);
  return puts(text);
}

int good_block(int n) {
  int *p = &n, sum = 0;
  for (int i = 0; i < 3; i++) {
    int x = i;
    p = &x;
    sum += *p;
    if (i == n)
      continue;
    p = (int[]){4, 5, 6};
    sum += p[1];
  }
  p = &n;
  return (*p & 1) + sum;
}

int good_statement_expression(int n) {
  return ({
    int x = n & 15, *p = &x;
    *p + 1;
  });
}

/* It is the same block, and the same life. */
int good_again(int n) {
  int *p = 0, count = 0;
  {
    int x;
  again:
    x = count;
    if (p)
      n = *p;
    p = &x;
    if (count++ < 2)
      goto again;
  }
  return n;
}

/* A jump into a block misses the declaration. */
int good_jump_in(int n) {
  int *p, count = 0;
  goto in;
  {
    int x;
  in:
    p = &x;
    *p = n;
    n = x;
  }
  if (count++ < 2)
    goto in;
  return n;
}

int good_switch(int n) {
  int *p;
  switch (n) {
    int x;
  case 3:
  case 7:
    p = &x;
    *p = 3;
    return x;
  default:
    return 0;
  }
}

int good_printed(int n) {
  char *text = malloc(3);
  text[0] = 'a';
  text[1] = n;
  text[2] = 0;
  printf("%5.2f %-3d%% %s\n", 1.0, n, text);
  free(text);
  return 0;
}
