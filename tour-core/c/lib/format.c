/* What `sprintf`, `snprintf`, `sscanf` and `scanf` are made of: where the format is known, each directive is a call. */

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);
long long __VERIFIER_nondet_longlong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
int __tour_unspecified(void);

/* The text goes to `to`, which has room for `size` characters; `at` are printed already, perhaps more than there is room. */
static size_t fill(char *to, size_t size, size_t at, char c, int count) {
  for (int i = 0; i < count; i++, at++)
    if (at + 1 < size)
      to[at] = c;
  return at;
}

/* What is printed must not overlap what is printed of, nor what is stored what is scanned: calls are checked for it. What is
   written afterwards goes to the result, and so depends on the call. */
static char *__format_apart(char *to, size_t written, const char *from, size_t read) { return to; }

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
  if (size)
    to = __format_apart(to, at + length + 1 < size ? at + length + 1 : size, text, length + 1);
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

/* A format that is known only when the program runs, and arguments that come in a list. */
static long long signed_of(__builtin_va_list *list, int length) {
  if (length == 2)
    return __builtin_va_arg(*list, long long);
  if (length == 1)
    return __builtin_va_arg(*list, long);
  int value = __builtin_va_arg(*list, int);
  return length == -1 ? (short)value : length == -2 ? (signed char)value : value;
}

static unsigned long long unsigned_of(__builtin_va_list *list, int length) {
  if (length == 2)
    return __builtin_va_arg(*list, unsigned long long);
  if (length == 1)
    return __builtin_va_arg(*list, unsigned long);
  unsigned value = __builtin_va_arg(*list, unsigned);
  return length == -1 ? (unsigned short)value : length == -2 ? (unsigned char)value : value;
}

static int number_at(const char **format) {
  int value = 0;
  for (; **format >= '0' && **format <= '9'; ++*format)
    value = value * 10 + (**format - '0');
  return value;
}

static int is_float(char kind) {
  return kind == 'f' || kind == 'F' || kind == 'e' || kind == 'E' || kind == 'g' || kind == 'G' || kind == 'a' || kind == 'A';
}

/* How many characters a number has that nobody looks at: some, and not computed here. */
static size_t any_count(void) {
  int count = __tour_uncomputed_int();
  return count < 1 ? 1 : (size_t)count;
}

int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list given) {
  __builtin_va_list list;
  __builtin_va_copy(list, given);
  size_t at = 0;
  while (*format) {
    if (*format != '%' || format[1] == '%') {
      format += *format == '%';
      at = __format_char(to, size, at, *format++, 0, 0);
      continue;
    }
    int left = 0, zero = 0, plus = 0, width = 0, precision = -1, length = 0;
    for (format++;; format++) {
      if (*format == '-')
        left = 1;
      else if (*format == '0')
        zero = 1;
      else if (*format == '+')
        plus = '+';
      else if (*format == ' ')
        plus = plus ? plus : ' ';
      else
        break;
    }
    if (*format == '*') {
      format++;
      width = __builtin_va_arg(list, int);
      if (width < 0) {
        left = 1;
        width = -width;
      }
    } else {
      width = number_at(&format);
    }
    if (*format == '.') {
      format++;
      if (*format == '*') {
        format++;
        precision = __builtin_va_arg(list, int);
        if (precision < 0)
          precision = -1;
      } else {
        precision = number_at(&format);
      }
    }
    if (*format == 'h') {
      format++;
      length = -1;
      if (*format == 'h') {
        format++;
        length = -2;
      }
    } else if (*format == 'l' || *format == 'q' || *format == 'j' || *format == 'z' || *format == 't') {
      length = *format == 'q' || *format == 'j' ? 2 : 1;
      format++;
      if (*format == 'l') {
        format++;
        length = 2;
      }
    }
    char kind = *format++;
    if (kind == 'd' || kind == 'i')
      at = __format_signed(to, size, at, signed_of(&list, length), plus, width, precision, left, zero);
    else if (kind == 'u')
      at = __format_unsigned(to, size, at, unsigned_of(&list, length), 10, 0, width, precision, left, zero);
    else if (kind == 'x' || kind == 'X')
      at = __format_unsigned(to, size, at, unsigned_of(&list, length), 16, kind == 'X', width, precision, left, zero);
    else if (kind == 'o')
      at = __format_unsigned(to, size, at, unsigned_of(&list, length), 8, 0, width, precision, left, zero);
    else if (kind == 'c' && length == 0)
      at = __format_char(to, size, at, __builtin_va_arg(list, int), width, left);
    else if (kind == 's' && length == 0)
      at = __format_text(to, size, at, __builtin_va_arg(list, const char *), width, precision, left);
    else if (kind == 'n' && length == 0)
      *__builtin_va_arg(list, int *) = (int)at;
    else if (size == 0 && length == 0 && is_float(kind)) {
      __builtin_va_arg(list, double);
      at += any_count();
    } else if (size == 0 && length == 0 && kind == 'p') {
      __builtin_va_arg(list, void *);
      at += any_count();
    } else
      __tour_unsupported("format", "this format has a conversion that is not modelled");
  }
  /* Where a list is passed as a pointer, the caller's one goes on too. */
  __builtin_va_copy(given, list);
  return __format_end(to, size, at);
}

