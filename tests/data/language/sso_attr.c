// UNKNOWN: another byte order is not modelled
#include <assert.h>
struct s{int x;} __attribute__((scalar_storage_order("big-endian")));
int main(void){ struct s s={1}; assert(*(unsigned char*)&s==0); return 0; }
