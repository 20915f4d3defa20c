#include <assert.h>
#include <ctype.h>

int main(void) {
  int (*is_class)(int) = isalpha;
  assert(is_class('a') == 1);
  return 0;
}
