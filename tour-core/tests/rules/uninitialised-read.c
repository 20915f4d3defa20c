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
  if (last)
    return 1;
  return 0;
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

void *malloc(unsigned long size);
void *calloc(unsigned long count, unsigned long size);
void free(void *block);
void *memcpy(void *to, const void *from, unsigned long size);
struct pair {
  int left;
  int right;
};
union word {
  int number;
  unsigned char bytes[4];
};

int bad_array(int n) {
  int a[8];
  for (int i = 0; i < n; i++)
    a[i] = i;
  if (a[7])
    n++;
  return n;
}

int bad_member(int n) {
  struct pair p;
  p.left = n;
  if (p.right)
    n++;
  return n;
}

int bad_address(int n) {
  int x, *p = &x;
  if (n != 7)
    *p = 1;
  if (x)
    n++;
  return n;
}

int bad_block(int n) {
  int *p = malloc(2 * sizeof *p);
  p[0] = n;
  if (p[n == 7])
    n++;
  free(p);
  return n;
}

int bad_copy_of_a_member(int n) {
  struct pair p, q;
  p.left = n;
  q = p;
  if (q.right)
    n++;
  return n;
}

int bad_copy_of_bytes(int n) {
  struct pair p, q;
  p.left = n;
  memcpy(&q, &p, sizeof q);
  if (q.right == 3)
    n++;
  return n;
}

int bad_byte(int n) {
  union word w;
  for (int i = 0; i < n - 4; i++)
    w.bytes[i] = 0;
  if (w.number)
    n++;
  return n;
}

int bad_second_life(int n) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    struct pair p;
    if (i == 0)
      p.right = n;
    if (p.right)
      sum++;
  }
  return sum;
}

int good_array(int n) {
  int a[8];
  for (int i = 0; i < 8; i++)
    a[i] = i;
  return n >= 0 && n < 8 ? a[n] : 0;
}

int good_members(int n) {
  struct pair p;
  p.left = n & 1;
  p.right = 1;
  return p.left + p.right;
}

static void keep(int *p, int n) { *p = n; }

int good_address(int n) {
  int x;
  keep(&x, n);
  return x;
}

int good_block(int n) {
  int *p = malloc(2 * sizeof *p), *q = calloc(2, sizeof *q);
  p[0] = 1;
  int sum = p[0] + q[1];
  free(p);
  free(q);
  return sum;
}

/* What was not set is copied, and nobody looks at it. */
int good_copies(int n) {
  struct pair p, q, r;
  unsigned char *to = (unsigned char *)&r, *from = (unsigned char *)&p;
  p.left = n & 1;
  q = p;
  memcpy(&p, &q, sizeof p);
  for (unsigned i = 0; i < sizeof r; i++)
    to[i] = from[i];
  return r.left;
}

int good_bytes(int n) {
  union word w;
  for (int i = 0; i < 4; i++)
    w.bytes[i] = n & 1;
  return w.number & 1;
}
