#include <assert.h>
#include <stdio.h>

/* What fgets has read before an error is in the array. */
int main(void) {
  char text[10] = "zz";
  if (!fgets(text, 10, stdin))
    assert(text[0] == 'z');
  return 0;
}
