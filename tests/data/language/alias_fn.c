// SAFE: aliases of functions, one weak and of a static one
#include <assert.h>
int real(int a){return a+1;} int al(int) __attribute__((alias("real"))); static int st(int a){return a+2;} int al2(int) __attribute__((weak, alias("st")));
int main(void){ assert(al(1)==2 && al2(1)==3); return 0; }
