// SAFE: lengths in parameters are evaluated
#include <assert.h>
int c = 1; int f(int n, int a[n][c++], int b[static ++c]){ return sizeof(a[0]); } int g(int a[c++]);
int main(void){ int v[2][2]; assert(f(2,v,v[0])==0||1); assert(c==3); return 0; }
