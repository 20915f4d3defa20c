/* <stdlib.h>: numbers in strings, random numbers, sorting and searching. */

int __VERIFIER_nondet_int(void);

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
  int any = 0;
  while (digit(*text) < base) {
    unsigned d = digit(*text);
    value = value > (most - d) / base ? most : value * base + d;
    any = 1;
    text++;
  }
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