int vsprintf(char *to, const char *format, __builtin_va_list list) { return vsnprintf(to, -1, format, list); }

int __format_into(char *to, size_t size, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int length = vsnprintf(to, size, format, list);
  __builtin_va_end(list);
  return length;
}

void *malloc(size_t size);

int vasprintf(char **to, const char *format, __builtin_va_list list) {
  __builtin_va_list again;
  __builtin_va_copy(again, list);
  int length = vsnprintf(0, 0, format, again);
  *to = malloc((size_t)length + 1);
  return *to ? vsnprintf(*to, (size_t)length + 1, format, list) : -1;
}

int asprintf(char **to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int length = vasprintf(to, format, list);
  __builtin_va_end(list);
  return length;
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

/* `%n`: how many characters were printed so far. Where printing fails, this may be left out. */
void __format_count(int failed, void *to, int size, size_t count) {
  if (!(failed && __tour_unspecified()))
    store(to, size, (long long)count);
}

/* `at` is where the text goes on; null where it does not fit, and `no_input` where it has ended too early. */
static const char no_input;

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int __scan_goes_on(const char *at) { return at != 0 && at != &no_input; }

/* After conversions whose results are left out, the end of the text is -1 to some libraries and 0 to others. */
int __scan_end(const char *at, int count, int skips) {
  if (count != 0 || at != &no_input)
    return count;
  if (skips)
    __tour_unsupported("format", "the text ends behind a conversion with `*`");
  return -1;
}

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

static int digit_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 99;
}

/* A number of at most `left` characters; all that come if it is negative. Without `to`, what is read is left out. */
const char *__scan_number(const char *at, int base, int is_signed, void *to, int size, int left) {
  at = __scan_space(at);
  if (!__scan_goes_on(at))
    return at;
  if (!*at)
    return &no_input;
  int negative = *at == '-', any = 0, prefix = 0, large = 0;
  if (*at == '-' || *at == '+') {
    at++;
    left--;
  }
  if (left != 0 && *at == '0' && (base == 0 || base == 16)) {
    at++;
    left--;
    if (left != 0 && (*at == 'x' || *at == 'X')) {
      at++;
      left--;
      base = 16;
      prefix = 1;
    } else {
      any = 1;
      base = base == 0 ? 8 : base;
    }
  }
  if (base == 0)
    base = 10;
  unsigned long long value = 0, all = (unsigned long long)-1;
  for (; left != 0 && digit_value(*at) < base; at++, left--) {
    unsigned d = (unsigned)digit_value(*at);
    large = large || value > (all - d) / (unsigned)base;
    value = value * (unsigned)base + d;
    any = 1;
  }
  /* "0x" alone does not fit; some libraries take it for a zero. */
  if (!any && !(prefix && __tour_unspecified()))
    return 0;
  unsigned long long most = all >> (64 - 8 * size);
  if (is_signed)
    most = negative ? (most >> 1) + 1 : most >> 1;
  if (large || value > most)
    __tour_unsupported("format", "a number is read that its type does not hold");
  if (to)
    store(to, size, (long long)(negative ? 0 - value : value));
  return at;
}

const char *__scan_text(const char *at, char *to, int width) {
  at = __scan_space(at);
  if (!__scan_goes_on(at))
    return at;
  if (!*at)
    return &no_input;
  int length = 0;
  while (length != width && at[length] && !is_space(at[length]))
    length++;
  if (to) {
    to = __format_apart(to, length + 1, at, length);
    for (int i = 0; i < length; i++)
      to[i] = at[i];
    to[length] = 0;
  }
  return at + length;
}

const char *__scan_chars(const char *at, char *to, int width) {
  if (!__scan_goes_on(at))
    return at;
  int count = 0;
  while (count < width && at[count])
    count++;
  if (to && count > 0) {
    to = __format_apart(to, count, at, count);
    for (int i = 0; i < count; i++)
      to[i] = at[i];
  }
  return count < width ? &no_input : at + count;
}

/* `%n`: how many characters were read so far. */
void __scan_count(const char *at, const char *start, void *to, int size) {
  if (__scan_goes_on(at))
    store(to, size, at - start);
}

/* Input that is not known: some of `count` conversions succeed, or it has ended. */
struct stream;
struct stream *__standard_input(void);
int __reads_input(struct stream *s, int count);

int __input_begin(int count) { return __reads_input(__standard_input(), count); }

int __input_from(struct stream *s, int count) { return __reads_input(s, count); }

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
    to[length++] = is_space(c) ? '?' : c;
  } while (length != width && __VERIFIER_nondet_int());
  to[length] = 0;
}

void __input_chars(int succeeded, int index, char *to, int width) {
  if (index < succeeded)
    for (int i = 0; i < width; i++)
      to[i] = __VERIFIER_nondet_char();
}
