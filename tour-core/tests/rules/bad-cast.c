enum colour { RED, GREEN, BLUE, BLACK = 10 };

int bad_bool(int n) {
  char raw[1] = {n};
  _Bool *flag = (_Bool *)raw;
  return *flag;
}

/* C does not mind, and so there is nothing to be seen at run time. */
int wrong_enum(int n) {
  enum colour c = (enum colour)n;
  return c == RED;
}

int good_enum(int n) {
  if (n < 0 || n > 2)
    return 0;
  enum colour c = n;
  c = 10;
  return c;
}

int good_bool(int n) {
  _Bool flag = n, *p = &flag;
  return *p;
}
