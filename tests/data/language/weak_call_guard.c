// SAFE: a hook that nobody defines is not called
#include <assert.h>
void hook(void) __attribute__((weak));
int main(void){ int r=0; if (hook) { hook(); r=1; } assert(r==0); return 0; }
