#include <assert.h>
#include <stdio.h>

/* gcc reads the text first. */
int main(void) {
  signed char text[4] = "xyz";
  assert(snprintf(0, 0, "%hhn%s", text, (char *)text) == 3);
}
