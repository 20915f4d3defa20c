#include <math.h>

int bad_double(int n) {
  double d = n * 1e9;
  return (int)d;
}

int bad_float(int n) {
  float f = n * 1e9f;
  return (int)f;
}

int bad_char(int n) {
  double d = n + 250.0;
  unsigned char c = d;
  return c;
}

int bad_negative(int n) {
  double d = -(double)n;
  return (int)((unsigned)d & 1);
}

int bad_long(int n) {
  double d = n * 2e18;
  return (long long)d > 0;
}

int bad_none(int n) {
  double zero = n - 7, none = zero / zero;
  return (int)none;
}

int bad_infinite(int n) {
  double zero = n - 7;
  return (int)(1 / zero);
}

int good_fraction(int n) {
  double d = -0.9;
  unsigned u = d + 0 * n;
  return (int)u;
}

int good_edges(int n) {
  double least = -2147483648.9, most = 2147483647.9;
  return (int)least + (int)most + 0 * n;
}

int good_int(int n) {
  double d = n;
  return (int)d;
}

int good_bool(int n) {
  double d = n * 1e30;
  return (_Bool)d;
}

int good_tested(int n) {
  float f = n * 1e9f;
  return f > -1e9f && f < 1e9f ? (int)f : 0;
}
