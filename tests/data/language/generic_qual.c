// SAFE: alternatives are chosen by compatible unqualified types
#include <assert.h>
int main(void){ const int c=1; assert(_Generic(c,const int:1,int:2)==2); const int *p=&c; assert(_Generic(p,int*:1,const int*:2)==2); assert(_Generic("a",char*:1,default:2)==1); struct s{int a;}; struct s v={0}; { struct s{int a;}; assert(_Generic(v,struct s:1,default:2)==2);} return 0; }
