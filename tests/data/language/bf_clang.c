// SAFE --cc clang: clang takes the declared type of a wide bit-field
#include <assert.h>
struct s{ unsigned long c:33; long d:40; } x={1,-1};
int main(void){ assert(x.c-2==-1UL); assert(~x.c==-2UL); return 0; }
