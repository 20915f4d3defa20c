#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include <ctype.h>
#include <wchar.h>
static int sign(int n) { return n < 0 ? -1 : n > 0; }
static char text[] = "hello, world";
//= strlen("")
//= strlen("abc")
//= strlen("a\0b")
//= strlen(text + 7)
//= char s[4] = { 'a', 'b', IN(ch, 0), 'c' }; => strlen(s)
//= strnlen("abc", 2)
//= strnlen("abc", 9)
//= strcmp("abc", "abc")
//= sign(strcmp("abc", "abd"))
//= sign(strcmp("abc", "ab"))
//= sign(strcmp("", "a"))
//= sign(strcmp("\377", "a"))
//= sign(strcmp("\200", "\177"))
//= char s[2] = { IN(ch, 'b'), 0 }; => sign(strcmp(s, "a"))
//= strncmp("abcd", "abxx", 2)
//= sign(strncmp("abcd", "abxx", 3))
//= strncmp("a", "b", 0)
//= strncmp("ab", "ab", 10)
//= memcmp("a\0b", "a\0c", 2)
//= sign(memcmp("a\0b", "a\0c", 3))
//= sign(memcmp("\377", "\1", 1))
//= memcmp("x", "y", 0)
//= strcasecmp("HeLLo", "hEllO")
//= sign(strcasecmp("a", "B"))
//= sign(strcasecmp("_", "a"))
//= strncasecmp("ABx", "aby", 2)
//= char d[8]; strcpy(d, "abc"); => d[2] + d[3]
//= char d[8] = "zzzzzzz"; strcpy(d, "ab"); => d[4]
//= char d[8]; => strcpy(d, "abc") == d
//= char d[8] = "zzzzzzz"; strncpy(d, "ab", 5); => d[2] + d[4] + d[5]
//= char d[8] = "zzzzzzz"; strncpy(d, "abcdef", 3); => d[3]
//= char d[9] = "ab"; strcat(d, "cd"); => d[3] + d[4]
//= char d[9] = "ab"; strncat(d, "cdef", 2); => d[4] + d[3]
//= char d[9] = "ab"; strncat(d, "c", 5); => d[2] + d[3]
//= strchr(text, 'o') - text
//= strchr(text, 'z') == 0
//= strchr(text, 0) - text
//= strchr("\377", 255) != 0
//= strchr("\377", -1) != 0
//= strchr(text, 'o' + 256) - text
//= strrchr(text, 'o') - text
//= strrchr(text, 0) - text
//= strrchr(text, 'q') == 0
//= strchrnul(text, 'q') - text
//= strstr(text, "wor") - text
//= strstr(text, "") - text
//= strstr(text, "worx") == 0
//= strstr("", "") != 0
//= strstr("aab", "ab")[0]
//= strspn("aabbc", "ab")
//= strspn("abc", "")
//= strcspn("abc", "cx")
//= strcspn("abc", "")
//= strpbrk(text, "ow") - text
//= strpbrk(text, "zq") == 0
//= memchr("a\0b", 'b', 3) != 0
//= memchr("abc", 'c', 2) == 0
//= (char *)memchr(text, 'l', 12) - text
//= (char *)memrchr(text, 'l', 12) - text
//= (char *)memmem(text, 12, "lo", 2) - text
//= (char *)rawmemchr(text, 'w') - text
//= char d[4] = "abc"; memmove(d + 1, d, 2); => d[2]
//= char d[4] = "abc"; memmove(d, d + 1, 2); => d[0] + d[1]
//= char d[4]; => (char *)mempcpy(d, "ab", 2) - d
//= char d[4]; => stpcpy(d, "ab") - d
//= char d[4]; memset(d, IN(i32, 257), 4); => d[3]
//= char d[4] = "abc"; memset(d, 'x', 0); => d[0]
//= char d[4] = "abcd"; bzero(d, 2); => d[1] + d[2]
//= char d[] = "a,b,,c"; char *s; int n = 0; for (char *t = strtok_r(d, ",", &s); t; t = strtok_r(0, ",", &s)) n++; => n
//= char d[] = "a,b,,c"; int n = 0; for (char *t = strtok(d, ","); t; t = strtok(0, ",")) n += *t; => n
//= char d[] = "a,b,,c"; char *s = d; int n = 0; while (strsep(&s, ",")) n++; => n
//= char d[] = ",,"; => strtok(d, ",") == 0
//= char *d = strdup("abc"); => d[2] + d[3]
//= char *d = strndup("abc", 2); => strlen(d)
//= strcoll("a", "a")
//= isalpha('a') != 0
//= isalpha('1') != 0
//= isalpha(-1) != 0
//= isalpha(255) != 0
//= isdigit('9') != 0
//= isdigit('/') != 0
//= isdigit(IN(i32, ':')) != 0
//= isalnum('_') != 0
//= isalnum('Z') != 0
//= isspace('\t') != 0
//= isspace('\v') != 0
//= isspace(IN(i32, 0)) != 0
//= isspace(160) != 0
//= isupper('A') != 0
//= isupper('a') != 0
//= islower('a') != 0
//= isxdigit('f') != 0
//= isxdigit('g') != 0
//= isxdigit('F') != 0
//= iscntrl(127) != 0
//= iscntrl(31) != 0
//= iscntrl(' ') != 0
//= isprint(' ') != 0
//= isprint(127) != 0
//= isgraph(' ') != 0
//= isgraph('!') != 0
//= ispunct('!') != 0
//= ispunct('a') != 0
//= isblank('\t') != 0
//= isblank('\n') != 0
//= toupper('a')
//= toupper('1')
//= toupper(IN(i32, 'z'))
//= toupper(-1)
//= tolower('A')
//= tolower('[')
//= tolower(IN(i32, '@'))
//= toupper(255)
//= isascii(128)
//= toascii(200)
//= wcslen(L"abc")
//= ffs(IN(i32, 12))
//= ffsl(IN(i64, 1l << 33))
//= strverscmp("a", "a")
//= char d[8]; memccpy(d, "abcd", 'c', 4); => d[2]
//= char d[8] = "xxxx"; => memccpy(d, "ab", 'z', 2) == 0
//= char d[4] = "abc", e[4] = "xyz"; bcopy(d, e, 2); => e[1] + e[2]
//= sign(bcmp("a", "b", 1)) != 0
//= index(text, 'w') - text
//= rindex(text, 'l') - text
//= basename("/a/b")[0]
//= strcasestr("xABc", "abC")[0]
//= char d[3]; => strcpy(d, "abc") == d
//= char d[3] = "abc"; => strlen(d)
