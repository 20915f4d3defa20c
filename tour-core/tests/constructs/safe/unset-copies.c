/* property: uninitialised-read */
#include <string.h>
struct pair {
  int left, right;
};
static struct pair half(int n) {
  struct pair p;
  p.left = n;
  return p;
}
static struct pair kept;
int main(void) {
  struct pair p = half(1), q;
  q = p;
  kept = q;
  memcpy(&p, &kept, sizeof p);
  return p.left + kept.left - 2;
}
