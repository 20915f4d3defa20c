// SAFE: constructors by priority, then in the order of their definitions
#include <assert.h>
int g; __attribute__((constructor)) static void a(void){ g=g*10+1; } __attribute__((constructor)) static void b(void){ g=g*10+2; } __attribute__((constructor(101))) static void c(void){ g=g*10+3; }
int main(void){ assert(g==312); return 0; }
