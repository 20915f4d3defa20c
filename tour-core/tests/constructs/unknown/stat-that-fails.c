/* property: uninitialised-read */
/* A call that fails writes nothing. */
#include <sys/stat.h>

int main(void) {
  struct stat found;
  stat("/nowhere", &found);
  if (found.st_size > 3)
    return 1;
  return 0;
}
