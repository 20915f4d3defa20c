#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair {
  int left;
  char name[4];
};

static int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int total = 0;
  for (int i = 0; i < n; i++)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

static long mixed(const char *kinds, ...) {
  va_list list, again;
  long total = 0;
  va_start(list, kinds);
  va_copy(again, list);
  for (const char *kind = kinds; *kind; kind++)
    switch (*kind) {
    case 'i':
      total += va_arg(list, int);
      break;
    case 'u':
      total += va_arg(list, unsigned);
      break;
    case 'l':
      total += va_arg(list, long);
      break;
    case 'L':
      total += va_arg(list, unsigned long long) & 0xff;
      break;
    case 'd':
      total += (long)va_arg(list, double);
      break;
    case 's':
      total += (long)strlen(va_arg(list, const char *));
      break;
    case 'p':
      total += *va_arg(list, int *);
      break;
    case 'r': {
      struct pair pair = va_arg(list, struct pair);
      total += pair.left + pair.name[1];
      break;
    }
    }
  va_end(list);
  if (*kinds == 'i')
    total += 1000 * va_arg(again, int);
  va_end(again);
  return total;
}

/* A list that is passed is the caller's, where it is an array. */
static int take(va_list list) { return va_arg(list, int); }
static int take_by(va_list *list) { return va_arg(*list, int); }

static int three(int first, ...) {
  va_list list;
  va_start(list, first);
  int a = take(list), b = take(list), c = take_by(&list);
  va_end(list);
  va_start(list, first);
  int d = va_arg(list, int);
  va_end(list);
  return first * 10000 + a * 1000 + b * 100 + c * 10 + d;
}

struct context {
  int used;
  va_list list;
};

static int next_of(struct context *context) {
  context->used++;
  return va_arg(context->list, int);
}

static int in_record(int n, ...) {
  struct context context = {0};
  va_start(context.list, n);
  int x = next_of(&context), y = next_of(&context);
  va_end(context.list);
  return x * 10 + y + context.used * 100;
}

static int down(int n, ...) {
  va_list list;
  va_start(list, n);
  int x = va_arg(list, int);
  va_end(list);
  return n == 0 ? x : x + down(n - 1, x + 1);
}

static void set(int n, ...) {
  va_list list;
  va_start(list, n);
  while (n-- > 0) {
    int *to = va_arg(list, int *);
    *to = va_arg(list, int);
  }
  va_end(list);
}

static int by_pointer(int n, ...) {
  va_list list;
  va_start(list, n);
  int x = va_arg(list, int);
  va_end(list);
  return n + x;
}
static int ignores(int n, ...) { return n; }

static int text(char *to, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(to, size, format, list);
  va_end(list);
  return length;
}

int main(void) {
  char c = 7, to[20];
  short s = -1;
  float f = 2.5f;
  int n = 9, a = 0, b = 0;
  struct pair pair = {5, "ab"};
  assert(sum(0) == 0 && sum(3, 1, 2, 3) == 6);
  for (int i = 0; i < 3; i++)
    assert(sum(2, i, i + 1) == 2 * i + 1);
  assert(mixed("iu", c, 4u) == 7011);
  assert(mixed("i", s) == -1001);
  assert(mixed("dd", f, 1.75) == 3);
  assert(mixed("lLs", 100000000000, ~0ull, "four") == 100000000259);
  assert(mixed("pr", &n, pair) == 14 + 'b');
  assert(three(1, 2, 3, 4) == 12342);
  assert(in_record(2, 4, 5) == 245);
  assert(down(3, 1) == 10);
  set(2, &a, 4, &b, 5);
  assert(a == 4 && b == 5);
  int (*function)(int, ...) = by_pointer;
  assert(function(2, 3) == 5 && by_pointer(1, 1) == 2);
  function = ignores;
  assert(function(2, 3) == 2);
  assert(text(to, 20, "%d-%s|%3c|%-4x|", 42, "ab", 'c', 255u) == 15);
  assert(strcmp(to, "42-ab|  c|ff  |") == 0);
  assert(text(to, 4, "%05ld%%", -12l) == 6 && strcmp(to, "-00") == 0);
  const char *format = n > 5 ? "%*d" : "%d";
  assert(snprintf(to, 20, format, 4, n) == 4 && strcmp(to, "   9") == 0);
  assert(sprintf(to, "%.*s%-*d|", 2, "abc", 3, 1) == 6 && strcmp(to, "ab1  |") == 0);
  assert(sizeof(va_list) == 24 || sizeof(va_list) == sizeof(void *));
  return 0;
}
