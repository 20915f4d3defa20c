#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static int table[4] = {1, 2, 3, 4};

struct message {
  int length;
  char text[1];
};

struct pair {
  int first[3];
  int second[3];
};

int bad_local(int n) {
  int a[7] = {0};
  return a[n];
}

int bad_global(int n) {
  table[n - 3] = 1;
  return 0;
}

int bad_below(int n) {
  int a[7] = {0};
  a[6 - n] = 1;
  return a[0];
}

int bad_heap(int n) {
  char *p = malloc(n);
  p[n] = 'x';
  free(p);
  return 0;
}

int bad_member(int n) {
  struct message *m = malloc(sizeof(int) + 2);
  m->length = n;
  char c = m->text[n - 1];
  free(m);
  return c;
}

int bad_cast(int n) {
  short s = n;
  return *(int *)&s;
}

int bad_copy(int n) {
  char to[4], from[8] = "abcdefg";
  memcpy(to, from, n);
  return to[0];
}

int bad_set(int n) {
  char *p = malloc(n);
  memset(p, 0, n + 1);
  free(p);
  return 0;
}

int bad_row(int n) {
  int grid[2][7] = {{0}};
  return grid[0][n];
}

/* In the object, but not in the array. */
int wrong_neighbour(int n) {
  struct pair p = {{1, 2, 3}, {4, 5, 6}};
  return p.first[n - 4];
}

int good_masked(int n) {
  int a[8] = {0};
  return a[n & 7];
}

int good_tested(int n) {
  if (n < 0 || n >= 4)
    return -1;
  return table[n];
}

int good_variable_length(int n) {
  if (n < 1 || n > 9)
    return 0;
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = i;
  return a[n - 1];
}

int good_struct_with_more_behind(int n) {
  struct message *m = malloc(sizeof(struct message) + 8);
  m->length = n;
  for (int i = 0; i < 8; i++)
    m->text[i] = 'a';
  int last = m->text[7];
  free(m);
  return last;
}

int good_empty_copy(int n) {
  char to[1] = {n};
  memcpy(to, "", 0);
  memset(to + 1, 0, 0);
  return to[0];
}

int good_one_past_the_end(int n) {
  int a[3] = {1, 2, n}, sum = 0;
  for (int *p = a; p != a + 3; p++)
    sum ^= *p;
  return sum;
}

int bad_discarded(int n) {
  int a[3] = {1, 2, 3};
  a[n];
  return 0;
}

int bad_printed(int n) {
  char text[3] = {'a', 'b', n};
  printf("<%s>\n", text);
  return 0;
}

int wrong_precision(int n) {
  char text[3] = {'a', 'b', n};
  printf("<%.*s>\n", n, text);
  return 0;
}

int bad_output(int n) {
  char *text = calloc(4, 1);
  size_t done = fwrite(text, 1, n, stderr);
  free(text);
  return done == 7;
}

int good_precision(int n) {
  char text[3] = {'a', 'b', n};
  printf("<%.3s> <%.*s> %*d%%\n", text, 2, text, 5, n);
  return 0;
}

int good_output(int n) {
  char *text = calloc(4, 1);
  fwrite(text, 2, 2, stderr);
  fwrite(text, 0, n, stderr);
  fprintf(stderr, "%s%c", text, n);
  fputs(text, stderr);
  free(text);
  return 0;
}

int bad_memcmp_behind_a_difference(int n) {
  char a[2] = {'a', 'b'}, b[8] = {'c'};
  return memcmp(a, b, n > 0 ? 3 : 2) > 0;
}
