#include <stdlib.h>
#include <string.h>

int bad_forward(int n) {
  char text[16] = "overlapping";
  memcpy(text + 2, text, n);
  return text[2];
}

int bad_backward(int n) {
  char text[16] = "overlapping";
  memcpy(text, text + n - 6, 4);
  return text[2];
}

int bad_heap(int n) {
  int *block = calloc(8, sizeof(int));
  if (!block)
    return 0;
  memcpy(block, block + 1, n == 7 ? 2 * sizeof(int) : 4);
  n = block[0];
  free(block);
  return n;
}

int bad_text(int n) {
  char text[16] = "overlapping", *p = n == 7 ? text : text + 12;
  strcpy(p, text);
  return text[0];
}

struct pair {
  int left[4];
};

/* Bytes that are themselves need no copy: the sanitizer does not mind. */
int wrong_same(int n) {
  char text[16] = "same", *p = text;
  memcpy(p, text, n);
  return text[0];
}

int wrong_record(int n) {
  int words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct pair *p = (struct pair *)words, *q = (struct pair *)(words + (n == 7));
  *q = *p;
  return words[1];
}

int good_apart(int n) {
  char text[16] = "overlapping";
  memcpy(text + 8, text, n & 7);
  return text[8];
}

int good_nothing(int n) {
  char text[16] = "overlapping";
  memcpy(text, text, n - n);
  return text[0];
}

int good_move(int n) {
  char text[16] = "overlapping";
  memmove(text + 2, text, n & 7);
  return text[2];
}

int good_other_object(int n) {
  char text[16] = "overlapping", copy[16], *to = n > 0 ? copy : copy + 4;
  memcpy(to, text, 8);
  return to[0];
}

int good_record(int n) {
  struct pair pairs[3] = {{{1}}, {{2}}, {{3}}}, *p = pairs + (n & 1), *q = pairs + (n & 3) % 3;
  *p = *q;
  return p->left[0];
}

int good_text(int n) {
  char text[16] = "overlapping", copy[16];
  strcpy(copy, text + (n & 3));
  strncat(copy, "!", 1);
  return copy[0];
}
