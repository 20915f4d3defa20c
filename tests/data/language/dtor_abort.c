// SAFE: _exit runs no destructor
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((destructor)) static void a(void){ assert(0); }
int main(void){ _exit(0); }
