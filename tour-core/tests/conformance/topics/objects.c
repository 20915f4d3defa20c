#include <stddef.h>
#include <string.h>
#include <stdlib.h>
enum small { A, B = 5, C, D = -3, E }; enum large { L = 0x80000000u }; enum wide { W = 1l << 40, V }; enum alike { X1 = 2, X2 = 2 }; enum __attribute__((packed)) tiny { T1, T2 = 200 };
union u { int i; unsigned char c[8]; float f; double d; long l; struct { short lo, hi; }; };
struct flex { int n; int data[]; }; struct zero { int n; int data[0]; }; struct empty { }; struct self { struct self *p; int v; };
struct anon { int a; union { int b; float c; }; struct { int d; }; }; struct packed { char c; int i; } __attribute__((packed)); struct al { _Alignas(16) char c; int i; };
static int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return sizeof a + a[n - 1]; }
static int vla2(int n, int m) { int a[n][m]; a[n - 1][m - 1] = 7; return sizeof a * 100 + sizeof a[0] * 10 + a[n - 1][m - 1]; }
static int vla_parameter(int n, int m, int a[n][m]) { return a[1][0] * 100 + sizeof a[0]; }
static int vla_pointer(int n) { int a[2][n]; int (*p)[n] = a; p[1][0] = 4; return (char *)(p + 1) - (char *)p + a[1][0]; }
static int vla_loop(void) { int s = 0; for (int n = 1; n < 5; n++) { char a[n]; s += sizeof a; } return s; }
static int vla_size(int n) { int k = n; int a[k++]; return sizeof a * 10 + k; }
static int vla_typedef(int n) { typedef int row[n]; n = 100; row r; return sizeof r; }
static int size_effect(int n) { int s = sizeof(int[n++]); return s * 10 + n; }
static int size_no_effect(int n) { int s = sizeof(n++); return s * 10 + n; }
static int typeof_effect(int n) { __typeof__(int[n++]) *p; p = 0; return n; }
static int *literal(int k) { static int kept; kept = *(int[]){ k }; return &kept; }
static int loop_literal(void) { int s = 0; for (int i = 0; i < 3; i++) { int *p = (int[2]){ i }; p[1] += i; s += p[0] + p[1]; } return s; }
static const char *const names[] = { "zero", "one", [3] = "three" };
static int *file_literal = (int[]){ 4, 5, 6 }; static struct self me = { &me, 8 }; static char *end_of = (char *)&me + sizeof me; static int *second = &((int[]){ 1, 2 })[1];
static long distance = (char *)&((struct packed *)0)->i - (char *)0; static const int limit = 10; static int array_of_limit[sizeof(int) * 2]; static double third = 1.0 / 3; static float quarter = 0.25; static unsigned char wrapped = 300 & 255; static int from_float = 3.99; static long address_difference = &((int *)40)[2] - (int *)40;
static volatile int vol = 3; static _Thread_local int local_to_thread = 6;
//= A + B * 10 + C * 100
//= D
//= E
//= sizeof(enum small)
//= sizeof(enum large)
//= sizeof(enum wide)
//= sizeof(enum tiny)
//= (enum small)-1 < 0
//= (enum large)-1 < 0
//= (enum alike)-1 < 0
//= TYPE(A)
//= sizeof(L)
//= L > 0
//= V - W
//= enum small e = C; => e
//= enum small e = IN(i32, 77); => e
//= enum tiny t = T2; => t
//= enum tiny t = T2; t++; => t
//= X1 == X2
//= enum { LOCAL = 3 } e = LOCAL; => e
//= enum small e = B; switch (e) { case B: e = D; break; default: e = A; } => e
//= enum alike e = X1; e -= 5; => e < 0
//= sizeof(union u)
//= union u v; v.i = 0x01020304; => v.c[0]
//= union u v; v.i = 0x01020304; => v.lo
//= union u v; v.i = IN(i32, -2); => v.hi
//= union u v; v.f = IN(f32, 1.f); => v.i
//= union u v; v.d = IN(f64, -2.); => v.l
//= union u v; v.l = 0; v.c[4] = 1; => v.l
//= union u v = { 5 }; => v.i
//= union u v = { .f = 1.5f }; => v.i
//= union u v = { .c = { 1, 2 } }; => v.i
//= union u v, w; v.l = 77; w = v; => w.l
//= union u v; v.c[0] = 1; v.c[1] = 2; v.c[2] = 0; v.c[3] = 0; => v.i
//= union u v; v.i = -1; v.c[0] = 0; => v.i
//= union u v; => (void *)&v.i == (void *)&v.d
//= union u *p, v; p = &v; p->lo = 3; p->hi = 1; => p->i
//= struct anon s = { 1, { 2 }, { 3 } }; => s.a + s.b * 10 + s.d * 100
//= struct anon s = { .c = 1.0f }; => s.b
//= struct anon s = { .d = 4, .a = 1 }; => s.d * 10 + s.b
//= sizeof(struct anon)
//= sizeof(struct flex)
//= sizeof(struct zero)
//= sizeof(struct empty)
//= sizeof(struct packed)
//= sizeof(struct al)
//= _Alignof(struct al)
//= offsetof(struct al, i)
//= offsetof(struct packed, i)
//= offsetof(struct flex, data)
//= offsetof(struct anon, d)
//= offsetof(union u, hi)
//= struct flex *p = malloc(sizeof *p + 3 * sizeof(int)); p->data[2] = 5; int r = p->data[2]; free(p); => r
//= struct packed s = { 1, 0x01020304 }; unsigned char *p = (unsigned char *)&s; => p[1]
//= struct packed a[2] = { { 1, 2 }, { 3, 4 } }; => a[1].i
//= vla(3)
//= vla(IN(i32, 5))
//= vla2(2, 3)
//= vla2(IN(i32, 2), 2)
//= int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; => vla_parameter(2, 3, a)
//= vla_pointer(3)
//= vla_loop()
//= vla_size(3)
//= vla_typedef(3)
//= size_effect(3)
//= size_no_effect(3)
//= typeof_effect(3)
//= *literal(4)
//= loop_literal()
//= ((int[]){ 1, 2, 3 })[1]
//= (int){ 5 }
//= (struct anon){ 1, { 2 } }.b
//= ((struct anon *)&(struct anon){ 9 })->a
//= int *p = (int[]){ 1, 2 }; p[0] = 5; => p[0] + p[1]
//= sizeof (int[]){ 1, 2, 3 }
//= (char[]){ "abc" }[1]
//= sizeof((char[]){ "abc" })
//= (char[4]){ 'x' }[3]
//= (double){ 1 } / 2
//= &(int){ 1 } != 0
//= names[0][0]
//= names[2] == 0
//= names[3][4]
//= sizeof names / sizeof *names
//= file_literal[2]
//= me.p->p->v
//= end_of - (char *)&me
//= *second
//= distance
//= sizeof array_of_limit
//= third
//= quarter
//= wrapped
//= from_float
//= address_difference
//= vol + vol
//= local_to_thread
//= int vol = 1; => vol
//= int a[3]; memset(a, 0, sizeof a); => a[2]
//= int a[3]; memset(a, -1, sizeof a); => a[1]
//= int a[3] = { 1, 2, 3 }, b[3]; memcpy(b, a, sizeof a); => b[2]
//= struct anon a = { 1, { 2 }, { 3 } }, b; memcpy(&b, &a, sizeof a); => b.d
//= int a[4] = { 1, 2, 3, 4 }; memmove(a + 1, a, 3 * sizeof *a); => a[3] * 10 + a[1]
//= float f = 1; unsigned u; memcpy(&u, &f, 4); => u
//= double d = -0.0; unsigned long u; memcpy(&u, &d, 8); => u >> 63
//= int x = 5; char c[4]; memcpy(c, &x, 4); => c[0]
//= char c[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }; int x; memcpy(&x, c + 1, 4); => x
//= int *p = malloc(4); *p = 7; int r = *p; free(p); => r
//= int *p = calloc(3, 4); int r = p[2]; free(p); => r
//= int *p = malloc(8); p[0] = 1; p[1] = 2; p = realloc(p, 16); int r = p[0] + p[1]; free(p); => r
//= char *p = malloc(3); char *q = malloc(3); int r = p == q; free(p); free(q); => r
//= struct self a = { 0, 1 }, b = { &a, 2 }; a.p = &b; => a.p->p->p->v
//= _Alignof(long double)
//= sizeof(long double)
//= sizeof(_Bool)
//= sizeof(wchar_t)
//= sizeof(size_t)
//= _Alignof(char[7])
//= sizeof(int[2][3])
//= sizeof(int *[4])
//= sizeof(int (*)[4])
//= sizeof(max_align_t)
//= sizeof(struct { char c; struct { long l; } s; char d; })
//= sizeof(struct { int : 0; char c; })
//= sizeof(struct { char a; int : 0; char c; })
//= sizeof(struct { char a; int b : 3; })
//= sizeof(struct { long a : 40; int b : 20; })
//= _Bool b = IN(f64, 0.5); => b
//= _Bool b = IN(i32, 2); b++; => b
//= _Bool b = 0; b--; => b
//= _Bool b = 1; => ~b
//= _Bool b = 1; b += 5; => b
//= _Bool b = (void *)&vol; => b
//= _Bool b = 3; => b == 1
//= char c = 200; => c
//= char c = IN(i32, 384); => c
//= signed char c = 127; c++; => c
//= unsigned char c = 255; c++; => c
//= short s = IN(i32, 70000); => s
//= unsigned char a = 200, b = 100; => a + b
//= unsigned char a = 200, b = 100; unsigned char c = a + b; => c
//= signed char a = -128; => -a
//= short a = -32768; a = -a; => a
//= unsigned a = 1; int b = -1; => a > b
//= unsigned short a = 1; short b = -1; => a > b
//= long a = -1; unsigned b = 1; => a < b
//= long a = -1; unsigned long b = 1; => a < b
//= int a = -1; => a == 4294967295u
//= char a = -1; => a == 255
//= unsigned char a = -1; => a == 255
//= unsigned char a = ~0; => ~a
//= 1 ? -1 : 0u
//= (1 ? -1 : 0u) > 0
//= (1 ? (char)-1 : (short)0) > 0
//= sizeof(1 ? (char)1 : (char)2)
//= sizeof(char) == sizeof('a')
//= __builtin_types_compatible_p(int, signed)
//= __builtin_types_compatible_p(int, const int)
//= __builtin_types_compatible_p(int, long)
//= __builtin_types_compatible_p(int[3], int[])
//= __builtin_types_compatible_p(char, signed char)
//= __builtin_types_compatible_p(enum small, int)
//= __builtin_types_compatible_p(enum alike, unsigned)
//= __builtin_types_compatible_p(int *, const int *)
//= __builtin_types_compatible_p(int (*)(), int (*)(int))
//= __builtin_types_compatible_p(int (*)(), int (*)(char))
//= __builtin_types_compatible_p(int (*)(float), int (*)())
//= __builtin_types_compatible_p(int (*)(), int (*)(int, ...))
//= __builtin_types_compatible_p(const int[3], int[3])
//= sizeof(u"\U0001F600") == 6
//= u"\U0001F600"[0] == 0xd83d
//= sizeof(L"\u00e9f") == 12
//= L'\u00e9' == 0xe9
//= _Generic(1, int: 1, default: 2)
//= _Generic(1u, int: 1, unsigned: 3, default: 2)
//= _Generic('a', char: 1, int: 2)
//= _Generic("a", char *: 1, const char *: 2, default: 3)
//= _Generic((const int)1, int: 1, default: 2)
//= const int c = 1; => _Generic(c, int: 1, default: 2)
//= const int c = 1; => _Generic(&c, int *: 1, const int *: 2)
//= _Generic((char)1 + (char)1, char: 1, int: 2)
//= _Generic(1.f * 1, float: 1, double: 2)
//= _Generic(A, int: 1, unsigned: 2, default: 3)
//= enum alike e = X1; => _Generic(e, int: 1, unsigned: 2, default: 3)
//= enum small e = A; => _Generic(e, int: 1, unsigned: 2, default: 3)
//= int a[3]; => _Generic(a, int *: 1, default: 2)
//= int a[3]; => _Generic(&a, int (*)[]: 1, default: 2)
//= _Generic(&vla, int (*)(int): 1, default: 2)
//= _Generic(vla, int (*)(): 1, default: 2)
//= struct self s; => _Generic(s.p, struct self *: 1, default: 2)
//= _Generic((void *)0, void *: 1, default: 2)
//= _Generic(1 ? (int *)0 : (void *)0, int *: 1, void *: 2, default: 3)
//= _Generic(1 ? &vol : 0, volatile int *: 1, int *: 2, default: 3)
//= _Generic(sizeof 1, unsigned long: 1, default: 2)
//= __typeof__(1 + 1l) x = 1; => sizeof x
//= __typeof__(vol) x = 1; => sizeof x
//= __typeof__(const int) x = 4; => x
//= __auto_type x = 1.5f; => sizeof x
//= __auto_type x = (char)1; => sizeof x
//= typedef int T; int r; { T T = 3; r = T; } => r
//= typedef int row[3]; row r = { 1, 2, 3 }; => sizeof(row) + r[2]
//= typedef int (*fn)(int); fn f = vla_size; => f(2)
//= struct { int a; } x = { 1 }, y; y = x; => y.a
//= struct s1 { int a; } x = { 1 }; { struct s1 { char b[9]; } y; x.a = sizeof y; } => x.a
//= int i = 3; { int i = i = 4; } => i
//= const int n = 4; int a[n]; => sizeof a
//= int a[2 + 1]; => sizeof a
//= int a[] = { [9] = 1 }; => sizeof a
//= int a[3][2] = { 1, 2, 3 }; => a[1][0] * 10 + a[2][1]
//= int a[][2] = { 1, 2, 3 }; => sizeof a
//= char a[][4] = { "ab", "cde" }; => a[1][2]
//= char a[2][3] = { "abc", "d" }; => a[0][2] + a[1][1]
