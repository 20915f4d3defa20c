int bad_pointer(int n) {
  char raw[1] = {n};
  _Bool *flag = (_Bool *)raw;
  return *flag;
}

int bad_union(int n) {
  union {
    unsigned char byte;
    _Bool flag;
  } both;
  both.byte = n;
  return both.flag;
}

int bad_address(int n) {
  _Bool flag = 0;
  *(unsigned char *)&flag = n;
  return flag;
}

int good_pointer(int n) {
  _Bool flag = n, *p = &flag;
  return *p;
}

int good_union(int n) {
  union {
    unsigned char byte;
    _Bool flag;
  } both;
  both.byte = n & 1;
  return both.flag;
}

int good_plain(int n) {
  _Bool flag = n;
  return flag;
}
