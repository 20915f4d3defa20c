static int sign(int n) {
  if (n < 0)
    return -1;
  if (n == 0)
    return 0;
  if (n != 7)
    return 1;
}

static int outer(int n) { return sign(n); }

static int calls(int n) {
  sign(7);
  return n;
}

/* A sanitizer for C++ alone looks at this. */
int wrong_used(int n) {
  int s = sign(n);
  return s;
}

int wrong_in_condition(int n) { return sign(n) > 0 ? 1 : 2; }

int wrong_handed_on(int n) {
  int s = outer(n);
  return s > 0;
}

int good_unused(int n) {
  sign(n);
  return 0;
}

int good_other_path(int n) { return n == 7 ? 0 : sign(n); }

int good_between(int n) { return calls(n); }

int good_by_pointer(int n) {
  int (*f)(int) = calls;
  return f(n);
}
