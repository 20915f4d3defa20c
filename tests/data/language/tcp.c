// SAFE: compatible types
#include <assert.h>
enum e{A}; int main(void){ assert(__builtin_types_compatible_p(enum e,unsigned)); assert(!__builtin_types_compatible_p(enum e,int)); assert(__builtin_types_compatible_p(const int,int)); assert(!__builtin_types_compatible_p(int*,const int*)); assert(__builtin_types_compatible_p(int[],int[5])); return 0; }
