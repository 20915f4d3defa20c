// UNSAFE: exit runs destructors wherever it is called
#include <assert.h>
#include <stdlib.h>
int g; __attribute__((destructor)) static void a(void){ assert(g==0); }
static void f(int n){ g=n; if(n>2) exit(1); f(n+1); }
int main(void){ f(0); return 0; }
