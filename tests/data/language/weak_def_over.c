// SAFE: a weak definition counts where there is no other
#include <assert.h>
__attribute__((weak)) int x = 5; int f(void) __attribute__((weak)); int f(void){return x;}
int main(void){ assert(f()==5); assert(f!=0); return 0; }
