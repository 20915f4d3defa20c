/* <math.h>: what IEEE arithmetic gives exactly, rounding to nearest. `errno` is not set. */

int __VERIFIER_nondet_int(void);

static int is_negative(double x) { return x < 0 || (x == 0 && 1 / x < 0); }

/* A NaN has a sign too, which is not modelled: it may be either. */
static int has_sign(double x) { return x == x ? is_negative(x) : __VERIFIER_nondet_int() != 0; }

static double with_sign(double x, int negative) { return is_negative(x) == !!negative ? x : -x; }

static double whole(double x) {
  if (!(x < 4503599627370496.0 && x > -4503599627370496.0))
    return x;
  double t = (double)(long long)x;
  return t == 0 && is_negative(x) ? -0.0 : t;
}

static double to_even(double x) {
  double t = whole(x), rest = x - t, half = t / 2;
  int odd = whole(half) != half;
  if (rest > 0.5 || (rest == 0.5 && odd))
    return t + 1;
  if (rest < -0.5 || (rest == -0.5 && odd))
    return t - 1;
  return t;
}

double trunc(double x) { return whole(x); }

double floor(double x) {
  double t = whole(x);
  return t > x ? t - 1 : t;
}

double ceil(double x) {
  double t = whole(x);
  return t >= x || t != t ? t : t == -1 ? -0.0 : t + 1;
}

double round(double x) {
  double t = whole(x), rest = x - t;
  return rest >= 0.5 ? t + 1 : rest <= -0.5 ? t - 1 : t;
}

double rint(double x) { return to_even(x); }

double nearbyint(double x) { return to_even(x); }

long lround(double x) { return (long)round(x); }

long long llround(double x) { return (long long)round(x); }

long lrint(double x) { return (long)to_even(x); }

long long llrint(double x) { return (long long)to_even(x); }

float truncf(float x) { return (float)whole(x); }

float floorf(float x) { return (float)floor(x); }

float ceilf(float x) { return (float)ceil(x); }

float roundf(float x) { return (float)round(x); }

float rintf(float x) { return (float)to_even(x); }

float nearbyintf(float x) { return (float)to_even(x); }

long lroundf(float x) { return (long)round(x); }

long lrintf(float x) { return (long)to_even(x); }

/* Which of two zeros it is, nobody says. */
double fmax(double x, double y) {
  if (x != x)
    return y;
  if (y != y)
    return x;
  return x > y || (x == y && __VERIFIER_nondet_int()) ? x : y;
}

double fmin(double x, double y) {
  if (x != x)
    return y;
  if (y != y)
    return x;
  return x < y || (x == y && __VERIFIER_nondet_int()) ? x : y;
}

double fdim(double x, double y) { return x != x || y != y || x > y ? x - y : 0; }

float fmaxf(float x, float y) { return (float)fmax(x, y); }

float fminf(float x, float y) { return (float)fmin(x, y); }

float fdimf(float x, float y) { return x != x || y != y || x > y ? x - y : 0; }

double copysign(double x, double y) {
  if (x != x)
    return x;
  return with_sign(x, has_sign(y));
}

float copysignf(float x, float y) { return (float)copysign(x, y); }

int signbit(double x) { return has_sign(x); }

int signbitf(float x) { return has_sign(x); }

/* Long division: every difference is exact. */
double fmod(double x, double y) {
  if (x != x || y != y || y == 0 || x - x != 0)
    return (x * y) / (x * y);
  double divisor = y < 0 ? -y : y, rest = x < 0 ? -x : x;
  while (rest >= divisor) {
    double part = divisor;
    while (part + part <= rest)
      part += part;
    rest -= part;
  }
  return with_sign(rest, is_negative(x));
}

float fmodf(float x, float y) { return (float)fmod(x, y); }

double modf(double x, double *part) {
  double t = whole(x);
  *part = t;
  return with_sign(x - x != 0 && x == x ? 0 : x - t, is_negative(x));
}

double frexp(double x, int *exponent) {
  int e = 0;
  if (x != 0 && x - x == 0) {
    while (x >= 1 || x <= -1) {
      x /= 2;
      e++;
    }
    while (x < 0.5 && x > -0.5) {
      x *= 2;
      e--;
    }
  }
  *exponent = e;
  return x;
}

int __library_isnormal(double x, double least) {
  if (x < 0)
    x = -x;
  return x >= least && x - x == 0;
}

int __library_fpclassify(int nan, int infinite, int normal, int subnormal, int zero, double x, double least) {
  if (x != x)
    return nan;
  if (x < 0)
    x = -x;
  return x - x != 0 ? infinite : x == 0 ? zero : x < least ? subnormal : normal;
}

/* What the macros of older headers call. The numbers of the classes are those of <math.h>. */
int __signbit(double x) { return has_sign(x); }

int __signbitf(float x) { return has_sign(x); }

int __fpclassify(double x) { return __library_fpclassify(0, 1, 4, 3, 2, x, 2.2250738585072014e-308); }

int __fpclassifyf(float x) { return __library_fpclassify(0, 1, 4, 3, 2, x, 1.17549435e-38f); }

/* Rounding is to nearest, and stays so: another mode is not modelled. */
int __fesetround_other_mode(int mode);

int fesetround(int mode) { return mode == 0 ? 0 : __fesetround_other_mode(mode); }

int fegetround(void) { return 0; }
