#include <limits.h>

int bad_add(int n) {
  int x = INT_MAX - 6;
  return x + n;
}

int bad_sub(int n) {
  int x = INT_MIN;
  return x - n;
}

int bad_mul(int n) {
  int x = 1 << 29;
  return x * n;
}

int bad_constant(int n) {
  int x = INT_MAX - n;
  return x + 8;
}

int bad_from_constant(int n) {
  int x = INT_MIN + n;
  return 8 - x;
}

int bad_times_constant(int n) {
  return (INT_MAX / 7 + n) * 7;
}

/* Compilers compute it themselves. */
int wrong_constants(int n) {
  int x = 2147483647 + 1;
  return n + (x == 0);
}

int bad_negation(int n) {
  int x = INT_MIN;
  return n == 7 ? -x : 0;
}

int bad_increment(int n) {
  int x = INT_MAX;
  if (n == 7)
    x++;
  return x == 0;
}

int bad_division(int n) {
  int x = INT_MIN, y = n - 8;
  return x / y;
}

int bad_long(int n) {
  long long x = LLONG_MAX;
  return (x - 6) + n > 0;
}

int bad_int128(int n) {
  __int128 x = (__int128)LLONG_MAX << 64, y = x;
  return n == 7 && x + y > 0;
}

int good_char(int n) {
  char c = n;
  c++;
  short s = (short)n * c;
  return s;
}

int good_wider(int n) {
  long long x = n;
  return (x + 1) * 2 > 0;
}

int good_tested(int n) {
  if (n > INT_MAX - 5)
    return 0;
  return n + 5;
}

int good_unsigned(int n) {
  return (unsigned)n * 3 + 5u == 0;
}

int good_bounds(int n) {
  if (n < -46340 || n > 46340)
    return 0;
  return n * n;
}

int good_atomic(int n) {
  static int x = INT_MAX;
  return __atomic_fetch_add(&x, n, __ATOMIC_SEQ_CST) > 0;
}
