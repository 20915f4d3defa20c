#define SQUARE(x) ((x) * (x))
#define BARE(x) x * x
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define FIVE 5
#define COUNT(...) (sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))
#define FIRST(a, ...) a
#define OBJECT (1 + 2)
#define SELF SELF_
#define EMPTY
#define LATER(x) XCAT(x, 1)
static int v1 = 31, SELF_ = 8, xy = 9;
#if defined FIVE && FIVE > 4 && (1 << 3) == 8 && -1 < 0u + 1 == 0
static int conditional = 1;
#elif 1
static int conditional = 2;
#else
static int conditional = 3;
#endif
#if -1 > 0u
static int promoted = 1;
#else
static int promoted = 0;
#endif
#if 0xffffffffffffffff == -1 && 'a' == 97 && '\377' < 0
static int in_directive = 1;
#else
static int in_directive = 0;
#endif
#undef UNKNOWN_MACRO
#if UNKNOWN_MACRO
static int undefined_macro = 1;
#else
static int undefined_macro = 0;
#endif
//= SQUARE(3 + 1)
//= BARE(3 + 1)
//= STR(a b)[1]
//= sizeof(STR(FIVE))
//= sizeof(XSTR(FIVE))
//= XSTR(FIVE)[0]
//= CAT(v, 1)
//= CAT(x, y)
//= XCAT(FIVE, 0)
//= COUNT(1, 2, 3)
//= FIRST(4, 5, 6)
//= OBJECT * 2
//= SELF
//= EMPTY 5 EMPTY
//= LATER(v)
//= conditional
//= promoted
//= in_directive
//= undefined_macro
//= __LINE__ > 0
//= sizeof(__FILE__) > 1
//= __COUNTER__ + __COUNTER__ >= 1
//= STR("x")[0]
//= sizeof(STR('\n'))
//= sizeof(STR(a   b))
//= L'a' == 'a'
//= 1 /* c */ + /* d */ 2
//= "a" "b" [1]
//= "\x41""1"[0]
//= sizeof "\x41" "1"
//= 0x10 + 010 + 0b10
//= 1.e1 + .5
