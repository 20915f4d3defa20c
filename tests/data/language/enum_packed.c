// SAFE: the size of enumerations
#include <assert.h>
enum __attribute__((packed)) e {A=-1,B=200}; enum f {C=1ULL<<40};
int main(void){ assert(sizeof(enum e)==2); assert(sizeof(enum f)==8); assert(sizeof(C)==8); return 0; }
