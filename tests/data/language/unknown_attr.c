// SAFE: compilers ignore attributes that they do not know
#include <assert.h>
__attribute__((made_up_thing(3))) int f(void){return 1;} [[vendor::other]] int y;
int main(void){ assert(f()==1); return 0; }
