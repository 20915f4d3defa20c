// UNKNOWN: compilers differ in the type of a bit-field
#include <assert.h>
struct s{ unsigned c:3; } x;
int main(void){ assert(_Generic(x.c,unsigned:1,int:2,default:3)==1); return 0; }
