static int classify(int n) { switch (n) { case 0: return 10; case 1: case 2: return 20; case -5 ... -1: return 30; default: return 40; } }
static int through(int n) { int r = 0; switch (n) { case 1: r += 1; case 2: r += 2; break; case 3: r += 4; default: r += 8; } return r; }
static int middle(int n) { int r = 0; switch (n) { default: r = 1; case 5: r += 10; break; case 6: r = 100; } return r; }
static int unsigned_switch(unsigned n) { switch (n) { case -1: return 1; case 4294967294u: return 2; default: return 3; } }
static int long_switch(long n) { switch (n) { case 4294967296: return 1; case 0: return 2; default: return 3; } }
static int char_switch(char c) { switch (c) { case 'a' ... 'z': return 1; case '\377': return 2; case 128: return 3; default: return 4; } }
static int device(int count) { int r = 0, n = (count + 3) / 4; switch (count % 4) { case 0: do { r++; case 3: r++; case 2: r++; case 1: r++; } while (--n > 0); } return r; }
static int jump(int n) { int r = 0; again: r += n; if (--n > 0) goto again; if (r > 10) goto big; return r; big: return -r; }
static int into(int n) { int r = 1; if (n) goto inside; while (r < 50) { r *= 3; inside: r += 2; } return r; }
static int computed(int n) { static void *labels[] = { &&zero, &&one, &&two }; int r = 0; goto *labels[n]; zero: r += 1; one: r += 10; two: r += 100; return r; }
static int breaks(void) { int r = 0; for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { if (j == 3) break; if (j == 1) continue; r++; } if (i == 3) break; } return r; }
static int nested(int a, int b) { switch (a) { case 1: switch (b) { case 1: return 11; default: break; } return 12; case 2: return 2; } return 0; }
static int once(void) { int n = 0; do n++; while (0); return n; }
static int loop_switch(void) { int r = 0; for (int i = 0; i < 6; i++) { switch (i) { case 2: continue; case 4: break; default: r += i; } r += 100; } return r; }
static int empty(int n) { for (;;) { if (n-- < 0) break; } return n; }
static int early(int n) { if (n > 0) { if (n > 10) return 1; } else return 2; return 3; }
static int vanish(int n) { { int x = n; { int x = 7; n += x; } n += x; } return n; }
static int calls; static int count(int r) { calls++; return r; }
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int); static int even(int n) { return n == 0 ? 1 : odd(n - 1); } static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static unsigned collatz(unsigned n) { unsigned s = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; s++; } return s; }
//= classify(0)
//= classify(IN(i32, 2))
//= classify(IN(i32, -5))
//= classify(-6)
//= classify(IN(i32, 3))
//= through(1)
//= through(IN(i32, 2))
//= through(3)
//= through(IN(i32, 9))
//= middle(5)
//= middle(6)
//= middle(IN(i32, 7))
//= unsigned_switch(IN(u32, 4294967295u))
//= unsigned_switch(IN(u32, 4294967294u))
//= unsigned_switch(1)
//= long_switch(IN(i64, 4294967296))
//= long_switch(0)
//= long_switch(IN(i64, 8589934592))
//= char_switch('q')
//= char_switch(IN(ch, -1))
//= char_switch(IN(ch, -128))
//= char_switch('A')
//= device(7)
//= device(8)
//= device(IN(i32, 1))
//= jump(3)
//= jump(5)
//= jump(IN(i32, 4))
//= into(0)
//= into(1)
//= into(IN(i32, 3))
//= computed(0)
//= computed(1)
//= computed(IN(i32, 2))
//= breaks()
//= nested(1, 1)
//= nested(1, IN(i32, 2))
//= nested(2, 2)
//= nested(IN(i32, 3), 1)
//= once()
//= loop_switch()
//= empty(3)
//= early(5)
//= early(50)
//= early(IN(i32, -5))
//= vanish(1)
//= vanish(IN(i32, 20))
//= calls = 0; (void)(count(0) && count(1)); => calls
//= calls = 0; (void)(count(1) && count(1)); => calls
//= calls = 0; (void)(count(1) || count(1)); => calls
//= calls = 0; (void)(count(0) || count(0)); => calls
//= calls = 0; (void)(count(0) ? count(1) : 5); => calls
//= calls = 0; int r = count(3) ? count(4) : count(5); => r * 10 + calls
//= calls = 0; int r = (count(3), count(4)); => r * 10 + calls
//= calls = 0; int r = count(3) ?: count(7); => r * 10 + calls
//= calls = 0; int r = count(0) ?: count(7); => r * 10 + calls
//= calls = 0; (void)sizeof(count(1)); => calls
//= calls = 0; (void)sizeof(int[3]); => calls
//= calls = 0; __typeof__(count(1)) x = 2; => calls + x
//= calls = 0; (void)_Generic(count(1), int: 1, default: 2); => calls
//= calls = 0; switch (count(2)) { case 2: calls += 10; } => calls
//= calls = 0; switch (count(2)) ; => calls
//= calls = 0; switch (count(2)) { } => calls
//= calls = 0; switch (count(2)) { default: ; } => calls
//= calls = 0; if (count(0)) ; else ; => calls
//= calls = 0; for (count(1); count(0); count(1)) ; => calls
//= calls = 0; while (count(0)) ; => calls
//= calls = 0; do ; while (count(0)); => calls
//= calls = 0; count(1) + count(2); => calls
//= calls = 0; (void)count(1); => calls
//= calls = 0; !count(1); => calls
//= calls = 0; (count(1), 0); => calls
//= calls = 0; int a[2] = { count(1), count(1) }; => calls + a[0]
//= calls = 0; int r = count(1) == count(1) == count(1); => r * 10 + calls
//= fact(5)
//= fact(IN(i32, 6))
//= fib(10)
//= fib(IN(i32, 6))
//= even(7)
//= even(IN(i32, 4))
//= ack(2, 2)
//= gcd(84, 36)
//= gcd(IN(i32, 17), 5)
//= collatz(27)
//= int r = 0; for (int i = 0; i < 10; i++) if (i % 2) r += i; else r -= i; => r
//= int i = 5; for (int i = 0; i < 3; i++) ; => i
//= int i; for (i = 0; i < 3; i++) ; => i
//= int i = 10; while (i-- > 3) ; => i
//= int i = 0, j = 10; for (; i < j; i++, j--) ; => i * 100 + j
//= int x = 0; if (0) dead: x = 5; else { if (!x) goto dead; } => x
//= int x = 1; { int x = 2; { int x = 3; } } => x
//= int x = 1; { extern int other_x; int y = x; x = y + 1; } => x
//= int x = 3; int r = ({ int y = x; y * 2; }); => r
//= int r = ({ int s = 0; for (int i = 0; i < 4; i++) s += i; s; }); => r
//= int r = 1 ? 2 ? 3 : 4 : 5; => r
//= int r = 0 ? 2 : 0 ? 3 : 4; => r
//= int x = 5; => (x > 3) + (x > 4) + (x > 5)
//= int x = 5; => 1 < x < 3
//= int x = 5; => -1 < (int)sizeof x
//= int x = 5; => -1 < sizeof x
//= int x = 6; => x & 1 == 0
//= int x = 6; => x << 1 + 1
//= int x = 2; x <<= x; => x
//= int x = 2; => - -x
//= int x = 2; => -x * - -x
//= int x = 2; => !!x
//= int x = 0; => !x == 1
//= int x = 7, y = 2; => x / y * y + x % y
//= int x = -7, y = 2; => x / y * 10 + x % y
//= int x = -7; => x >> 1
//= int x = -7; => x / 2
//= unsigned x = -7; => x >> 28
//= int x = -7; => (unsigned)x / 2 > 1000
//= __label__ l; int x = 0; l: x++; if (x < 3) goto l; => x
