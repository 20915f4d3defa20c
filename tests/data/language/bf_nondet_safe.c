// SAFE: arithmetic in 40 bits stays there
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
struct s{ unsigned long c:40; } x;
int main(void){ x.c=__VERIFIER_nondet_ulong(); unsigned long r=x.c+1; assert(r<=(1UL<<40)-1); return 0; }
