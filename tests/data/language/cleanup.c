// UNKNOWN: the attribute cleanup is not modelled
#include <assert.h>
int g; void c(int*p){ g=*p; } 
int main(void){ { int x __attribute__((cleanup(c)))=4; } assert(g==4); return 0; }
