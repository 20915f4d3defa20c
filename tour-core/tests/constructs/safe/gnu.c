#include <assert.h>

#define max(a, b) ({ typeof(a) x = (a); typeof(b) y = (b); x > y ? x : y; })

static int class(int c) {
  switch (c) {
  case 1 ... 5:
    return 1;
  case 'a' ... 'z':
    return 2;
  default:
    return 0;
  }
}

int main(void) {
  int n = 3, r, zero = 0;
  unsigned u;
  assert(max(n, 5) == 5);
  assert(class(3) == 1 && class('q') == 2 && class(6) == 0);
  assert((zero ?: 5) == 5);
  __auto_type wide = 3L;
  assert(sizeof wide == sizeof(long));
  assert(__builtin_choose_expr(1, 2, "x") == 2 && __builtin_types_compatible_p(int, int));
  assert(!__builtin_add_overflow(n, 4, &r) && r == 7);
  assert(__builtin_mul_overflow(0x7fffffff, 2, &r) && __builtin_sub_overflow(1u, 2u, &u));
  assert(__builtin_clz(1) == 31 && __builtin_ctz(8) == 3 && __builtin_popcount(255) == 8 && __builtin_ffs(8) == 4);
  assert(__builtin_bswap32(0x01020304) == 0x04030201 && __builtin_bswap16(0x0102) == 0x0201);
  assert(__builtin_parity(7) == 1 && __builtin_clzll(1) == 63);
  assert(__builtin_constant_p(3));
  if (__builtin_expect(n, 1))
    n = 4;
  assert(n == 4);
  __extension__ long long z = ({ int t = 0; for (int i = 0; i < 3; i++) t += i; t; });
  assert(z == 3);
  {
    __label__ out;
    if (z == 3)
      goto out;
    __builtin_unreachable();
  out:
    n = 5;
  }
  assert(n == 5);
  return 0;
}
