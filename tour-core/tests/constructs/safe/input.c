#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void) {
  char line[4];
  int n = 7, c = getchar();
  assert(c >= -1 && c < 256);
  if (fgets(line, sizeof line, stdin))
    assert(strlen(line) < 4);
  if (scanf("%d", &n) < 1)
    assert(n == 7);
  time_t now = 0, same = time(&now);
  assert(now == same);
  return 0;
}
