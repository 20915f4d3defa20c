// UNKNOWN: the C library may define it
#include <assert.h>
extern int getpid(void) __attribute__((weak));
int main(void){ assert(getpid!=0); return 0; }
