#include <stdarg.h>
#include <stddef.h>
struct small { char c; }; struct pair { int a, b; }; struct mixed { char c; double d; short s; };
struct big { int v[20]; }; struct fl { float x, y, z; }; struct nest { struct pair p[2]; struct small s; };
union un { int i; float f; char c[4]; };
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
static int twice(int (*f)(int, int), int x) { return f(x, x); }
static int (*choose(int n))(int, int) { return n ? add : sub; }
static int (*const table[])(int, int) = { add, sub, add };
typedef int operation(int, int);
static int apply(operation f, int a, int b) { return f(a, b); }
static struct pair make(int a, int b) { struct pair p = { a, b }; return p; }
static struct pair turned(struct pair p) { int t = p.a; p.a = p.b; p.b = t; return p; }
static struct mixed mix(struct mixed m) { m.d *= 2; m.c++; return m; }
static struct big fill(int n) { struct big b; for (int i = 0; i < 20; i++) b.v[i] = n + i; return b; }
static int total(struct big b) { int s = 0; for (int i = 0; i < 20; i++) s += b.v[i]; b.v[0] = 99; return s; }
static struct fl scale(struct fl v, float k) { return (struct fl){ v.x * k, v.y * k, v.z * k }; }
static struct nest deep(struct nest n) { n.p[1] = turned(n.p[0]); n.s.c = 3; return n; }
static union un wrap(int i) { union un u; u.i = i; return u; }
static int counter(void) { static int n = 5; return n++; }
static int *cell(void) { static int n; return &n; }
static int same_name_1(void) { static int n = 1; return n += 1; } static int same_name_2(void) { static int n = 10; return n += 1; }
static int first_static(int k) { static int seen = 0; if (!seen) seen = k; return seen; }
static int sum(int n, ...) { va_list l; int s = 0; va_start(l, n); while (n-- > 0) s += va_arg(l, int); va_end(l); return s; }
static double fsum(int n, ...) { va_list l; double s = 0; va_start(l, n); while (n-- > 0) s += va_arg(l, double); va_end(l); return s; }
static long lsum(const char *kinds, ...) { va_list l; long s = 0; va_start(l, kinds); for (; *kinds; kinds++) switch (*kinds) { case 'i': s += va_arg(l, int); break; case 'l': s += va_arg(l, long); break; case 'd': s += (long)va_arg(l, double); break; case 'u': s += va_arg(l, unsigned); break; case 's': s += *va_arg(l, char *); break; case 'p': s += va_arg(l, struct pair).b; break; case 'b': s += va_arg(l, struct big).v[3]; break; } va_end(l); return s; }
static int vsum(int n, va_list l) { int s = 0; while (n-- > 0) s += va_arg(l, int); return s; }
static int forward(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); int r = vsum(n, l) * 100 + vsum(n, m); va_end(l); va_end(m); return r; }
static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
static double doubles(double a, float b, double c, int d, long double e) { return a + b * 2 + c * 3 + d * 4 + e * 5; }
static int old_style(a, b) char a; float b; { return a + (int)b; }
static int array_parameter(int a[10]) { return sizeof a; } static int two(int a[][3]) { return a[1][2]; } static int at_least(int a[static 2]) { return a[1]; }
static void nothing(void) { } static int narrow(signed char c) { return c; } static unsigned char give(int n) { return n; } static _Bool truth(int n) { return n; }
static inline int inlined(int x) { return x * 3; } extern inline __attribute__((always_inline, gnu_inline)) int always(int x) { return x + 4; }
static int change(int x) { x = 5; return x; } static void set(int *p) { *p = 6; } static void set_struct(struct pair p) { p.a = 7; } static void set_pointed(struct pair *p) { p->a = 8; }
static int defaulted(); static int defaulted(int x) { return x; }
static float ff(float x) { return x / 3; } static long double lf(long double x) { return x / 3; } static char *text(void) { return "text"; }
static int global = 3; static int *pointer = &global; static int (*const fp)(int, int) = sub; static int shadow = 4; static int use_shadow(void) { int shadow = 9; { extern int outer_v; } return shadow; }
int outer_v = 12; extern int outer_v; int tentative; int tentative; int tentative = 21; static int internal; static int internal; extern int internal;
static int by_extern(void) { extern int outer_v; return outer_v; }
static void cleaned(int *p) { global = *p; } static int cleanup_order(void) { int r; { __attribute__((cleanup(cleaned))) int x = 40; x++; } r = global; global = 3; return r; }
static int deep_recursion(int n) { int local[4] = { n, n, n, n }; return n == 0 ? 0 : local[n % 4] + deep_recursion(n - 1); }
static int weak_one(void) __attribute__((unused)); static int weak_one(void) { return 1; }
//= add(1, 2)
//= twice(add, 4)
//= twice(&sub, IN(i32, 4))
//= choose(1)(5, 3)
//= choose(IN(i32, 0))(5, 3)
//= (*choose(0))(5, 3)
//= (***add)(5, 3)
//= table[1](9, 4)
//= table[IN(i32, 2)](9, 4)
//= apply(sub, 9, IN(i32, 4))
//= int (*f)(int, int) = add; f = sub; => f(1, 2)
//= int (*f)(int, int) = IN(i32, 1) ? add : sub; => f(1, 2)
//= add == add
//= add == sub
//= (void *)add != 0
//= !add
//= choose(1) == add
//= fp(3, 1)
//= sizeof(table) / sizeof(table[0])
//= TYPE(change)
//= TYPE(&change)
//= make(1, 2).b
//= make(IN(i32, 1), 2).a
//= turned(make(1, IN(i32, 2))).a
//= turned(turned(make(3, 4))).a
//= struct pair p = { 1, 2 }; struct pair q = turned(p); => p.a * 10 + q.a
//= struct pair p = { 1, 2 }, q; q = p; p.a = 5; => q.a
//= struct pair a[2] = { { 1, 2 }, { 3, 4 } }; a[0] = a[1]; => a[0].b
//= struct pair a[2] = { { 1, 2 }, { 3, 4 } }; struct pair *p = a; *p = p[1]; p->a++; => a[0].a * 10 + a[1].a
//= struct pair p = { 1, 2 }; p = (struct pair){ p.b, p.a }; => p.a
//= struct pair p = { 1, 2 }; p = turned(p); => p.a * 10 + p.b
//= struct mixed m = { 'a', 1.5, 7 }; => mix(m).d
//= struct mixed m = { 'a', 1.5, 7 }; => mix(m).c + mix(m).s
//= fill(3).v[4]
//= total(fill(IN(i32, 1)))
//= struct big b = fill(0); (void)total(b); => b.v[0]
//= struct fl v = { 1, 2, 3 }; => scale(v, 2.5f).z
//= struct nest n = { { { 1, 2 } } }; => deep(n).p[1].a * 10 + deep(n).s.c
//= struct nest n = { { { 1, 2 } } }; n = deep(n); => n.p[1].b
//= wrap(65).c[0]
//= wrap(IN(i32, 0x3f800000)).f
//= (IN(i32, 1) ? make(1, 2) : make(3, 4)).b
//= struct pair p; => (p = make(1, 2)).a
//= struct pair p; => (p = make(1, 2), p.b)
//= struct pair p = make(5, 6), *q = &p; => q->b
//? counter() * 0 + counter()
//= counter(); counter(); => *cell()
//= *cell() = 4; => *cell()
//= (*cell())++; *cell() += 3; => *cell() > 0
//= same_name_1() * 0 + same_name_2()
//= (void)first_static(IN(i32, 3)); => first_static(9)
//= sum(0)
//= sum(3, 1, 2, 3)
//= sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
//= sum(2, IN(ch, 'a'), IN(i16, -3))
//= sum(3, 1, IN(i32, 2), 3, 4, 5)
//= fsum(2, 1.5, 2.5f)
//= fsum(9, 1., 2., 3., 4., 5., 6., 7., 8., IN(f64, 9.5))
//= lsum("il", 1, 2l)
//= lsum("dil", 1.5, 2, 3l)
//= lsum("uuu", 1u, 2u, IN(u32, 4294967295u))
//= lsum("s", "A")
//= struct pair p = { 4, 5 }; => lsum("ip", 1, p)
//= lsum("ibi", 1, fill(10), 7)
//= lsum("iiiiiiiil", 1, 2, 3, 4, 5, 6, 7, 8, 9l)
//= lsum("ddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9.)
//= lsum("didididididi", 1., 2, 3., 4, 5., 6, 7., 8, 9., 10, 11., IN(i32, 12))
//= forward(3, 1, 2, 3)
//= forward(1, IN(i32, 7))
//= many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
//= many(1, 1, 1, 1, 1, 1, 1, 1, IN(i32, 2), 1)
//= doubles(1, 2, 3, 4, 5)
//= doubles(IN(f64, .5), IN(f32, .25f), 1, IN(i32, -1), 2)
//= old_style(65, 2.5)
//= old_style(IN(i32, 300), 2.5)
//= int a[10]; => array_parameter(a)
//= int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; => two(a)
//= int a[3] = { 1, 2, 3 }; => at_least(a + 1)
//= narrow(IN(i32, 200))
//= narrow(IN(i32, -129))
//= give(IN(i32, 300))
//= give(-1)
//= truth(IN(i32, 256))
//= truth(0)
//= inlined(7)
//= always(7)
//= change(1)
//= int x = 1; change(x); => x
//= int x = 1; set(&x); => x
//= struct pair p = { 1, 2 }; set_struct(p); => p.a
//= struct pair p = { 1, 2 }; set_pointed(&p); => p.a
//= defaulted(IN(i32, 4))
//= ff(1)
//= ff(IN(i32, 16777217))
//= (double)lf(1)
//= text()[2]
//= *pointer
//= use_shadow()
//= by_extern()
//= tentative
//= internal
//= cleanup_order()
//= deep_recursion(20)
//= deep_recursion(IN(i32, 7))
//= weak_one()
//= (add)(1, 2)
//= (&add)(1, 2)
//= (nothing(), 3)
//= sizeof(make(1, 2))
//= sizeof(struct big)
//= add(add(1, 2), add(IN(i32, 3), 4))
//= add(1, 2) + add(3, 4) * sub(5, 6)
//= TYPE(give(3))
//= TYPE(ff(3))
//= TYPE(text())
//= __builtin_choose_expr(1, 4, "x")
//= __builtin_constant_p(4)
//= __func__[0]
//= sizeof(__func__) > 4
//= int (*f)(int) = change; => (*f)(2)
//= int (*f[2])(int) = { change, inlined }; => f[IN(i32, 1)](5)
//= struct { int (*op)(int, int); } s = { sub }; => s.op(4, 1)
//= struct { int (*op)(int, int); } s = { sub }, *p = &s; => p->op(4, IN(i32, 1))
//= int (*volatile f)(int, int) = add; => f(2, 2)
