#include <limits.h>

int bad_add(int n) {
  unsigned x = UINT_MAX - 6;
  return x + n == 0;
}

int bad_sub(int n) {
  unsigned x = 6;
  return x - n == 0;
}

int bad_mul(int n) {
  unsigned x = UINT_MAX / 2;
  return x * n == 0;
}

int bad_long(int n) {
  unsigned long x = ULONG_MAX, y = n;
  return x * y == 0;
}

int bad_negation(int n) {
  unsigned x = n;
  return -x == 0;
}

int bad_decrement(int n) {
  unsigned x = n - 7;
  x--;
  return x == 0;
}

int good_small(int n) {
  unsigned x = n & 255;
  return x * 1000u + 5u == 0;
}

int good_tested(int n) {
  unsigned x = n;
  return x >= 3 ? x - 3 == 0 : 0;
}
