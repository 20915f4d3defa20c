// SAFE: an inline body beside the symbol of its name
#include <assert.h>
extern int f2(int) __asm__("f"); extern inline __attribute__((gnu_inline, always_inline)) int f(int x){ return f2(x)+1; }
int main(void){ assert(1); return 0; }
