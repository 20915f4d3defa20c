static int held;

static int add(int a, int b) { return a + b; }

static int next(int n) { return held += n & 3; }

/* Compilers warn; nothing is there to be seen at run time. */
int wrong_assigned(int n) {
  int i = n & 7;
  i = i++;
  return i;
}

int wrong_read(int n) {
  int i = n & 7;
  return i + i++;
}

int wrong_arguments(int n) {
  int i = n & 7;
  return add(i++, i);
}

int wrong_index(int n) {
  int a[9] = {0}, i = n & 7;
  a[i] = i++;
  return a[0];
}

int good_own_value(int n) {
  int i = n & 7;
  i = i + 1;
  i += 2;
  return i;
}

int good_comma(int n) {
  int i = n & 7;
  return (i++, i);
}

int good_and(int n) {
  int i = n & 7;
  return i++ && i > 1;
}

int good_elements(int n) {
  int a[2] = {n & 7, 1}, i = 0;
  a[0] = a[1]++ + i;
  return a[0];
}

int good_calls(int n) {
  held = 0;
  return next(n) + next(n) > 100;
}
