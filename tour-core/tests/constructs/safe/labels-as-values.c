#include <assert.h>
static int run(const unsigned char *code, int x) {
  static const void *table[] = {&&add, &&twice, &&stop};
  void *last = &&stop;
  int pc = 0;
  goto *table[code[pc++]];
add:
  x += 1;
  {
    int y = x;
    x = y;
    goto *table[code[pc++]];
  }
twice:
  x *= 2;
  goto *table[code[pc++]];
stop:
  return last == &&add ? -1 : x;
}
int main(void) {
  unsigned char code[4] = {0, 1, 0, 2};
  assert(run(code, 3) == 9);
  return 0;
}
