// UNKNOWN --cflags=-funsigned-char: char is unsigned
#include <assert.h>
int main(void){ char c=-1; assert(c<0); return 0; }
