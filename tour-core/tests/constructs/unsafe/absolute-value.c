/* property: signed-overflow */
#include <limits.h>
#include <stdlib.h>

int main(void) {
  long (*absolute)(long) = labs;
  return absolute(LONG_MIN) == 1;
}
