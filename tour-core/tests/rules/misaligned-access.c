#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  long next;
};

int bad_heap(int n) {
  char *block = malloc(16);
  if (!block)
    return 0;
  memset(block, 0, 16);
  int value = *(int *)(block + n % 2 * 3);
  free(block);
  return value;
}

int bad_member(int n) {
  char *block = calloc(2, sizeof(struct node));
  if (!block)
    return 0;
  struct node *p = (struct node *)(block + (n == 7 ? 4 : 8));
  int value = p->value;
  free(block);
  return value;
}

int bad_write(int n) {
  long *block = calloc(4, sizeof(long));
  if (!block)
    return 0;
  char *bytes = (char *)block;
  *(short *)(bytes + n) = 1;
  n = (int)block[0];
  free(block);
  return n;
}

#pragma pack(push, 1)
struct pair {
  char tag;
  int value;
};
#pragma pack(pop)

int bad_packed(int n) {
  struct pair *pair = malloc(sizeof *pair);
  if (!pair)
    return 0;
  int *p = &pair->value;
  *p = n;
  n = *p;
  free(pair);
  return n;
}

int good_packed(int n) {
  struct pair pair = {1, n}, *p = &pair;
  return p->value;
}

int good_element(int n) {
  int *block = calloc(8, sizeof(int)), *p = block;
  if (!block)
    return 0;
  p += n & 7;
  int value = *p;
  free(block);
  return value;
}

int good_offset(int n) {
  char *block = calloc(8, sizeof(int));
  if (!block)
    return 0;
  int value = *(int *)(block + (n & 7) * sizeof(int));
  free(block);
  return value;
}

int good_copy(int n) {
  char *block = malloc(8);
  int value;
  if (!block)
    return 0;
  memset(block, n, 8);
  memcpy(&value, block + 3, sizeof value);
  free(block);
  return value;
}
