/* <stdlib.h>: numbers in strings, sorting and searching, blocks with an alignment; <time.h>. */

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
char __VERIFIER_nondet_char(void);
int __tour_unspecified(void);
void __set_errno(int reason);
void __fails(void);
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

/* A number in a text: its digits, whether a minus sign stands before them, and whether they are more than `most`, or
   `most_negative` behind a minus sign. */
struct digits {
  unsigned long long value;
  int negative;
  int large;
};

static struct digits number(const char *text, char **end, int base, unsigned long long most,
                            unsigned long long most_negative) {
  const char *start = text;
  struct digits found = {0, 0, 0};
  if (base < 0 || base == 1 || base > 36) {
    __set_errno(INVALID);
    return found;
  }
  while (is_space(*text))
    text++;
  found.negative = *text == '-';
  if (*text == '-' || *text == '+')
    text++;
  if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit(text[2]) < 16) {
    text += 2;
    base = 16;
  } else if (base == 0) {
    base = *text == '0' ? 8 : 10;
  }
  if (found.negative)
    most = most_negative;
  int any = 0;
  while (digit(*text) < base) {
    unsigned d = digit(*text);
    found.large = found.large || d > most || found.value > (most - d) / base;
    found.value = found.large ? most : found.value * base + d;
    any = 1;
    text++;
  }
  if (found.large)
    __set_errno(RANGE);
  if (end)
    *end = (char *)(any ? text : start);
  return found;
}

long strtol(const char *text, char **end, int base) {
  unsigned long most = (unsigned long)-1 >> 1;
  struct digits found = number(text, end, base, most, most + 1);
  return found.negative ? (long)-(unsigned long)found.value : (long)found.value;
}

long long strtoll(const char *text, char **end, int base) {
  unsigned long long most = (unsigned long long)-1 >> 1;
  struct digits found = number(text, end, base, most, most + 1);
  return found.negative ? (long long)-found.value : (long long)found.value;
}

/* A minus sign negates what fits; what does not is the greatest number, with or without one. */
unsigned long strtoul(const char *text, char **end, int base) {
  unsigned long most = (unsigned long)-1;
  struct digits found = number(text, end, base, most, most);
  unsigned long value = (unsigned long)found.value;
  return found.negative && !found.large ? -value : value;
}

unsigned long long strtoull(const char *text, char **end, int base) {
  unsigned long long most = (unsigned long long)-1;
  struct digits found = number(text, end, base, most, most);
  return found.negative && !found.large ? -found.value : found.value;
}

/* What the type does not hold is undefined. */
static unsigned long long fitting(const char *text, unsigned long long most) {
  struct digits found = number(text, 0, 10, most, most + 1);
  if (found.large)
    __tour_unsupported("library", "a text of a number that its type does not hold is undefined here");
  return found.negative ? -found.value : found.value;
}

int atoi(const char *text) { return (int)fitting(text, (unsigned)-1 >> 1); }

long atol(const char *text) { return (long)fitting(text, (unsigned long)-1 >> 1); }

long long atoll(const char *text) { return (long long)fitting(text, (unsigned long long)-1 >> 1); }

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

/* The difference is rounded once. */
double difftime(long end, long start) {
  unsigned long difference = end < start ? (unsigned long)start - (unsigned long)end : (unsigned long)end - (unsigned long)start;
  return end < start ? -(double)difference : (double)difference;
}

/* Some time, or -1. It does not go back; that there is none is not known of any system. */
long clock(void) {
  static _Thread_local long before;
  long used = __VERIFIER_nondet_long();
  if (used < before)
    __tour_uncomputed_int();
  if (used < 0)
    return -1;
  before = used;
  return used;
}

unsigned htonl(unsigned n) { return __builtin_bswap32(n); }

unsigned ntohl(unsigned n) { return __builtin_bswap32(n); }

unsigned short htons(unsigned short n) { return __builtin_bswap16(n); }

