// UNKNOWN: lengths in old-style parameters are not modelled
#include <assert.h>
int n; int f(a) int a[n++]; { return n; } int main(void){ int v[3]; assert(f(v)==1); return 0; }
