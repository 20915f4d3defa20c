/* <string.h>: strings and bytes. Of a comparison only the sign is fixed; where a caller asks for no more, the variant with
   `__plain_` is called. */

void *malloc(size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
int __any_order(int difference);
int __any_true(int usual);
int __tour_unspecified(void);

int __plain_memcmp(const void *a, const void *b, size_t size) {
  const unsigned char *x = a, *y = b;
  /* All bytes must be there, whether or not an earlier one differs. */
  if (size > 0) {
    (void)x[size - 1];
    (void)y[size - 1];
  }
  for (size_t i = 0; i < size; i++)
    if (x[i] != y[i])
      return x[i] - y[i];
  return 0;
}

int memcmp(const void *a, const void *b, size_t size) { return __any_order(__plain_memcmp(a, b, size)); }

void *memchr(const void *bytes, int wanted, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i] == (unsigned char)wanted)
      return (void *)(at + i);
  return 0;
}

void *memrchr(const void *bytes, int wanted, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = size; i > 0; i--)
    if (at[i - 1] == (unsigned char)wanted)
      return (void *)(at + i - 1);
  return 0;
}

/* What `strcpy` and `strcat` write up to, with the end. */
size_t __library_size_of_text(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length + 1;
}

size_t __library_size_of_both(const char *to, const char *from) {
  return __library_size_of_text(to) - 1 + __library_size_of_text(from);
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

size_t strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  return length;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  while ((to[i] = from[i]))
    i++;
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

char *strncpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i]; i++)
    to[i] = from[i];
  for (; i < size; i++)
    to[i] = 0;
  return to;
}

char *strcat(char *to, const char *from) {
  size_t end = 0, i = 0;
  while (to[end])
    end++;
  while ((to[end + i] = from[i]))
    i++;
  return to;
}

char *strncat(char *to, const char *from, size_t size) {
  size_t end = 0, i = 0;
  while (to[end])
    end++;
  for (; i < size && from[i]; i++)
    to[end + i] = from[i];
  to[end + i] = 0;
  return to;
}

int __plain_strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}

int strcmp(const char *a, const char *b) { return __any_order(__plain_strcmp(a, b)); }

int __plain_strncmp(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i])
      return (unsigned char)a[i] - (unsigned char)b[i];
    if (!a[i])
      return 0;
  }
  return 0;
}

int strncmp(const char *a, const char *b, size_t size) { return __any_order(__plain_strncmp(a, b, size)); }

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int __plain_strcasecmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] && lower(a[i]) == lower(b[i]))
    i++;
  return lower(a[i]) - lower(b[i]);
}

int strcasecmp(const char *a, const char *b) { return __any_order(__plain_strcasecmp(a, b)); }

int __plain_strncasecmp(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (lower(a[i]) != lower(b[i]))
      return lower(a[i]) - lower(b[i]);
    if (!a[i])
      return 0;
  }
  return 0;
}

int strncasecmp(const char *a, const char *b, size_t size) { return __any_order(__plain_strncasecmp(a, b, size)); }

char *strchr(const char *text, int wanted) {
  for (;; text++) {
    if (*text == (char)wanted)
      return (char *)text;
    if (!*text)
      return 0;
  }
}

char *strchrnul(const char *text, int wanted) {
  while (*text && *text != (char)wanted)
    text++;
  return (char *)text;
}

char *index(const char *text, int wanted) {
  for (;; text++) {
    if (*text == (char)wanted)
      return (char *)text;
    if (!*text)
      return 0;
  }
}

char *strrchr(const char *text, int wanted) {
  const char *last = 0;
  for (;; text++) {
    if (*text == (char)wanted)
      last = text;
    if (!*text)
      return (char *)last;
  }
}

char *rindex(const char *text, int wanted) {
  const char *last = 0;
  for (;; text++) {
    if (*text == (char)wanted)
      last = text;
    if (!*text)
      return (char *)last;
  }
}

char *strstr(const char *text, const char *part) {
  for (;; text++) {
    size_t i = 0;
    while (part[i] && text[i] == part[i])
      i++;
    if (!part[i])
      return (char *)text;
    if (!*text)
      return 0;
  }
}

static int is_among(char c, const char *set) {
  for (; *set; set++)
    if (*set == c)
      return 1;
  return 0;
}

size_t strspn(const char *text, const char *set) {
  size_t length = 0;
  while (text[length] && is_among(text[length], set))
    length++;
  return length;
}

