// UNSAFE: arithmetic in 40 bits wraps
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
struct s{ unsigned long c:40; } x;
int main(void){ x.c=__VERIFIER_nondet_ulong(); unsigned long r=x.c*2; assert(r/2==x.c); return 0; }
