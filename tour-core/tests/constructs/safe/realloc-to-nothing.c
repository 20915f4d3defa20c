/* property: memory-safety */
#include <stdlib.h>

int main(void) {
  void *p = malloc(4), *q = realloc(p, 0);
  if (q)
    free(q);
  return 0;
}
