// UNSAFE: a function is what its symbol is: this is not abs
#include <assert.h>
int abs(int) __asm__("mine"); int mine(int x){ return -5; }
int main(void){ assert(abs(-3)==3); return 0; }
