/* <math.h>: what IEEE arithmetic gives exactly, rounding to nearest, and bounds of the rest. Errors set `errno`, as glibc
   does. */

int __VERIFIER_nondet_int(void);
int __tour_unspecified(void);
int __any_true(int usual);
void __set_errno(int reason);
void __tour_constrain(int condition);

enum { DOMAIN = 33, RANGE = 34 };

/* No such number. */
static double domain_error(void) {
  __set_errno(DOMAIN);
  return 1e300 * 1e300 - 1e300 * 1e300;
}

/* The result is infinite, or zero, although the arguments are neither. */
static double range_error(double result) {
  __set_errno(RANGE);
  return result;
}

static int is_negative(double x) { return x < 0 || (x == 0 && 1 / x < 0); }

/* A NaN has a sign too: it is read from its bits. */
union number {
  double value;
  unsigned long long bits;
};

static int nan_has_sign(double x) {
  union number n;
  n.value = x;
  return n.bits >> 63 != 0;
}

static double nan_with_sign(double x, int negative) {
  union number n;
  n.value = x;
  n.bits = (n.bits << 1 >> 1) | (unsigned long long)negative << 63;
  return n.value;
}

static int has_sign(double x) { return x == x ? is_negative(x) : nan_has_sign(x); }

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

/* What an integer of so many bytes does not hold gives nobody knows what. */
static double fitting(double x, size_t size) {
  double most = size == 4 ? 2147483648.0 : 9223372036854775808.0;
  if (!(x >= -most && x < most))
    __tour_unsupported("library", "a number is rounded that its type does not hold");
  return x;
}

long lround(double x) { return (long)fitting(round(x), sizeof(long)); }

long long llround(double x) { return (long long)fitting(round(x), sizeof(long long)); }

long lrint(double x) { return (long)fitting(to_even(x), sizeof(long)); }

long long llrint(double x) { return (long long)fitting(to_even(x), sizeof(long long)); }

float truncf(float x) { return (float)whole(x); }

float floorf(float x) { return (float)floor(x); }

float ceilf(float x) { return (float)ceil(x); }

float roundf(float x) { return (float)round(x); }

float rintf(float x) { return (float)to_even(x); }

float nearbyintf(float x) { return (float)to_even(x); }

long lroundf(float x) { return (long)fitting(round(x), sizeof(long)); }

long lrintf(float x) { return (long)fitting(to_even(x), sizeof(long)); }

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

double fdim(double x, double y) {
  double rest = x != x || y != y || x > y ? x - y : 0;
  return rest - rest != 0 && x - x == 0 && y - y == 0 ? range_error(rest) : rest;
}

float fmaxf(float x, float y) { return (float)fmax(x, y); }

float fminf(float x, float y) { return (float)fmin(x, y); }

float fdimf(float x, float y) {
  float rest = x != x || y != y || x > y ? x - y : 0;
  return rest - rest != 0 && x - x == 0 && y - y == 0 ? (float)range_error(rest) : rest;
}

double copysign(double x, double y) {
  if (x != x)
    return nan_with_sign(x, has_sign(y));
  return with_sign(x, has_sign(y));
}

float copysignf(float x, float y) { return (float)copysign(x, y); }

int __plain_signbit(double x) { return has_sign(x); }

int signbit(double x) { return has_sign(x) ? __any_true(1) : 0; }

int __plain_signbitf(float x) { return has_sign(x); }

int signbitf(float x) { return has_sign(x) ? __any_true(128) : 0; }

