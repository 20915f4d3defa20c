/* <locale.h>, <libintl.h>: what is the same in every run in the locale "C". */

void __VERIFIER_assume(int condition);
void __set_errno(int reason);

enum { INVALID = 22 };

static int same_text(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  return a[i] == b[i];
}

static char locale_name[] = "C";

/* The locale is "C", and to ask for it changes nothing. What functions do in another one is not modelled. */
char *setlocale(int category, const char *name) {
  if (category < 0 || category > 12) {
    __set_errno(INVALID);
    return 0;
  }
  if (name && !same_text(name, "C") && !same_text(name, "POSIX"))
    __tour_unsupported("library", "a locale other than \"C\" is not modelled");
  return locale_name;
}

size_t __ctype_get_mb_cur_max(void) { return 1; }

/* Without a locale there are no translations. */
char *gettext(const char *text) { return (char *)text; }

char *dgettext(const char *domain, const char *text) { return (char *)text; }

char *dcgettext(const char *domain, const char *text, int category) { return (char *)text; }

char *ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n) {
  return (char *)(n == 1 ? one : many);
}

/* <stdlib.h>, <string.h> */
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);

long long strtoq(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long long strtouq(const char *text, char **end, int base) { return strtoull(text, end, base); }

void *rawmemchr(const void *bytes, int wanted) {
  const unsigned char *at = bytes;
  while (*at != (unsigned char)wanted)
    at++;
  return (void *)at;
}

void *memfrob(void *bytes, size_t size) {
  unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    at[i] ^= 42;
  return bytes;
}
