#include <limits.h>
#include <stdlib.h>

int bad_null(int n) {
  char *p = n == 7 ? 0 : (char *)&n;
  p = p + n - 1;
  return p == 0;
}

int bad_far(int n) {
  int a[8];
  int *p = a + n * (LONG_MAX / 16);
  return p == a;
}

/* Nothing is there to be seen at run time. */
int wrong_behind(int n) {
  int a[6];
  int *p = a + n;
  return p == 0;
}

int wrong_before(int n) {
  int a[6];
  int *p = a + 6;
  p -= n;
  return p == 0;
}

int wrong_address(int n) {
  int a[6];
  int *p = &a[n];
  return p == 0;
}

int wrong_variable_length(int n) {
  int a[n - 1];
  int *p = &a[n];
  return p == 0;
}

struct message {
  int count;
  int words[];
};

int wrong_flexible(int n) {
  struct message *message = malloc(sizeof *message + 6 * sizeof(int));
  if (!message)
    return 0;
  int *p = &message->words[n];
  free(message);
  return p == 0;
}

int good_flexible(int n) {
  struct message *message = malloc(sizeof *message + 7 * sizeof(int));
  if (!message)
    return 0;
  int *p = &message->words[n & 7];
  int some = p != 0;
  free(message);
  return some;
}

int wrong_difference(int n) {
  int a[7], b[7];
  return &a[n] - &b[n] > 0;
}

int wrong_order(int n) {
  char *p = malloc(n), *q = malloc(n);
  int less = p < q;
  free(p);
  free(q);
  return less;
}

int good_in_the_object(int n) {
  int a[7], *p = a;
  for (int i = 0; i < 7; i++)
    *p++ = n;
  p -= 7;
  return p < a + 7 && p - a == 0 && &a[7] - p == 7;
}
