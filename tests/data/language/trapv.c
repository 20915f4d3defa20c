// UNKNOWN --cflags=-ftrapv: overflow ends the run
#include <assert.h>
int main(void){ int x=2147483647; x++; assert(x<0); return 0; }
