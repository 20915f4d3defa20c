#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
static const unsigned char table[6] = {1, 2, 3, 4, 5, 7};
int main(void) {
  unsigned i = __VERIFIER_nondet_uint();
  if (i < 6)
    assert(table[i] == i + 1);
  return 0;
}
