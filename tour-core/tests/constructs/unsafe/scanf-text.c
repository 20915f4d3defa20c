/* property: memory-safety */
#include <stdio.h>

int main(void) {
  char text[4];
  if (scanf("%s", text) == 1)
    return text[0];
  return 0;
}
