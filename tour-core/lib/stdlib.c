/* <stdlib.h>: numbers in strings, random numbers, sorting and searching, blocks with an alignment; <time.h>. */

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
char __VERIFIER_nondet_char(void);
int *__errno_location(void);
void *malloc(size_t size);
void *realloc(void *old, size_t size);

enum { INVALID = 22, NO_MEMORY = 12, RANGE = 34 };

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 99;
}

/* Digits up to `most`, which is given back for all greater numbers; `negative` is set by a minus sign. */
static unsigned long long number(const char *text, char **end, int base, int *negative, unsigned long long most,
                                 unsigned long long most_negative) {
  const char *start = text;
  *negative = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = INVALID;
    return 0;
  }
  while (is_space(*text))
    text++;
  *negative = *text == '-';
  if (*text == '-' || *text == '+')
    text++;
  if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit(text[2]) < 16) {
    text += 2;
    base = 16;
  } else if (base == 0) {
    base = *text == '0' ? 8 : 10;
  }
  if (*negative)
    most = most_negative;
  unsigned long long value = 0;
  int any = 0, large = 0;
  while (digit(*text) < base) {
    unsigned d = digit(*text);
    large = large || value > (most - d) / base;
    value = large ? most : value * base + d;
    any = 1;
    text++;
  }
  if (large)
    *__errno_location() = RANGE;
  if (end)
    *end = (char *)(any ? text : start);
  return value;
}

long strtol(const char *text, char **end, int base) {
  int negative;
  unsigned long most = (unsigned long)-1 >> 1;
  unsigned long value = number(text, end, base, &negative, most, most + 1);
  return negative ? (long)-value : (long)value;
}

long long strtoll(const char *text, char **end, int base) {
  int negative;
  unsigned long long most = (unsigned long long)-1 >> 1;
  unsigned long long value = number(text, end, base, &negative, most, most + 1);
  return negative ? (long long)-value : (long long)value;
}

unsigned long strtoul(const char *text, char **end, int base) {
  int negative;
  unsigned long most = (unsigned long)-1;
  unsigned long value = number(text, end, base, &negative, most, most);
  return negative && value != most ? -value : value;
}

unsigned long long strtoull(const char *text, char **end, int base) {
  int negative;
  unsigned long long most = (unsigned long long)-1;
  unsigned long long value = number(text, end, base, &negative, most, most);
  return negative && value != most ? -value : value;
}

int atoi(const char *text) {
  int negative;
  unsigned long most = (unsigned long)-1 >> 1;
  unsigned long value = number(text, 0, 10, &negative, most, most + 1);
  return (int)(negative ? -value : value);
}

long atol(const char *text) {
  int negative;
  unsigned long most = (unsigned long)-1 >> 1;
  unsigned long value = number(text, 0, 10, &negative, most, most + 1);
  return (long)(negative ? -value : value);
}

long long atoll(const char *text) {
  int negative;
  unsigned long long most = (unsigned long long)-1 >> 1;
  unsigned long long value = number(text, 0, 10, &negative, most, most + 1);
  return (long long)(negative ? -value : value);
}

long long strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long long strtoumax(const char *text, char **end, int base) { return strtoull(text, end, base); }

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int begins_with(const char *text, const char *word) {
  for (; *word; text++, word++)
    if (lower(*text) != *word)
      return 0;
  return 1;
}

/* The number that a text begins with: `digits` times 10 to the power `exponent`, or infinite. The end is null if there is
   none. More digits than a word holds, hexadecimal digits and NaN are not modelled. */
static const char *decimal(const char *text, int *negative, int *infinite, unsigned long long *digits, int *exponent) {
  int any = 0, point = 0;
  *infinite = *exponent = 0;
  *digits = 0;
  while (is_space(*text))
    text++;
  *negative = *text == '-';
  if (*text == '-' || *text == '+')
    text++;
  if (begins_with(text, "inf")) {
    *infinite = 1;
    return begins_with(text, "infinity") ? text + 8 : text + 3;
  }
  if (begins_with(text, "nan") || (text[0] == '0' && lower(text[1]) == 'x'))
    __tour_unsupported("library", "NaN and hexadecimal numbers in a text are not modelled");
  for (;; text++) {
    if (*text == '.' && !point) {
      point = 1;
      continue;
    }
    if (*text < '0' || *text > '9')
      break;
    any = 1;
    if (*digits > 900000000000000000ull)
      __tour_unsupported("library", "a number of so many digits in a text is not modelled");
    *digits = *digits * 10 + (unsigned)(*text - '0');
    *exponent -= point;
  }
  if (!any)
    return 0;
  if (*text == 'e' || *text == 'E') {
    const char *at = text + 1;
    int below = *at == '-', power = 0;
    if (*at == '-' || *at == '+')
      at++;
    if (*at >= '0' && *at <= '9') {
      for (; *at >= '0' && *at <= '9'; at++)
        power = power > 9999 ? power : power * 10 + (*at - '0');
      *exponent += below ? -power : power;
      text = at;
    }
  }
  return text;
}

static double power_of_ten(int n) {
  double result = 1;
  for (; n > 0; n--)
    result *= 10;
  return result;
}