size_t strcspn(const char *text, const char *set) {
  size_t length = 0;
  while (text[length] && !is_among(text[length], set))
    length++;
  return length;
}

char *strpbrk(const char *text, const char *set) {
  for (; *text; text++)
    if (is_among(*text, set))
      return (char *)text;
  return 0;
}

char *strsep(char **rest, const char *set) {
  char *start = *rest;
  if (!start)
    return 0;
  char *end = start;
  while (*end && !is_among(*end, set))
    end++;
  if (*end) {
    *end = 0;
    *rest = end + 1;
  } else {
    *rest = 0;
  }
  return start;
}

/* `rest` is where the next word is looked for: at the end of the text, if there is none. */
static char *next_word(char *text, const char *set, char **rest) {
  if (!text)
    text = *rest;
  while (*text && is_among(*text, set))
    text++;
  char *word = *text ? text : 0;
  while (*text && !is_among(*text, set))
    text++;
  if (*text)
    *text++ = 0;
  *rest = text;
  return word;
}

static char *words;

char *strtok(char *text, const char *set) { return next_word(text, set, &words); }

char *strtok_r(char *text, const char *set, char **rest) { return next_word(text, set, rest); }

char *strdup(const char *text) {
  size_t size = 0;
  while (text[size++])
    ;
  char *copy = malloc(size);
  if (copy)
    for (size_t i = 0; i < size; i++)
      copy[i] = text[i];
  return copy;
}

char *strndup(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  char *copy = malloc(length + 1);
  if (copy) {
    for (size_t i = 0; i < length; i++)
      copy[i] = text[i];
    copy[length] = 0;
  }
  return copy;
}

void bzero(void *bytes, size_t size) {
  unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    at[i] = 0;
}

void explicit_bzero(void *bytes, size_t size) { bzero(bytes, size); }

void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }

int __plain_bcmp(const void *a, const void *b, size_t size) { return __plain_memcmp(a, b, size); }

int bcmp(const void *a, const void *b, size_t size) {
  int difference = __plain_memcmp(a, b, size);
  return difference ? __any_true(difference) : 0;
}

void *mempcpy(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }

void *memccpy(void *to, const void *from, int last, size_t size) {
  unsigned char *x = to;
  const unsigned char *y = from;
  for (size_t i = 0; i < size; i++) {
    x[i] = y[i];
    if (y[i] == (unsigned char)last)
      return x + i + 1;
  }
  return 0;
}

void *memmem(const void *bytes, size_t size, const void *part, size_t length) {
  const unsigned char *x = bytes, *y = part;
  for (size_t start = 0; start + length <= size; start++) {
    size_t i = 0;
    while (i < length && x[start + i] == y[i])
      i++;
    if (i == length)
      return (void *)(x + start);
  }
  return 0;
}

char *stpncpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i]; i++)
    to[i] = from[i];
  char *end = to + i;
  for (; i < size; i++)
    to[i] = 0;
  return end;
}

size_t strlcpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; from[i]; i++)
    if (i + 1 < size)
      to[i] = from[i];
  if (size > 0)
    to[i < size ? i : size - 1] = 0;
  return i;
}

size_t strlcat(char *to, const char *from, size_t size) {
  size_t end = 0, i = 0;
  while (end < size && to[end])
    end++;
  for (; from[i]; i++)
    if (end + i + 1 < size)
      to[end + i] = from[i];
  if (end < size)
    to[end + i < size ? end + i : size - 1] = 0;
  return end + i;
}

char *strcasestr(const char *text, const char *part) {
  for (;; text++) {
    size_t i = 0;
    while (part[i] && lower(text[i]) == lower(part[i]))
      i++;
    if (!part[i])
      return (char *)text;
    if (!*text)
      return 0;
  }
}

/* The locale is "C": its order is that of the bytes. */
int __plain_strcoll(const char *a, const char *b) { return __plain_strcmp(a, b); }

int strcoll(const char *a, const char *b) { return __any_order(__plain_strcmp(a, b)); }

size_t strxfrm(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (length < size)
    for (size_t i = 0; i <= length; i++)
      to[i] = from[i];
  else
    for (size_t i = 0; i < size; i++)
      to[i] = (char)__tour_unspecified();
  return length;
}

/* Pairs of bytes change places; a last one that is alone stays. */
void swab(const void *from, void *to, long size) {
  const char *x = from;
  char *y = to;
  for (long i = 0; i + 1 < size; i += 2) {
    char first = x[i], second = x[i + 1];
    y[i] = second;
    y[i + 1] = first;
  }
}
