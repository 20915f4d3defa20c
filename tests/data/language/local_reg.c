// UNKNOWN: a variable in a register
#include <assert.h>
int main(void){ register long x asm("rbx"); x=3; assert(x==3); return 0; }
