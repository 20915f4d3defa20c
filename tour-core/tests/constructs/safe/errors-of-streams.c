/* `rewind` and `clearerr` take an error away, and nothing but output brings it back. */
#include <assert.h>
#include <stdio.h>

int main(void) {
  getchar();
  rewind(stdin);
  assert(!ferror(stdin));
  getchar();
  clearerr(stdin);
  assert(!ferror(stdin) && !feof(stdin));
  assert(fseek(stdin, 0, 99) == -1);
  return 0;
}
