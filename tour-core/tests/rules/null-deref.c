#include <stdio.h>

struct node {
  int value;
  struct node *next;
};

int bad_read(int n) {
  int *p = n == 7 ? 0 : &n;
  return *p;
}

int bad_member(int n) {
  struct node last = {n, 0};
  return last.next->value;
}

int bad_element(int n) {
  int *p = 0;
  return p[n];
}

int bad_call(int n) {
  int (*f)(int) = n == 7 ? 0 : bad_read;
  return f(n);
}

int good_tested(int n) {
  int *p = n == 7 ? 0 : &n;
  return p && *p;
}

int good_list(int n) {
  struct node second = {n, 0}, first = {1, &second};
  int sum = 0;
  for (struct node *at = &first; at; at = at->next)
    sum ^= at->value;
  return sum;
}

/* Compilers leave such a read out. */
int wrong_discarded(int n) {
  int *p = n == 7 ? 0 : &n;
  *p;
  return 0;
}

int wrong_void(int n) {
  struct node *p = 0, last = {n, 0};
  if (n != 7)
    p = &last;
  (void)p->value;
  return 0;
}

int bad_comma(int n) {
  int *p = n == 7 ? 0 : &n;
  return (n == 7 ? *p : 0, 3);
}

/* glibc has a text for it. */
int wrong_printed(int n) {
  char *text = n == 7 ? 0 : "text";
  printf("%s\n", text);
  return 0;
}

int good_discarded(int n) {
  int *p = &n;
  *p, (void)*p;
  (void)n;
  struct node first = {n, 0};
  first;
  first.next;
  return 0;
}
