#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[16];
  int n = sprintf(text, "%d-%s", -42, "ab"), x = 0, y = 0;
  assert(n == 6 && strcmp(text, "-42-ab") == 0);
  assert(snprintf(text, 4, "%05x", 0xbeef) == 5 && strcmp(text, "0be") == 0);
  assert(sscanf("12 0x1f", "%d %i", &x, &y) == 2 && x == 12 && y == 31);
  assert(sscanf("x", "%d", &x) == 0 && sscanf("", "%d", &x) == EOF);
  return 0;
}
