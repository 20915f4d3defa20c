// SAFE: destructors by descending priority, backwards
#include <assert.h>
int g; __attribute__((destructor)) static void a(void){ g=g*10+1; } __attribute__((destructor)) static void b(void){ g=g*10+2; } __attribute__((destructor(101))) static void c(void){ assert(g==21); }
int main(void){ return 0; }
