#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

union number {
  float f;
  unsigned bits;
  unsigned char bytes[4];
};

struct bits {
  unsigned a : 3;
  int s : 4;
  unsigned long long c : 33;
  unsigned : 0;
  unsigned d : 1;
};

struct old {
  int n;
  char data[0];
};

struct flexible {
  int n;
  int data[];
};

struct __attribute__((packed)) packed {
  char a;
  int b;
};

struct named {
  int x, y;
  char name[4];
};

static struct named make(int a) {
  struct named made = {a, a + 1, "ab"};
  return made;
}

int main(void) {
  union number u;
  u.f = 1.0f;
  assert(u.bits == 0x3f800000 && u.bytes[3] == 0x3f);
  struct bits x = {0};
  x.a = 9;
  x.s = -3;
  x.c = 1ull << 32;
  x.d = 3;
  struct bits y = x, *z = &y;
  z->a++;
  assert(x.a == 1 && y.a == 2 && y.s == -3 && y.c == 1ull << 32 && y.d == 1);
  struct old *o = malloc(sizeof *o + 3);
  struct flexible *f = malloc(sizeof *f + 2 * sizeof(int));
  if (!o || !f)
    return 0;
  o->data[2] = 5;
  f->data[1] = 4;
  f->n = 2;
  assert(o->data[2] == 5 && f->data[1] == 4 && f->n == 2);
  free(o);
  free(f);
  struct named a = make(1), b;
  b = a;
  assert(b.y == 2 && b.name[1] == 'b' && make(4).x == 4);
  assert(sizeof(struct packed) == 5 && offsetof(struct packed, b) == 1 && offsetof(struct named, name[2]) == 10);
  struct named p, q;
  memset(&p, 0, sizeof p);
  memset(&q, 0, sizeof q);
  assert(memcmp(&p, &q, sizeof p) == 0);
  return 0;
}
