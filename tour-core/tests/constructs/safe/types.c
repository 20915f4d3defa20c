#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

_Static_assert(sizeof(int) == 4, "int has four bytes");

#define kind(x) _Generic((x), int : 1, long : 2, char * : 3, default : 4)

typedef int aligned __attribute__((aligned(16)));

enum sign { MINUS = -1, ZERO, LARGE = 10 };

static int old_style(a, b) int a; char b; { return a + b; }

static __thread int own = 3;

int main(void) {
  assert(kind(1) == 1 && kind(1L) == 2 && kind("a") == 3 && kind(1.0) == 4);
  unsigned __int128 product = (unsigned __int128)UINT64_MAX * 2;
  assert((uint64_t)(product >> 64) == 1 && (__int128)-1 < 0);
  bool truth = 7;
  enum sign s = LARGE;
  assert(truth == 1 && (bool)0.5 == 1 && MINUS < 0 && s == 10);
  wchar_t wide[] = L"ab";
  assert(wide[1] == L'b' && '\x41' == 'A');
  assert(_Alignof(aligned) == 16 && __alignof__(aligned) == 16 && _Alignof(int) == 4);
  assert(old_style(1, 2) == 3);
  own++;
  assert(own == 4);
  assert((int)2.9 == 2 && 0.1 + 0.2 != 0.3);
  return 0;
}
