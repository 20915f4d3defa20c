/* <stdio.h> and <unistd.h>: what is read is an input, what is written has no effect on the program. */

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);

/* A byte, or EOF. */
static int byte_or_end(void) {
  int c = __VERIFIER_nondet_int();
  return c < 0 ? -1 : c & 255;
}

/* A number from `least` to `most`. */
static long from_to(long least, long most) {
  long n = __VERIFIER_nondet_int();
  return n < least ? least : n > most ? most : n;
}

/* Bytes that are written must be there. */
static void reads(const void *from, size_t size) {
  if (size > 0) {
    *(const char *)from;
    ((const char *)from)[size - 1];
  }
}

size_t strlen(const char *text);

int getchar(void) { return byte_or_end(); }

int getchar_unlocked(void) { return byte_or_end(); }

int fgetc(void *stream) { return byte_or_end(); }

int getc(void *stream) { return byte_or_end(); }

char *fgets(char *text, int size, void *stream) {
  if (size < 1 || __VERIFIER_nondet_int())
    return 0;
  int length = (int)from_to(0, size - 1);
  for (int i = 0; i < length; i++)
    text[i] = __VERIFIER_nondet_char();
  text[length] = 0;
  return text;
}

void *realloc(void *old, size_t size);

/* What is read contains the character at its end only, or not at all if nothing comes after it. */
long getdelim(char **line, size_t *size, int end, void *stream) {
  long length = from_to(0, 0x7ffffffe);
  if (length == 0)
    return -1;
  if (!*line || *size <= (size_t)length) {
    size_t room = (size_t)length + 1 + (size_t)from_to(0, 255);
    char *larger = realloc(*line, room);
    if (!larger)
      return -1;
    *line = larger;
    *size = room;
  }
  for (long i = 0; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    (*line)[i] = i + 1 < length && c == (char)end ? (char)~end : c;
  }
  (*line)[length] = 0;
  return length;
}

long getline(char **line, size_t *size, void *stream) { return getdelim(line, size, '\n', stream); }

int fgetc_unlocked(void *stream) { return byte_or_end(); }

int getc_unlocked(void *stream) { return byte_or_end(); }

size_t fread(void *to, size_t size, size_t count, void *stream) {
  if (size == 0 || count == 0)
    return 0;
  size_t read = (size_t)from_to(0, count > 0x7fffffff ? 0x7fffffff : (long)count);
  for (size_t i = 0; i < read * size; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return read;
}

long read(int file, void *to, size_t size) {
  long read = from_to(-1, size > 0x7fffffff ? 0x7fffffff : (long)size);
  for (long i = 0; i < read; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return read;
}

int feof(void *stream) { return __VERIFIER_nondet_int(); }

int ferror(void *stream) { return __VERIFIER_nondet_int(); }

int fprintf(void *stream, const char *format, ...) { return (int)from_to(-1, 0x7fffffff); }

int fputs(const char *text, void *stream) { return (int)from_to(-1, 0x7fffffff); }

int fputc(int c, void *stream) { return __VERIFIER_nondet_int() < 0 ? -1 : c & 255; }

int putc(int c, void *stream) { return __VERIFIER_nondet_int() < 0 ? -1 : c & 255; }

int fflush(void *stream) { return __VERIFIER_nondet_int() < 0 ? -1 : 0; }

void perror(const char *text) {
  if (text)
    reads(text, strlen(text));
}

size_t fwrite(const void *from, size_t size, size_t count, void *stream) {
  if (size == 0 || count == 0)
    return 0;
  reads(from, size * count);
  return (size_t)from_to(0, count > 0x7fffffff ? 0x7fffffff : (long)count);
}

long write(int file, const void *from, size_t size) {
  reads(from, size);
  return from_to(-1, size > 0x7fffffff ? 0x7fffffff : (long)size);
}
