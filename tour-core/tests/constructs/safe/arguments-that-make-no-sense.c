#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  assert(access("/", 99) == -1 && access("/", -1) == -1);
  assert(shutdown(0, 9) == -1);
}
