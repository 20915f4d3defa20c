// SAFE: OpenMP is a comment without its flag
#include <assert.h>
int main(void){ int s=0;
#pragma omp parallel for
for(int i=0;i<3;i++) s++; assert(s==3); return 0; }
