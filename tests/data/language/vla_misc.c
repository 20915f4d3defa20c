// SAFE: lengths are evaluated when C says so
#include <assert.h>
int main(void){ int n=2; int s=sizeof(int(*)[n++]); assert(n==2&&s==8); s=sizeof(int[n++]); assert(n==3&&s==8); int k=3; int a[4][k]; int (*p)[k]=a; typeof(p++) q=a; assert(p==a+1&&q==a); s=sizeof(p++); assert(p==a+1); int b[sizeof(int[n++])]; assert(n==4&&sizeof b==12*4); typeof(int[n++]) z; assert(n==5 && sizeof z==16); assert(__alignof__(a[n++])==4 && n==5); return 0; }
