#include <assert.h>
#include <string.h>

/* Only the sign is fixed. */
int main(void) {
  assert(strcmp("a", "c") == -2);
  return 0;
}
