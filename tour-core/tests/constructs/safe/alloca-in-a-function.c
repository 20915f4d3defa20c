/* property: memory-safety */
#include <alloca.h>
static int last(int n) {
  int *p = alloca(n * sizeof *p);
  for (int i = 0; i < n; i++)
    p[i] = i;
  return p[n - 1];
}
int main(void) { return last(3) + last(2) - 3; }
