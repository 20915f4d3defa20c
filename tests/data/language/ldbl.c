// UNKNOWN: 0.1L is no double
#include <assert.h>
int main(void){ assert(0.1L==0.1); return 0; }
