#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char text[32];
  sprintf(text, "%f", atof("1.5"));
  assert(text[0] == '2');
  return 0;
}