/* Long division: every difference is exact. */
double fmod(double x, double y) {
  if (x != x || y != y)
    return (x * y) / (x * y);
  if (y == 0 || x - x != 0)
    return domain_error();
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

/* 2 to the power n, for normal results. */
static double power_of_two(int n) {
  double result = 1, factor = n < 0 ? 0.5 : 2;
  for (int left = n < 0 ? -n : n; left > 0; left >>= 1) {
    if (left & 1)
      result *= factor;
    factor *= factor;
  }
  return result;
}

/* Only the last product rounds: where an earlier one is not exact, the result is zero or infinite. */
double ldexp(double x, int n) {
  int up = 0, down = 0;
  if (x == 0 || x - x != 0)
    return x;
  n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
  for (; n > 1023; n -= 1023)
    up++;
  for (; n < -1022; n += 1022)
    down++;
  x *= power_of_two(n);
  for (; up > 0; up--)
    x *= power_of_two(1023);
  for (; down > 0; down--)
    x *= power_of_two(-1022);
  return x == 0 || x - x != 0 ? range_error(x) : x;
}

float ldexpf(float x, int n) {
  float result = (float)ldexp(x, n);
  return x != 0 && x - x == 0 && (result == 0 || result - result != 0) ? (float)range_error(result) : result;
}

double scalbn(double x, int n) { return ldexp(x, n); }

float scalbnf(float x, int n) { return ldexpf(x, n); }

static int short_of(long n) { return n > 3000 ? 3000 : n < -3000 ? -3000 : (int)n; }

double scalbln(double x, long n) { return ldexp(x, short_of(n)); }

float scalblnf(float x, long n) { return ldexpf(x, short_of(n)); }

double logb(double x) {
  int exponent;
  if (x == 0) {
    if (__tour_unspecified())
      __set_errno(RANGE);
    return -1 / (x * x);
  }
  if (x - x != 0)
    return x * x;
  frexp(x, &exponent);
  return exponent - 1;
}

float logbf(float x) { return (float)logb(x); }

int ilogb(double x) {
  int exponent;
  if (x - x != 0 || x == 0)
    __set_errno(DOMAIN);
  if (x == 0 || x != x)
    return -2147483647 - 1;
  if (x - x != 0)
    return 2147483647;
  frexp(x, &exponent);
  return exponent - 1;
}

int ilogbf(float x) { return ilogb(x); }

/* The numbers of one sign are in the order of their bits. */
double nextafter(double x, double y) {
  union {
    double number;
    unsigned long long bits;
  } next;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  next.number = x;
  if (x == 0) {
    next.bits = 1;
    double least = y < 0 ? -next.number : next.number;
    return __tour_unspecified() ? range_error(least) : least;
  }
  next.bits += (y > x) == (x > 0) ? 1 : -1;
  double size = next.number < 0 ? -next.number : next.number;
  return size < 2.2250738585072014e-308 || (size - size != 0 && x - x == 0) ? range_error(next.number) : next.number;
}

float nextafterf(float x, float y) {
  union {
    float number;
    unsigned bits;
  } next;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  next.number = x;
  if (x == 0) {
    next.bits = 1;
    float least = y < 0 ? -next.number : next.number;
    return __tour_unspecified() ? (float)range_error(least) : least;
  }
  next.bits += (y > x) == (x > 0) ? 1 : -1;
  float size = next.number < 0 ? -next.number : next.number;
  return size < 1.17549435e-38f || (size - size != 0 && x - x == 0) ? (float)range_error(next.number) : next.number;
}

/* The quotient is rounded to the nearest integer, of two to the even one. */
double remainder(double x, double y) {
  if (x != x || y != y)
    return (x * y) / (x * y);
  if (y == 0 || x - x != 0)
    return domain_error();
  double divisor = y < 0 ? -y : y, all = x < 0 ? -x : x;
  if (divisor - divisor != 0)
    return x;
  double rest = fmod(all, divisor), missing = divisor - rest, twice = divisor + divisor;
  int odd = (twice - twice != 0 ? all : fmod(all, twice)) >= divisor;
  if (rest > missing || (rest == missing && odd))
    rest = -missing;
  if (rest == 0)
    return with_sign(rest, is_negative(x));
  return is_negative(x) ? -rest : rest;
}

float remainderf(float x, float y) { return (float)remainder(x, y); }

double drem(double x, double y) { return remainder(x, y); }

/* What is not exact: results are any numbers within the bounds that the functions are known to keep, and exact where that is
   easy. For a proof all of them count; no run goes on with one. */
static double within(double least, double most) {
  double y = __tour_uncomputed();
  __tour_constrain(y >= least && y <= most);
  /* It may be too large, or too small to be told from zero. */
  if (__tour_unspecified())
    __set_errno(RANGE);
  return y;
}

static double infinity(void) { return 1e300 * 1e300; }

/* Next to pi and to its half, on the far side. */
static const double HALF_TURN = 3.1415926535897936, QUARTER_TURN = 1.5707963267948970;

static double angle(double x, double most) { return x == 0 || x != x ? x : x > 0 ? within(0, most) : within(-most, 0); }

double sin(double x) { return x != x ? x : x - x != 0 ? domain_error() : x == 0 ? x : within(-1, 1); }

double cos(double x) { return x != x ? x : x - x != 0 ? domain_error() : x == 0 ? 1 : within(-1, 1); }

double tan(double x) { return x != x ? x : x - x != 0 ? domain_error() : x == 0 ? x : within(-infinity(), infinity()); }

void sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

double asin(double x) { return x > 1 || x < -1 ? domain_error() : angle(x, QUARTER_TURN); }

double acos(double x) { return x != x ? x : !(x >= -1 && x <= 1) ? domain_error() : x == 1 ? 0 : within(0, HALF_TURN); }

double atan(double x) { return angle(x, QUARTER_TURN); }

double atan2(double y, double x) {
  if (x != x || y != y)
    return x + y;
  return is_negative(y) ? within(-HALF_TURN, -0.0) : within(0, HALF_TURN);
}

double sinh(double x) { return angle(x, infinity()); }

double cosh(double x) { return x != x ? x : x == 0 ? 1 : within(1, infinity()); }

double tanh(double x) { return angle(x, 1); }

double asinh(double x) { return angle(x, infinity()); }

double acosh(double x) { return x != x ? x : !(x >= 1) ? domain_error() : x == 1 ? 0 : within(0, infinity()); }

double atanh(double x) {
  return x > 1 || x < -1 ? domain_error() : x == 1 || x == -1 ? range_error(x * infinity()) : angle(x, infinity());
}

/* e, 2 and 10 to some power. */
static double raised(double x) {
  if (x != x)
    return x;
  if (x == 0)
    return 1;
  if (x - x != 0)
    return x > 0 ? x : 0;
  return x > 0 ? within(1, infinity()) : within(0, 1);
}

double exp(double x) { return raised(x); }

double exp2(double x) { return raised(x); }

double exp10(double x) { return raised(x); }

double expm1(double x) { return x > 0 || x == 0 || x != x ? angle(x, infinity()) : within(-1, 0); }

static double logarithm(double x, double least, double most) {
  if (x != x)
    return x;
  if (x == 0)
    return range_error(-infinity());
  if (x < 0)
    return domain_error();
  if (x - x != 0)
    return x;
  return x == 1 ? 0 : x > 1 ? within(0, most) : within(least, 0);
}

double log(double x) { return logarithm(x, -746, 710); }

double log2(double x) { return logarithm(x, -1075, 1024); }

double log10(double x) { return logarithm(x, -324, 309); }

double log1p(double x) {
  return x < -1 ? domain_error() : x == -1 ? range_error(-infinity()) : x > 0 || x == 0 || x != x ? angle(x, infinity()) : within(-746, 0);
}

double pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  if (x < 0 && x - x == 0 && y - y == 0 && whole(y) != y)
    return domain_error();
  /* An even power, or that of a positive number. */
  double half = y / 2;
  return !is_negative(x) || whole(half) == half ? within(0, infinity()) : within(-infinity(), infinity());
}

