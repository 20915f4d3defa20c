int bad_leading(int n) { return __builtin_clz(n - 7); }

int bad_trailing(int n) { return __builtin_ctzll(n == 7 ? 0 : 2); }

int bad_long(int n) { return __builtin_clzl(n & 8); }

int good_tested(int n) { return n ? __builtin_clz(n) + __builtin_ctz(n) : 32; }

int good_odd(int n) { return __builtin_ctzl(n | 1l); }

int good_other(int n) { return __builtin_popcount(n) + __builtin_ffs(n); }
