// SAFE --cflags=-fpack-struct=2: members are packed to two bytes
#include <assert.h>
struct s{char c; int i;}; int main(void){ assert(sizeof(struct s)==6); return 0; }
