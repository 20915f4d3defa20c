int bad_count(int n) { return 1u << (n + 25); }

int bad_negative(int n) { return 64 >> (6 - n); }

int bad_long(int n) { return 1ull >> (n * 10); }

int bad_value(int n) {
  int x = 1 << 28;
  return x << n;
}

int bad_negative_value(int n) {
  int x = -n;
  return x << 1;
}

int good_masked(int n) { return 1u << (n & 31); }

int good_small(int n) {
  unsigned char c = n;
  return c << 8;
}

int good_constant(int n) { return n >> 31; }
