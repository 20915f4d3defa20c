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
