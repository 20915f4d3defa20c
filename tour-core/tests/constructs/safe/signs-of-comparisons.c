#include <assert.h>
#include <ctype.h>
#include <string.h>

int main(void) {
  assert(strcmp("a", "c") < 0 && strcmp("c", "a") > 0 && !strcmp("b", "b"));
  int order = memcmp("\x80", "\x7f", 1);
  assert(order > 0);
  assert((isdigit)('5') != 0 && !(isdigit)('x'));
  int n = 0;
  for (const char *text = "a1b22"; *text; text++)
    if ((isdigit)(*text))
      n++;
  assert(n == 3);
  return 0;
}