unsigned short ntohs(unsigned short n) { return __builtin_bswap16(n); }

int ffs(int n) { return __builtin_ffs(n); }

int ffsl(long n) { return __builtin_ffsl(n); }

int ffsll(long long n) { return __builtin_ffsll(n); }

static int is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/* What the alignment is, is not modelled. One that there is not is an error to some libraries, and others take the next. */
void *aligned_alloc(size_t alignment, size_t size) {
  if (!is_power_of_two(alignment) && __tour_unspecified()) {
    __set_errno(INVALID);
    return 0;
  }
  return malloc(size);
}

void *memalign(size_t alignment, size_t size) { return malloc(size); }

int posix_memalign(void **to, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || !is_power_of_two(alignment))
    return INVALID;
  void *block = malloc(size);
  if (!block)
    return NO_MEMORY;
  *to = block;
  return 0;
}

void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) {
    __set_errno(NO_MEMORY);
    return 0;
  }
  return realloc(old, count * size);
}

/* Seconds since 1970. Linux counts nanoseconds in 64 bits, so that others do not come up there. */
static long seconds(void) {
  long now = __VERIFIER_nondet_long();
  if (now < 0 || now > 9223372035ll)
    __tour_uncomputed_int();
  return now;
}

/* Some time, or -1. */
long time(long *to) {
  long now = seconds();
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
    to[0] = seconds();
    to[1] = (long)((unsigned)__VERIFIER_nondet_int() % 1000000);
  }
  return 0;
}

enum { REAL_TIME = 0, MONOTONIC = 1 };

/* Which other clocks there are, is not known. */
int clock_gettime(int clock, long *to) {
  static _Thread_local long before[2];
  if (clock != REAL_TIME && clock != MONOTONIC && __tour_uncomputed_int()) {
    __fails();
    return -1;
  }
  to[0] = seconds();
  to[1] = (long)((unsigned)__VERIFIER_nondet_int() % 1000000000);
  if (clock == MONOTONIC) {
    /* It does not go back. */
    if (to[0] < before[0] || (to[0] == before[0] && to[1] < before[1]))
      __tour_uncomputed_int();
    before[0] = to[0];
    before[1] = to[1];
  }
  return 0;
}

long getrandom(void *to, size_t size, unsigned flags) {
  long given = __VERIFIER_nondet_int();
  if (given < 0 || (size_t)given > size) {
    __fails();
    return -1;
  }
  /* So few bytes are given at once. */
  if ((size_t)given < size && size <= 256)
    __tour_uncomputed_int();
  for (long i = 0; i < given; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return given;
}

int getentropy(void *to, size_t size) {
  if (size > 256 || __VERIFIER_nondet_int()) {
    __fails();
    return -1;
  }
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return 0;
}

static int same_bytes(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (a[i] != b[i])
      return 0;
  return 1;
}

/* A choice that the standard allows, and that no run makes. */
static int other_choice(void) {
  if (!__tour_unspecified())
    return 0;
  __tour_uncomputed_int();
  return 1;
}

/* In which order elements are compared, and those that are equal end up, is open. Comparisons that do something else than to
   compare are not modelled: see `sema::comparator`. */
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *start = array;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *first = start + (j - 1) * size, *second = start + j * size;
      int order = compare(first, second);
      if (order < 0 || (order == 0 && (same_bytes(first, second, size) || !other_choice())))
        break;
      for (size_t k = 0; k < size; k++) {
        char byte = first[k];
        first[k] = second[k];
        second[k] = byte;
      }
    }
}

/* Of several elements that are equal to the key, any may be found. */
void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)array + middle * size;
    int order = compare(key, at);
    if (order == 0) {
      for (; middle + 1 < high && compare(key, at + size) == 0 && other_choice(); middle++)
        at += size;
      for (; middle > low && compare(key, at - size) == 0 && other_choice(); middle--)
        at -= size;
      return (void *)at;
    }
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}
