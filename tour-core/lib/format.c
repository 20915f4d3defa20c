/* What `sprintf`, `snprintf`, `sscanf` and `scanf` are made of, where the format is known: each directive is a call. */

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);
long long __VERIFIER_nondet_longlong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);

/* The text goes to `to`, which has room for `size` characters; `at` are printed already, perhaps more than there is room. */
static size_t fill(char *to, size_t size, size_t at, char c, int count) {
  for (int i = 0; i < count; i++, at++)
    if (at + 1 < size)
      to[at] = c;
  return at;
}

size_t __format_char(char *to, size_t size, size_t at, int c, int width, int left) {
  if (!left)
    at = fill(to, size, at, ' ', width - 1);
  if (at + 1 < size)
    to[at] = (char)c;
  at++;
  return left ? fill(to, size, at, ' ', width - 1) : at;
}

size_t __format_text(char *to, size_t size, size_t at, const char *text, int width, int most, int left) {
  int length = 0;
  while (length != most && text[length])
    length++;
  if (!left)
    at = fill(to, size, at, ' ', width - length);
  for (int i = 0; i < length; i++, at++)
    if (at + 1 < size)
      to[at] = text[i];
  return left ? fill(to, size, at, ' ', width - length) : at;
}

static char digit_of(unsigned value, int upper) {
  return (char)(value < 10 ? '0' + value : (upper ? 'A' : 'a') + value - 10);
}

static size_t digits(char *to, size_t size, size_t at, unsigned long long value, unsigned base, int upper, char sign,
                     int width, int precision, int left, int zero) {
  int count = 1;
  for (unsigned long long power = base; value >= power; power *= base) {
    count++;
    if (power > (unsigned long long)-1 / base)
      break;
  }
  if (precision == 0 && value == 0)
    count = 0;
  int zeros = precision > count ? precision - count : 0;
  int missing = width - count - zeros - (sign != 0);
  if (zero && !left && precision < 0 && missing > 0) {
    zeros = missing;
    missing = 0;
  }
  if (!left)
    at = fill(to, size, at, ' ', missing);
  if (sign)
    at = fill(to, size, at, sign, 1);
  at = fill(to, size, at, '0', zeros);
  unsigned low = (unsigned)value;
  int small = value == low;
  for (int i = count; i > 0; i--) {
    unsigned last = small ? low % base : (unsigned)(value % base);
    low /= base;
    if (!small)
      value /= base;
    size_t position = at + (size_t)i - 1;
    if (position + 1 < size)
      to[position] = digit_of(last, upper);
  }
  at += (size_t)count;
  return left ? fill(to, size, at, ' ', missing) : at;
}

size_t __format_signed(char *to, size_t size, size_t at, long long value, int plus, int width, int precision, int left,
                       int zero) {
  unsigned long long amount = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
  return digits(to, size, at, amount, 10, 0, value < 0 ? '-' : (char)plus, width, precision, left, zero);
}

size_t __format_unsigned(char *to, size_t size, size_t at, unsigned long long value, int base, int upper, int width,
                         int precision, int left, int zero) {
  return digits(to, size, at, value, (unsigned)base, upper, 0, width, precision, left, zero);
}

int __format_end(char *to, size_t size, size_t at) {
  if (size > 0)
    to[at < size ? at : size - 1] = 0;
  return (int)at;
}

/* `at` is where the text goes on; null where it does not fit, and `no_input` where it has ended too early. */
static const char no_input;

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int __scan_goes_on(const char *at) { return at != 0 && at != &no_input; }

int __scan_end(const char *at, int count) { return count == 0 && at == &no_input ? -1 : count; }

const char *__scan_space(const char *at) {
  if (__scan_goes_on(at))
    while (is_space(*at))
      at++;
  return at;
}

const char *__scan_literal(const char *at, int c) {
  if (!__scan_goes_on(at))
    return at;
  return !*at ? &no_input : *at == (char)c ? at + 1 : 0;
}

static void store(void *to, int size, long long value) {
  if (size == 1)
    *(signed char *)to = (signed char)value;
  else if (size == 2)
    *(short *)to = (short)value;
  else if (size == 4)
    *(int *)to = (int)value;
  else
    *(long long *)to = value;
}

/* Without `to`, what is read is left out. */
const char *__scan_number(const char *at, int base, int is_signed, void *to, int size) {
  at = __scan_space(at);
  if (!__scan_goes_on(at))
    return at;
  if (!*at)
    return &no_input;
  char *end;
  long long value = is_signed ? strtoll(at, &end, base) : (long long)strtoull(at, &end, base);
  if (end == at)
    return 0;
  if (to)
    store(to, size, value);
  return end;
}

const char *__scan_text(const char *at, char *to, int width) {
  at = __scan_space(at);
  if (!__scan_goes_on(at))
    return at;
  if (!*at)
    return &no_input;
  int length = 0;
  for (; length != width && *at && !is_space(*at); length++, at++)
    if (to)
      to[length] = *at;
  if (to)
    to[length] = 0;
  return at;
}

const char *__scan_chars(const char *at, char *to, int width) {
  if (!__scan_goes_on(at))
    return at;
  for (int i = 0; i < width; i++) {
    if (!*at)
      return &no_input;
    if (to)
      to[i] = *at;
    at++;
  }
  return at;
}

/* Input that is not known: some of `count` conversions succeed, or it has ended. */
int __input_begin(int count) {
  int n = __VERIFIER_nondet_int();
  return n < -1 ? -1 : n > count ? count : n;
}

void __input_number(int succeeded, int index, void *to, int size) {
  if (index < succeeded)
    store(to, size, __VERIFIER_nondet_longlong());
}

void __input_float(int succeeded, int index, float *to) {
  if (index < succeeded)
    *to = __VERIFIER_nondet_float();
}

void __input_double(int succeeded, int index, double *to) {
  if (index < succeeded)
    *to = __VERIFIER_nondet_double();
}

void __input_text(int succeeded, int index, char *to, int width) {
  if (index >= succeeded)
    return;
  int length = 0;
  do {
    char c = __VERIFIER_nondet_char();
    to[length++] = c == 0 || is_space(c) ? '?' : c;
  } while (length != width && __VERIFIER_nondet_int());
  to[length] = 0;
}

void __input_chars(int succeeded, int index, char *to, int width) {
  if (index < succeeded)
    for (int i = 0; i < width; i++)
      to[i] = __VERIFIER_nondet_char();
}
