// SAFE: pointers in .init_array by priority
#include <assert.h>
int g; static void f(void){ g=g*10+1; } static void h(void){ g=g*10+2; }
__attribute__((section(".init_array.00200"),used)) static void (*p)(void)=f;
__attribute__((section(".init_array.00150"),used)) static void (*q)(void)=h;
int main(void){ assert(g==21); return 0; }