/* Exact where both the digits and the power of ten are: the only operation on them rounds once. */
double strtod(const char *text, char **end) {
  int negative, infinite, exponent;
  unsigned long long digits;
  const char *behind = decimal(text, &negative, &infinite, &digits, &exponent);
  if (end)
    *end = (char *)(behind ? behind : text);
  if (!behind)
    return 0;
  double value = (double)digits;
  if (infinite)
    value = 1e300 * 1e300;
  else if (digits > 9007199254740992ull || (digits != 0 && (exponent > 22 || exponent < -22)))
    __tour_unsupported("library", "a number in a text that takes more than one rounding is not modelled");
  else if (digits != 0)
    value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  return negative ? -value : value;
}

float strtof(const char *text, char **end) {
  int negative, infinite, exponent;
  unsigned long long digits;
  const char *behind = decimal(text, &negative, &infinite, &digits, &exponent);
  if (end)
    *end = (char *)(behind ? behind : text);
  if (!behind)
    return 0;
  float value = (float)digits;
  if (infinite)
    value = 1e30f * 1e30f;
  else if (digits > 16777216 || (digits != 0 && (exponent > 10 || exponent < -10)))
    __tour_unsupported("library", "a number in a text that takes more than one rounding is not modelled");
  else if (digits != 0)
    value = exponent < 0 ? value / (float)power_of_ten(-exponent) : value * (float)power_of_ten(exponent);
  return negative ? -value : value;
}

double atof(const char *text) { return strtod(text, 0); }

double difftime(long end, long start) { return (double)end - (double)start; }

unsigned htonl(unsigned n) { return __builtin_bswap32(n); }

unsigned ntohl(unsigned n) { return __builtin_bswap32(n); }

unsigned short htons(unsigned short n) { return __builtin_bswap16(n); }

unsigned short ntohs(unsigned short n) { return __builtin_bswap16(n); }

int ffs(int n) { return __builtin_ffs(n); }

int ffsl(long n) { return __builtin_ffsl(n); }

int ffsll(long long n) { return __builtin_ffsll(n); }

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

/* What the alignment is, is not modelled. */
void *aligned_alloc(size_t alignment, size_t size) { return malloc(size); }

void *memalign(size_t alignment, size_t size) { return malloc(size); }

int posix_memalign(void **to, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return INVALID;
  void *block = malloc(size);
  if (!block)
    return NO_MEMORY;
  *to = block;
  return 0;
}

void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) {
    *__errno_location() = NO_MEMORY;
    return 0;
  }
  return realloc(old, count * size);
}

/* Some time, or -1. */
long time(long *to) {
  long now = __VERIFIER_nondet_long();
  if (now < 0)
    now = -1;
  if (to)
    *to = now;
  return now;
}

size_t strlen(const char *text);

/* The folder that a path is in; what comes behind it is cut off. */
char *dirname(char *path) {
  if (!path || !*path)
    return ".";
  size_t end = strlen(path), all = end;
  while (end > 1 && path[end - 1] == '/')
    end--;
  while (end > 0 && path[end - 1] != '/')
    end--;
  if (end == 0)
    return ".";
  size_t behind = end;
  while (end > 1 && path[end - 1] == '/')
    end--;
  /* Two slashes at the start are not one. */
  if (end == 1 && path[0] == '/' && (behind == 2 || (all == 2 && path[1] == '/')))
    end = 2;
  path[end] = 0;
  return path;
}

/* What <string.h> declares. */
char *basename(const char *path) {
  const char *last = path;
  for (; *path; path++)
    if (*path == '/')
      last = path + 1;
  return (char *)last;
}

/* What <libgen.h> declares. */
char *__xpg_basename(char *path) {
  if (!path || !*path)
    return ".";
  size_t end = strlen(path), all = end;
  while (end > 0 && path[end - 1] == '/')
    end--;
  if (end == 0)
    return path + all - 1;
  if (end < all)
    path[end] = 0;
  while (end > 0 && path[end - 1] != '/')
    end--;
  return path + end;
}

int gettimeofday(long *to, void *zone) {
  if (to) {
    to[0] = __VERIFIER_nondet_long();
    to[1] = (long)((unsigned)__VERIFIER_nondet_int() % 1000000);
  }
  return 0;
}

int clock_gettime(int clock, long *to) {
  if (__VERIFIER_nondet_int()) {
    *__errno_location() = INVALID;
    return -1;
  }
  to[0] = __VERIFIER_nondet_long();
  to[1] = (long)((unsigned)__VERIFIER_nondet_int() % 1000000000);
  return 0;
}

long getrandom(void *to, size_t size, unsigned flags) {
  long given = __VERIFIER_nondet_int();
  if (given < 0 || (size_t)given > size)
    return -1;
  for (long i = 0; i < given; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return given;
}

int getentropy(void *to, size_t size) {
  if (size > 256 || __VERIFIER_nondet_int())
    return -1;
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return 0;
}

/* Any number from 0 to RAND_MAX. */
int rand(void) { return __VERIFIER_nondet_int() & 0x7fffffff; }

long random(void) { return __VERIFIER_nondet_int() & 0x7fffffff; }

void srand(unsigned seed) {}

void srandom(unsigned seed) {}

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *start = array;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && compare(start + (j - 1) * size, start + j * size) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        char *a = start + (j - 1) * size + k, *b = start + j * size + k, byte = *a;
        *a = *b;
        *b = byte;
      }
}

void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)array + middle * size;
    int order = compare(key, at);
    if (order == 0)
      return (void *)at;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}
