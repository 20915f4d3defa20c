// UNKNOWN: a promise of a function without a body
#include <assert.h>
extern char *get(void) __attribute__((returns_nonnull));
int main(void){ assert(get()!=0); return 0; }
