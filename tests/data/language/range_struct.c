// SAFE: a range of elements is evaluated once
#include <assert.h>
int n; int t(void){ return ++n; } struct p{int x,y;}; struct p mk(void){ n++; struct p r={n,2}; return r; }
int main(void){ struct p a[3]={[0 ... 2]={t(),7}}; assert(n==1&&a[2].x==1&&a[2].y==7); struct p b[2]={[0 ... 1]=mk()}; assert(n==2&&b[1].x==2); int c[4]={[0 ... 3]=t(),[1]=9}; assert(n==3&&c[0]==3&&c[1]==9&&c[3]==3); return 0; }
