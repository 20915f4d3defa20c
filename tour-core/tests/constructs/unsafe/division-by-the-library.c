/* property: division-by-zero */
#include <stdlib.h>

int main(void) { return div(1, 0).quot; }
