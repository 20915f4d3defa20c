// SAFE: compound literals at file scope
#include <assert.h>
struct s{int a; int *p;}; struct s *g=&(struct s){1,(int[]){5,6}}, h={2,0}; int x=3;
int main(void){ assert(g->p[1]==6&&h.a==2&&x==3); return 0; }
