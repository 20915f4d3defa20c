#include <assert.h>
#include <setjmp.h>

static jmp_buf here;

int main(void) {
  int x = 0;
  if (setjmp(here) == 0)
    longjmp(here, 1);
  assert(x == 1);
  return 0;
}
