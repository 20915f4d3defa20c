// UNKNOWN --cflags=-fms-extensions: -fms-extensions is not modelled
#include <assert.h>
struct t{int a;}; struct s{struct t; int b;}; int main(void){ assert(sizeof(struct s)==8); return 0; }
