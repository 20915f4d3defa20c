/* Blocks of bytes whose sizes are known only when the program runs. */

void *__library_memcpy(void *to, const void *from, size_t size) {
  unsigned char *x = to;
  const unsigned char *y = from;
  for (size_t i = 0; i < size; i++)
    x[i] = y[i];
  return to;
}

void *__library_memmove(void *to, const void *from, size_t size) {
  unsigned char *x = to;
  const unsigned char *y = from;
  if ((size_t)x <= (size_t)y) {
    for (size_t i = 0; i < size; i++)
      x[i] = y[i];
  } else {
    for (size_t i = size; i > 0; i--)
      x[i - 1] = y[i - 1];
  }
  return to;
}

void *__library_memset(void *to, int byte, size_t size) {
  unsigned char *x = to;
  for (size_t i = 0; i < size; i++)
    x[i] = (unsigned char)byte;
  return to;
}

/* What output reads of a text: all of it, but no more than so many characters. */
void __reads_text(const char *text, size_t most) {
  for (size_t i = 0; i < most && text[i]; i++)
    ;
}
