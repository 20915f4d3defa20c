/* property: use-after-free */
#include <alloca.h>
static int *made(int n) {
  int *p = alloca(n * sizeof *p);
  p[0] = n;
  return p;
}
int main(void) { return *made(2); }
