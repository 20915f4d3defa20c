#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static const operation operations[] = {add, sub};

struct hooks {
  void *(*make)(size_t);
  void (*end)(void *);
};

static struct hooks hooks = {malloc, free};

struct pair {
  int a, b;
};

#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

static int table[3][4][2];

int main(void) {
  assert(operations[0](5, 3) == 8 && operations[1](5, 3) == 2);
  int *block = hooks.make(sizeof(int));
  if (!block)
    return 0;
  *block = 3;
  assert(*block == 3);
  hooks.end(block);
  int (*absolute)(int) = abs;
  assert(absolute(-3) == 3);
  struct pair pair = {1, 2};
  assert(container_of(&pair.b, struct pair, b)->a == 1);
  uintptr_t address = (uintptr_t)&pair.b;
  assert(*(int *)address == 2);
  int (*row)[2] = table[1];
  row[2][1] = 7;
  assert(table[1][2][1] == 7);
  int n = 3, variable[n];
  for (int i = 0; i < n; i++)
    variable[i] = i;
  assert(variable[n - 1] == 2 && sizeof variable == 3 * sizeof(int));
  int other = 3, *p = &other, *q;
  memcpy(&q, &p, sizeof p);
  assert(*q == 3);
  int left = 5, steps = 0;
  switch (left % 2) {
  case 0:
    do {
      steps++;
    case 1:
      steps++;
    } while (--left > 3);
  }
  assert(steps == 3);
  return 0;
}
