// SAFE: an alias of a variable is the variable
#include <assert.h>
int x=5; extern int y __attribute__((alias("x")));
int main(void){ int *p=&y; *p=9; assert(x==9); assert(&x==&y); return 0; }
