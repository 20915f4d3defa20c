/* `%s` reads what is no white space: a byte that is zero too. */
#include <assert.h>
#include <stdio.h>

int main(void) {
  char text[8];
  if (scanf("%7s", text) == 1)
    assert(text[0]);
  return 0;
}
