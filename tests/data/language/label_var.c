// SAFE: an assembler name of a variable
#include <assert.h>
int x=5; extern int y __asm__("x");
int main(void){ y=6; assert(x==6); return 0; }
