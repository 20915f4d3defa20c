/* <stdlib.h> and <inttypes.h>: arithmetic on what the caller gives. Unlike elsewhere in the library, the rules on arithmetic
   are checked here: `div(1, 0)` divides by zero, `labs(LONG_MIN)` overflows. */

int abs(int n) { return n < 0 ? -n : n; }

long labs(long n) { return n < 0 ? -n : n; }

long long llabs(long long n) { return n < 0 ? -n : n; }

typedef struct {
  int quot;
  int rem;
} __library_div;

typedef struct {
  long int quot;
  long int rem;
} __library_ldiv;

typedef struct {
  long long int quot;
  long long int rem;
} __library_lldiv;

__library_div div(int a, int b) {
  __library_div result = {a / b, a % b};
  return result;
}

__library_ldiv ldiv(long a, long b) {
  __library_ldiv result = {a / b, a % b};
  return result;
}

__library_lldiv lldiv(long long a, long long b) {
  __library_lldiv result = {a / b, a % b};
  return result;
}

__intmax imaxabs(__intmax n) { return n < 0 ? -n : n; }

typedef struct {
  __intmax quot;
  __intmax rem;
} __library_imaxdiv;

__library_imaxdiv imaxdiv(__intmax a, __intmax b) {
  __library_imaxdiv result = {a / b, a % b};
  return result;
}
