// UNKNOWN --cflags=-ffast-math: floating arithmetic is not that of IEEE 754
#include <assert.h>
int main(void){ double x=0.0; x=x/x; assert(x!=x); return 0; }
