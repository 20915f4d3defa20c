// SAFE: a function is what its symbol is: this is malloc
#include <assert.h>
#include <stddef.h>
void *my(size_t) __asm__("malloc"); void fr(void*) __asm__("free");
int main(void){ int *p=my(4); if(!p) return 0; *p=3; assert(*p==3); fr(p); return 0; }
