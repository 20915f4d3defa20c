#include <stdlib.h>
#include <string.h>

/* No sanitizer of gcc sees any of this. */
int wrong_float(int n) {
  float f = n;
  return *(int *)&f;
}

int wrong_half(int n) {
  int word = n;
  short *half = (short *)&word;
  return half[0];
}

int wrong_write(int n) {
  double d = n;
  *(long *)&d = n;
  return d > 0;
}

struct pair {
  int left;
  float right;
};

int wrong_member(int n) {
  struct pair pair = {n, n};
  float *p = (float *)&pair.left;
  return *p > 0;
}

int wrong_global(int n) {
  static long held;
  int *p = (int *)&held;
  p[0] = n;
  return held > 0;
}

int good_sign(int n) {
  int word = n;
  return *(unsigned *)&word > 0;
}

int good_bytes(int n) {
  int word = n;
  unsigned char *p = (unsigned char *)&word;
  return p[0] + p[3];
}

int good_union(int n) {
  union {
    float f;
    unsigned bits;
  } both;
  both.f = n;
  return both.bits > 0;
}

int good_copy(int n) {
  float f = n;
  unsigned bits;
  memcpy(&bits, &f, sizeof bits);
  return bits > 0;
}

int good_heap(int n) {
  struct pair *pair = malloc(sizeof *pair);
  if (!pair)
    return 0;
  pair->left = n;
  pair->right = n;
  int *p = &pair->left;
  float *q = &pair->right;
  n = *p + (*q > 0 ? 0 : 1 - 1);
  free(pair);
  return n;
}

int good_member(int n) {
  struct pair pair = {n, n};
  float *p = &pair.right;
  *p = 1;
  return *p > 0;
}
