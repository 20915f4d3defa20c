int bad_branch(int n) {
  int x;
  if (n != 7)
    x = 1;
  if (x)
    n++;
  return n;
}

int bad_loop(int n) {
  int last;
  for (int i = 7; i < n; i++)
    last = i;
  return last ? 1 : 0;
}

int bad_again(int n) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    int x;
    if (i == 0)
      x = n;
    if (x == 7)
      sum++;
  }
  return sum;
}

int good_branches(int n) {
  int x;
  if (n == 7)
    x = 1;
  else
    x = 2;
  return x;
}

int good_flag(int n) {
  int x, set = 0;
  if (n == 7) {
    x = 3;
    set = 1;
  }
  return set ? x : 0;
}
