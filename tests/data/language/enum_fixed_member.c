// SAFE --cc clang: an enumeration with a type of its own, in a structure
#include <assert.h>
struct s { enum k : unsigned short {A=65535} k; unsigned b:3; };
int main(void){ struct s x; x.k=(enum k)65536; assert(x.k==0 && sizeof(x)==4 && A==65535); return 0; }
