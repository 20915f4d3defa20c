// UNKNOWN: .ctors is not modelled
#include <assert.h>
int g; static void f(void){ g=1; }
__attribute__((section(".ctors"),used)) static void (*p)(void)=f;
int main(void){ assert(g==1); return 0; }
