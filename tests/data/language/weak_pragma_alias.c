// SAFE: #pragma weak a = b
#include <assert.h>
int h(void){return 7;}
#pragma weak g = h
int g(void);
int main(void){ assert(g()==7); return 0; }
