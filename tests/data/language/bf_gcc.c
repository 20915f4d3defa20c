// SAFE: gcc keeps the width of a wide bit-field
#include <assert.h>
struct s{ unsigned long c:33; long d:40; unsigned g:20; } x={1,-1,0};
int main(void){ assert(x.c-2==8589934591UL); assert(-x.c==8589934591UL); assert(x.c-2L==-1); assert(x.c*x.d==-1); assert((x.c-2)>>1==4294967295UL); assert(x.g-1<0); x.c=0; assert((x.c++)-5==8589934587UL); assert(x.c==1); assert(sizeof(x.c+0)==8); return 0; }
