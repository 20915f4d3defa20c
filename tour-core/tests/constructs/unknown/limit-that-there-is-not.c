/* `sysconf` gives -1 for what has no limit, and leaves `errno` alone. */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

int main(void) {
  errno = 0;
  if (sysconf(_SC_OPEN_MAX) == -1)
    assert(errno);
  return 0;
}
