// UNSAFE: #pragma weak: an undefined weak function is null
#include <assert.h>
int g(void);
#pragma weak g
int main(void){ assert(g!=0); return 0; }
