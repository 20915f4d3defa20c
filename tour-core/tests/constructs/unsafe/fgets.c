#include <assert.h>
#include <stdio.h>

int main(void) {
  char line[4];
  if (fgets(line, sizeof line, stdin))
    assert(line[0] != 'x');
  return 0;
}
