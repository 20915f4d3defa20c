#include <assert.h>

struct point {
  int x, y;
  int more[4];
};

struct value {
  int kind;
  union {
    int whole;
    struct {
      short low, high;
    };
  };
};

static const char *names[] = {"a", "bc", 0};
char text[] = "hey";

int main(void) {
  struct point p = {.y = 2, .more = {[1] = 5, [2 ... 3] = 7}};
  int sparse[] = {[3] = 1};
  assert(p.x == 0 && p.y == 2 && p.more[1] == 5 && p.more[3] == 7 && sizeof sparse == 4 * sizeof(int));
  struct point *q = &(struct point){1, 2};
  int *numbers = (int[]){1, 2, 3};
  assert(q->y == 2 && numbers[2] == 3);
  struct value v = {.kind = 1, .whole = 0x00020001};
  assert(v.low == 1 && v.high == 2);
  int n = 0;
  for (const char **name = names; *name; name++)
    n++;
  assert(n == 2 && names[1][1] == 'c' && sizeof text == 4 && text[2] == 'y');
  return 0;
}
