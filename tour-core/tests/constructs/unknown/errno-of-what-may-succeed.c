/* Whether a call failed can't be told from a result that may be any number: `errno` need not be set. */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

int main(void) {
  errno = 0;
  nice(0);
  assert(errno);
  return 0;
}
