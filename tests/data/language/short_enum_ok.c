// SAFE --cflags=-fshort-enums: enumerations take the smallest type
#include <assert.h>
enum e{A=300}; struct s{enum e x; char c;}; int main(void){ assert(sizeof(enum e)==2&&sizeof(struct s)==4); return 0; }
