// SAFE: the machine mode of an enumeration
#include <assert.h>
enum e {A,B} __attribute__((mode(QI)));
int main(void){ assert(sizeof(enum e)==1); return 0; }
