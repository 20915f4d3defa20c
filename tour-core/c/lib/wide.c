/* <wchar.h>, <wctype.h>: wide characters in the locale "C", where those beyond ASCII belong to no class. */

typedef int wchar;

int __any_true(int usual);

size_t wcslen(const wchar *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

size_t wcsnlen(const wchar *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  return length;
}

wchar *wcscpy(wchar *to, const wchar *from) {
  size_t i = 0;
  while ((to[i] = from[i]))
    i++;
  return to;
}

wchar *wcpcpy(wchar *to, const wchar *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

wchar *wcsncpy(wchar *to, const wchar *from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i]; i++)
    to[i] = from[i];
  for (; i < size; i++)
    to[i] = 0;
  return to;
}

wchar *wcscat(wchar *to, const wchar *from) {
  size_t end = 0, i = 0;
  while (to[end])
    end++;
  while ((to[end + i] = from[i]))
    i++;
  return to;
}

wchar *wcsncat(wchar *to, const wchar *from, size_t size) {
  size_t end = 0, i = 0;
  while (to[end])
    end++;
  for (; i < size && from[i]; i++)
    to[end + i] = from[i];
  to[end + i] = 0;
  return to;
}

wchar *wcschr(const wchar *text, wchar wanted) {
  for (;; text++) {
    if (*text == wanted)
      return (wchar *)text;
    if (!*text)
      return 0;
  }
}

wchar *wcsrchr(const wchar *text, wchar wanted) {
  const wchar *last = 0;
  for (;; text++) {
    if (*text == wanted)
      last = text;
    if (!*text)
      return (wchar *)last;
  }
}

wchar *wmemcpy(wchar *to, const wchar *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    to[i] = from[i];
  return to;
}

wchar *wmempcpy(wchar *to, const wchar *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    to[i] = from[i];
  return to + size;
}

wchar *wmemmove(wchar *to, const wchar *from, size_t size) {
  if ((size_t)to <= (size_t)from) {
    for (size_t i = 0; i < size; i++)
      to[i] = from[i];
  } else {
    for (size_t i = size; i > 0; i--)
      to[i - 1] = from[i - 1];
  }
  return to;
}

wchar *wmemset(wchar *to, wchar c, size_t size) {
  for (size_t i = 0; i < size; i++)
    to[i] = c;
  return to;
}

wchar *wmemchr(const wchar *at, wchar wanted, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (at[i] == wanted)
      return (wchar *)at + i;
  return 0;
}

static int upper(unsigned c) { return c >= 'A' && c <= 'Z'; }

static int lower(unsigned c) { return c >= 'a' && c <= 'z'; }

static int decimal(unsigned c) { return c >= '0' && c <= '9'; }

unsigned towlower(unsigned c) { return upper(c) ? c - 'A' + 'a' : c; }

unsigned towupper(unsigned c) { return lower(c) ? c - 'a' + 'A' : c; }

/* What a test gives that holds is any number but zero. */
static int some(int holds) { return holds ? __any_true(1) : 0; }

int iswupper(unsigned c) { return some(upper(c)); }

int iswlower(unsigned c) { return some(lower(c)); }

int iswdigit(unsigned c) { return some(decimal(c)); }

int iswalpha(unsigned c) { return some(upper(c) || lower(c)); }

int iswalnum(unsigned c) { return some(upper(c) || lower(c) || decimal(c)); }

int iswspace(unsigned c) { return some(c == ' ' || (c >= '\t' && c <= '\r')); }

int iswblank(unsigned c) { return some(c == ' ' || c == '\t'); }

int iswprint(unsigned c) { return some(c >= 32 && c < 127); }

int iswgraph(unsigned c) { return some(c > 32 && c < 127); }

int iswcntrl(unsigned c) { return some(c < 32 || c == 127); }

int iswpunct(unsigned c) { return some(c > 32 && c < 127 && !upper(c) && !lower(c) && !decimal(c)); }

int iswxdigit(unsigned c) { return some(decimal(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f')); }
