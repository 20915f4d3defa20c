#include <assert.h>
#include <stdio.h>

/* The end stays the end, and what is pushed back comes next. */
int main(void) {
  int c = getchar();
  if (c == EOF && feof(stdin))
    assert(getchar() == EOF && feof(stdin));
  clearerr(stdin);
  assert(!feof(stdin) && !ferror(stdin));
  if (ungetc('a', stdin) == 'a')
    assert(getchar() == 'a');
  FILE *file = fopen("a", "r");
  if (file) {
    assert(!feof(file));
    fclose(file);
  }
  int n = printf("%d", 42);
  assert(n < 0 || n == 2);
  return 0;
}
