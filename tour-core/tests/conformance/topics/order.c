static int log_of; static int step(int k) { log_of = log_of * 10 + k; return k; }
static int two(int a, int b) { return a * 10 + b; }
static int n; static int bump(void) { return ++n; } static int reset(void) { n = 5; return 100; }
struct p { int a, b; };
//= log_of = 0; (void)(step(1) && step(2)); => log_of
//= log_of = 0; (void)(step(1), step(2), step(3)); => log_of
//= log_of = 0; (void)(step(1) ? step(2) : step(3)); => log_of
//= log_of = 0; for (int i = step(1); i < step(3); i += step(2)) ; => log_of
//= log_of = 0; int a = step(1), b = step(2); => log_of + a + b
//= log_of = 0; if (step(1) || step(2)) step(3); => log_of
//= n = 0; int x = bump() , y = bump(); => x * 10 + y
//= n = 0; n = n + 1; n += n; => n
//= int i = 0; i = i++ + 1 > 0 ? 7 : 8; => i
//= int i = 1; i = (i++, i + 10); => i
//= int i = 1; int j = i++ + 10; => i * 100 + j
//= int i = 3; int j = i++ && i == 4; => j
//= int i = 3; int j = i-- || i == 4; => i
//= int a[3] = { 0 }; int i = 0; a[i] = i + 1; i++; a[i] = i + 1; => a[0] * 10 + a[1]
//= int x = 1, y = 2; x ^= y; y ^= x; x ^= y; => x * 10 + y
//= n = 0; int x = 0; x = bump() ? n : 9; => x
//? log_of = 0; (void)two(step(1), step(2)); => log_of
//? log_of = 0; (void)(step(1) + step(2)); => log_of
//? log_of = 0; (void)(step(1) * step(2) - step(3)); => log_of
//? n = 1; => n + reset()
//? n = 1; => reset() + n
//? n = 1; => two(n, reset())
//? n = 1; => two(bump(), bump())
//? n = 1; n += reset(); => n
//? n = 1; n = n + reset(); => n
//? n = 1; n -= bump(); => n
//? n = 1; n = n * 10 + bump(); => n
//? n = 0; int a[3] = { 0 }; a[n] = bump(); => a[0] * 10 + a[1]
//? n = 0; struct p s = { .b = bump(), .a = bump() }; => s.a * 10 + s.b
//? n = 0; struct p s = { bump(), bump() }; => s.a * 10 + s.b
//? n = 0; int a[2] = { bump(), bump() }; => a[0] * 10 + a[1]
//? n = 0; => bump() - bump()
//? n = 0; => bump() < bump()
//? n = 0; => bump() << bump()
//? n = 3; int *p = &n; => *p + bump()
//? n = 3; int *p = &n; *p += bump(); => n
//? n = 3; int *p = &n; *p = *p - reset(); => n
//? n = 3; => (n, n) + reset()
//? n = 3; => (n ? n : 0) + bump()
//? n = 3; => -n * reset()
//? n = 3; => (long)n + reset()
//? n = 3; int x = 0; x = n + (bump(), 10); => x
//? n = 0; int a[3] = { 7, 8, 9 }; => a[n] + bump()
//? n = 0; int a[3] = { 7, 8, 9 }; => a[bump()] + n
//? n = 0; int a[3] = { 7, 8, 9 }; => two(a[n], bump())
//? n = 0; struct p s = { n, bump() }; => s.a * 10 + s.b
//? n = 0; int x = n + bump() + n; => x
