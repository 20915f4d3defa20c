// Layouts, unions, bit-fields, copies.
int printf(const char *, ...);
void *memset(void *, int, unsigned long);
#define offset(T, f) ((unsigned long)&((T *)0)->f)

struct inner { char c; short s; };
struct outer {
    char tag;
    union { int i; unsigned char bytes[4]; struct { short low, high; }; };
    struct inner in[2];
    double d;
};
struct bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned c : 31; int d : 2; long long e : 40; _Bool f : 1; };
struct packed { char c; int i; short s; } __attribute__((packed));
struct aligned { char c; int i __attribute__((aligned(16))); };
struct flexible { int n; short data[]; };
struct self { struct self *next; int v; };
union mixed { long l; char c[9]; float f; };
enum color { RED, GREEN = 5, BLUE };
typedef struct { int x, y; } point;

static point make(int x, int y) { return (point){ .y = y, .x = x }; }
static point add(point a, point b) { a.x += b.x; a.y += b.y; return a; }
static struct outer change(struct outer o) { o.in[1].s = 77; o.i = -1; return o; }

static struct outer global = { 't', { 0x01020304 }, { { 'a', 1 }, { .s = 2 } }, 1.5 };
static struct { int a[2][3]; struct inner s; } table[] = {
    { { { 1, 2, 3 }, { 4 } }, { 'x', 9 } }, [2] = { .a[1][2] = 6, .a[0] = { 7, 8 } },
};
static int flat[2][2][2] = { 1, 2, 3, { 4, 5 }, 6 };
static struct flexible tail = { 3, { 10, 20, 30 } };
static struct self loop = { &loop, 42 };

int main(void) {
    printf("%lu %lu %lu %lu\n", sizeof(struct outer), sizeof(struct bits), sizeof(struct packed), sizeof(struct aligned));
    printf("%lu %lu %lu\n", sizeof(struct flexible), sizeof(union mixed), sizeof(enum color));
    printf("%lu %lu %lu\n", offset(struct outer, in[1].s), offset(struct packed, s), offset(struct aligned, i));
    struct outer copy = global, other = change(copy);
    printf("%d %d %d %d\n", copy.in[1].s, other.in[1].s, copy.high, other.bytes[3]);
    printf("%d %d %g\n", global.low, global.bytes[0], global.d);
    struct bits b;
    memset(&b, 0, sizeof b);
    b.a = 13;
    b.b = 19;
    b.c = -1;
    b.d = 3;
    b.e = 0x1234567890abcLL;
    b.f = 6;
    printf("%d %d %u %d %lld %d\n", b.a, b.b, b.c, b.d, (long long)b.e, b.f);
    b.a += 7;
    b.b--;
    printf("%d %d %d\n", b.a, b.b, b.a - 9 < 0);
    unsigned char *raw = (unsigned char *)&b;
    for (unsigned i = 0; i < sizeof b; i++) printf("%02x", raw[i]);
    printf("\n");
    for (int i = 0; i < 3; i++) printf("%d %d %d %d|", table[i].a[0][1], table[i].a[1][0], table[i].a[1][2], table[i].s.s);
    printf("%lu\n", sizeof table / sizeof *table);
    for (int i = 0; i < 8; i++) printf("%d ", ((int *)flat)[i]);
    printf("\n%d %d %d\n", tail.data[2], loop.next->next->v, tail.n);
    point p = add(make(1, 2), add(make(10, 20), (point){ 100 }));
    printf("%d %d %d\n", p.x, p.y, make(3, 4).y);
    point points[2] = { { 1, 2 } }, *q = points;
    q[1] = *q;
    q->x = 9;
    printf("%d %d\n", points[0].x, points[1].x);
    union mixed m = { .l = 0x4142434445464748 };
    printf("%c%c\n", m.c[0], m.c[7]);
    struct { struct inner a; int b; } anonymous = { { 'q' }, 5 };
    printf("%c %d %d\n", anonymous.a.c, anonymous.a.s, anonymous.b);
    struct packed pk = { 1, 0x11223344, 2 };
    raw = (unsigned char *)&pk;
    for (unsigned i = 0; i < sizeof pk; i++) printf("%02x", raw[i]);
    printf("\n");
    struct { unsigned long f : 27; } narrow = { 0x7ffffff };
    printf("%lu %d\n", (unsigned long)narrow.f * (unsigned long)narrow.f, narrow.f - 0x8000000 < 0);
    enum color c = BLUE;
    switch (c) {
    case RED: printf("red\n"); break;
    case BLUE: printf("blue %d\n", c); break;
    default: break;
    }
    return 0;
}
