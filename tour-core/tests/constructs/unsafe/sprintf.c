/* property: memory-safety */
#include <stdio.h>

int main(void) {
  char text[4];
  sprintf(text, "%s!", "abc");
  return 0;
}