double cbrt(double x) { return angle(x, infinity()); }

double hypot(double x, double y) {
  if ((x - x != 0 && x == x) || (y - y != 0 && y == y))
    return infinity();
  return x != x || y != y ? x + y : within(0, infinity());
}

double erf(double x) { return angle(x, 1); }

double erfc(double x) { return x != x ? x : x == 0 ? 1 : x > 0 ? within(0, 1) : within(1, 2); }

/* The same numbers, next to which those of type float are. */
float sinf(float x) { return (float)sin(x); }

float cosf(float x) { return (float)cos(x); }

float tanf(float x) { return (float)tan(x); }

float asinf(float x) { return (float)asin(x); }

float acosf(float x) { return (float)acos(x); }

float atanf(float x) { return (float)atan(x); }

float atan2f(float y, float x) { return (float)atan2(y, x); }

float sinhf(float x) { return (float)sinh(x); }

float coshf(float x) { return (float)cosh(x); }

float tanhf(float x) { return (float)tanh(x); }

float expf(float x) { return (float)exp(x); }

float exp2f(float x) { return (float)exp2(x); }

float expm1f(float x) { return (float)expm1(x); }

float logf(float x) { return (float)log(x); }

float log2f(float x) { return (float)log2(x); }

float log10f(float x) { return (float)log10(x); }

float log1pf(float x) { return (float)log1p(x); }

float powf(float x, float y) { return (float)pow(x, y); }

float cbrtf(float x) { return (float)cbrt(x); }

float hypotf(float x, float y) { return (float)hypot(x, y); }

float erff(float x) { return (float)erf(x); }

float erfcf(float x) { return (float)erfc(x); }

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
int __signbit(double x) { return signbit(x); }

int __signbitf(float x) { return signbitf(x); }

int __fpclassify(double x) { return __library_fpclassify(0, 1, 4, 3, 2, x, 2.2250738585072014e-308); }

int __fpclassifyf(float x) { return __library_fpclassify(0, 1, 4, 3, 2, x, 1.17549435e-38f); }

/* Rounding is to nearest, and stays so: another mode is not modelled. */
int __fesetround_other_mode(int mode);

int fesetround(int mode) { return mode == 0 ? 0 : __fesetround_other_mode(mode); }

int fegetround(void) { return 0; }
