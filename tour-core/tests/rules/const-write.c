#include <string.h>

static const int table[4] = {1, 2, 3, 4};
static const char name[] = "fixed";

int bad_literal(int n) {
  char *text = n == 7 ? "fixed" : "other";
  text[0] = 'm';
  return text[0];
}

int bad_static(int n) {
  int *p = (int *)table;
  p[n % 4] = n;
  return p[0];
}

int bad_set(int n) {
  char *text = "fixed";
  memset(text, n, 2);
  return text[0];
}

/* The initialiser gives the length, not the type of the elements. */
int bad_named(int n) {
  char *text = n == 7 ? (char *)name : (char *)name + 1;
  text[0] = 'm';
  return text[0];
}

/* Automatic variables lie in memory that can be written. */
int wrong_local(int n) {
  const int held = n;
  *(int *)&held = 3;
  return held;
}

int good_array(int n) {
  char text[] = "fixed", *p = text;
  p[0] = n > 0 ? 'm' : 'f';
  return text[0];
}

int good_pointer_to_constant(int n) {
  int held = n;
  const int *p = &held;
  *(int *)p = 3;
  return held;
}

int good_read(int n) {
  const char *text = n > 0 ? "fixed" : "other";
  return text[0] + table[n & 3];
}

int good_one_of_two(int n) {
  char own[] = "fixed", *p = own;
  const char *text = n > 0 ? "fixed" : own;
  p[1] = 'o';
  return text[1];
}
