#include <stddef.h>
#include <stdint.h>
struct node { int value; struct node *next; };
static int numbers[10] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81 };
static int grid[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
static int *through(int *p) { return p + 1; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int sum(const int *p, int n) { int s = 0; while (n-- > 0) s += *p++; return s; }
static int rows(int (*p)[4], int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i][3]; return s; }
//= *numbers
//= numbers[3]
//= 3[numbers]
//= *(numbers + 9)
//= &numbers[7] - &numbers[2]
//= &numbers[2] - &numbers[7]
//= (char *)&numbers[7] - (char *)&numbers[2]
//= &numbers[10] - numbers
//= numbers + 3 == &numbers[3]
//= numbers < &numbers[1]
//= &numbers[10] > &numbers[9]
//= int *p = numbers; => *p++
//= int *p = numbers; => *++p
//= int *p = numbers + 5; => *p--
//= int *p = numbers + 5; => *--p
//= int *p = numbers; int x = (*p++, *p); => x
//= int *p = numbers; p += 3; => *p
//= int *p = numbers + 9; p -= IN(i32, 3); => *p
//= int *p = numbers + IN(u8, 4); => p[1]
//= int *p = numbers + 5; => p[-2]
//= int *p = numbers + 5; => p[IN(i64, -5)]
//= int *p = numbers + 5; => (p - 2)[1]
//= *through(numbers + 2)
//= int a = 1, b = 2; swap(&a, &b); => a * 10 + b
//= int a[2] = { 3, 4 }; swap(a, a + 1); => a[0] * 10 + a[1]
//= sum(numbers, 5)
//= sum(numbers + 2, IN(i32, 3))
//= sum(&grid[1][0], 4)
//= rows(grid, 3)
//= rows(&grid[1], 1)
//= grid[1][2]
//= *(*(grid + 2) + 1)
//= (*grid)[3]
//= *grid[2]
//= grid[2] - grid[0]
//= &grid[2] - &grid[0]
//= (char *)(grid + 1) - (char *)grid
//= (char *)(&grid + 1) - (char *)grid
//= sizeof grid
//= sizeof grid[0]
//= sizeof *grid[0]
//= sizeof &grid
//= sizeof &grid[0]
//= sizeof(grid + 0)
//= sizeof *&grid
//= int (*p)[4] = grid; p++; => (*p)[1]
//= int (*p)[4] = grid; => p[2][0]
//= int (*p)[3][4] = &grid; => (*p)[1][1]
//= int x = 5, *p = &x, **q = &p; **q = 7; => x
//= int x = 5, y = 6, *p = &x, **q = &p; *q = &y; => *p
//= int x = 5, *p = &x; *p += 2; => x
//= int x = 5, *p = &x; (*p)++; => x
//= int x = 5; => *&x
//= int x = 5; => &*&x == &x
//= int *p = 0; => p == 0
//= int *p = 0; => !p
//= int *p = numbers; => !p
//= int *p = numbers; => p ? 1 : 2
//= int *p = 0; => p && *p
//= int *p = numbers; => p && p[1]
//= int *p = NULL; => p == NULL
//= int x, y; => &x == &y
//= int x, y; => &x != &y
//= int a[2]; => &a[0] == &a[1]
//= void *p = numbers; => ((int *)p)[2]
//= void *p = numbers; => p + 4 == (void *)&numbers[1]
//= char *p = (char *)numbers; => *(int *)(p + 8)
//= unsigned char *p = (unsigned char *)numbers; => p[12]
//= unsigned char *p = (unsigned char *)numbers; => p[13]
//= int x = 0x01020304; => *(unsigned char *)&x
//= int x = 0x01020304; => ((unsigned char *)&x)[3]
//= int x = 0; *(unsigned char *)&x = 255; => x
//= int x = 0; ((unsigned char *)&x)[1] = IN(u8, 2); => x
//= int x = -1; ((char *)&x)[3] = 0; => x
//= long x = -2; => *(signed char *)(int *)&x
//= struct node a = { 1, 0 }, b = { 2, &a }; => b.next->value
//= struct node a = { 1, 0 }, b = { 2, &a }; b.next->value = 9; => a.value
//= struct node a = { 1, 0 }, b = { 2, &a }; a.next = &b; => a.next->next->next->value
//= struct node a = { 1, 0 }, *p = &a; => (*p).value + p->value
//= struct node a[3] = { { 1 }, { 2 }, { 3 } }, *p = a; => (p++)->value
//= struct node a[3] = { { 1 }, { 2 }, { 3 } }, *p = a; => (++p)->value
//= struct node a[3] = { { 1 }, { 2 }, { 3 } }, *p = a; => ++p->value
//= struct node a[3] = { { 1 }, { 2 }, { 3 } }, *p = &a[2]; => p - a
//= struct node a = { 1, 0 }; int *p = &a.value; => p == (int *)&a
//= struct node a = { 1, 0 }; => (char *)&a.next - (char *)&a
//= const int *p = numbers; => p[4]
//= int *const p = numbers; *(p + 0) = 0; => *p
//= uintptr_t n = (uintptr_t)numbers; => (int *)n == numbers
//= uintptr_t n = (uintptr_t)&numbers[1]; => n - (uintptr_t)numbers
//= uintptr_t n = (uintptr_t)numbers; => n % 4
//= (long)(int *)0
//= (int *)8 == (int *)8
//= (uintptr_t)(int *)24
//= int *p[3] = { numbers, numbers + 1, numbers + 2 }; => *p[2]
//= int *p[3] = { numbers, numbers + 1, numbers + 2 }; => p[2] - p[0]
//= int *p[3] = { numbers }; => p[1] == 0
//= char *names[] = { "one", "two", "three" }; => names[2][1]
//= char *names[] = { "one", "two", "three" }; => sizeof names / sizeof *names
//= char **p, *names[] = { "one", "two" }; p = names; => **++p
//= char *s = "hello"; => s[1]
//= char *s = "hello"; => *(s + 4)
//= char s[] = "hello"; s[0] = 'j'; => s[0]
//= char s[] = "hello"; => sizeof s
//= char s[3] = "hey"; => s[2]
//= char s[10] = "hey"; => s[7]
//= "hello"[2]
//= *"hello"
//= sizeof "hello"
//= int a[3] = { 1, 2, 3 }; int *p = a, *end = a + 3; int s = 0; while (p != end) s += *p++; => s
//= int a[3] = { 1, 2, 3 }; int i = 0; int x = a[i++]; => x * 10 + i
//= int a[3] = { 1, 2, 3 }; int i = 0; a[++i] = 7; => a[1]
//= int a[3] = { 1, 2, 3 }; int i = 1; a[i--] += 5; => a[1] * 10 + i
//= ptrdiff_t d = numbers - (numbers + 3); => d
//= TYPE(&numbers[0] - &numbers[1])
//= TYPE(&numbers[0])
//= TYPE(numbers)
//= TYPE(&grid[0])
//= TYPE(sizeof(int))
//= int x = 1; int *restrict p = &x; *p = 2; => x
//= volatile int x = 3; volatile int *p = &x; *p = *p + 1; => x
//= int a[2][2] = { { 1, 2 }, { 3, 4 } }; int *p = a[0]; => p[1]
//= int a = 1; int *p = &a; int **q = &p; int ***r = &q; ***r = 8; => a
//= int a[4] = { 0 }; int *p = a; *(p + IN(i32, 2)) = 5; => a[2]
//= int a[4] = { 0 }; a[IN(i64, 3)] = 5; => a[3] + a[2]
//= int a[4] = { 1, 2, 3, 4 }; int *p = &a[IN(u32, 1)], *q = &a[IN(u32, 3)]; => q - p
//= int a[4] = { 1, 2, 3, 4 }; int *p = IN(i32, 1) ? a : a + 2; => *p
//= int x = 1, y = 2; int *p = IN(i32, 0) ? &x : &y; *p = 9; => x * 10 + y
//= int a[4]; => *(a + 4)
//= int *p = 0; => *p
//= int a[4] = { 0 }; => a[IN(i32, 4)]
//= int a[4] = { 0 }; => a[IN(i32, -1)]
