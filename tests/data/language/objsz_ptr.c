// UNKNOWN: compilers know the size at some levels only
#include <assert.h>
#include <stdlib.h>
int main(void){ char *p=malloc(10); assert(__builtin_object_size(p,0)==(size_t)-1); return 0; }
