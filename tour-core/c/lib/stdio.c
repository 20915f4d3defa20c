/* <stdio.h> and <unistd.h>: what is read is an input, what is written has no effect on the program. A stream remembers its
   end, its error and a character that was pushed back. What is written can fail at any later time: the error shows when a
   result is asked for, or `ferror`. */

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);
void __tour_atomic_begin(void);
void __tour_atomic_end(void);
void *__tour_object(size_t size);
void __fails(void);
void __any_errno(void);
void __set_errno(int reason);
int __any_true(int usual);
int __tour_unspecified(void);
int __any_number(int usual);
size_t strlen(const char *text);
void *realloc(void *old, size_t size);

enum { NO_FILE = 9, INVALID = 22 };

struct stream {
  int end;
  int error;
  int closed;
  int wrote;
  /* What was written since `ferror` was asked may have failed. */
  int unsure;
  /* The character and one, or nothing. */
  int pushed;
};

/* What `stdin`, `stdout` and `stderr` point to: see `sema::streams`. */
struct stream __standard_streams[3];

/* A number from `least` to `most`. */
static long from_to(long least, long most) {
  long n = __VERIFIER_nondet_int();
  return n < least ? least : n > most ? most : n;
}

static long at_most(size_t size) { return size > 0x7fffffff ? 0x7fffffff : (long)size; }

/* Bytes that are written must be there. */
static void reads(const void *from, size_t size) {
  if (size > 0) {
    *(const char *)from;
    ((const char *)from)[size - 1];
  }
}

static void use(struct stream *s) {
  if (s->closed)
    __tour_unsupported("library", "a stream is used after it was closed");
}

static void before_reading(struct stream *s) {
  use(s);
  if (s->wrote)
    __tour_unsupported("library", "what was written to a stream is read back");
}

/* Reading stops: at the end, or with an error. */
static void stop(struct stream *s) {
  if (__VERIFIER_nondet_int()) {
    s->error = 1;
    __fails();
  } else {
    s->end = 1;
  }
}

/* Writing fails or not. */
static int fails_to_write(struct stream *s) {
  use(s);
  s->wrote = s->unsure = 1;
  if (__VERIFIER_nondet_int() >= 0)
    return 0;
  s->error = 1;
  __fails();
  return 1;
}

/* A byte, or EOF; once the end was seen, nothing comes any more. */
static int next(struct stream *s) {
  int c = -1;
  __tour_atomic_begin();
  before_reading(s);
  if (s->pushed) {
    c = s->pushed - 1;
    s->pushed = 0;
  } else if (!s->end) {
    int n = __VERIFIER_nondet_int();
    if (n < 0)
      stop(s);
    else
      c = n & 255;
  }
  __tour_atomic_end();
  return c;
}

int getchar(void) { return next(&__standard_streams[0]); }

int getchar_unlocked(void) { return next(&__standard_streams[0]); }

int fgetc(struct stream *s) { return next(s); }

int getc(struct stream *s) { return next(s); }

int fgetc_unlocked(struct stream *s) { return next(s); }

int getc_unlocked(struct stream *s) { return next(s); }

int ungetc(int c, struct stream *s) {
  if (c == -1)
    return -1;
  __tour_atomic_begin();
  before_reading(s);
  if (s->pushed)
    __tour_unsupported("library", "a second character is pushed back to a stream");
  s->pushed = (c & 255) + 1;
  s->end = 0;
  __tour_atomic_end();
  return c & 255;
}

/* A line ends with its only newline. One that ends without is cut off, or the last one. */
char *fgets(char *text, int size, struct stream *s) {
  if (size < 1)
    return 0;
  __tour_atomic_begin();
  before_reading(s);
  if (size == 1) {
    text[0] = 0;
    __tour_atomic_end();
    return text;
  }
  int pushed = 0, full = size - 1, error = 0;
  if (s->pushed) {
    text[0] = (char)(s->pushed - 1);
    s->pushed = 0;
    pushed = 1;
  }
  int length = pushed;
  if (!s->end && !(pushed && text[0] == '\n') && pushed < full) {
    error = __VERIFIER_nondet_int() & 1;
    length = (int)from_to(pushed, full - error);
  }
  for (int i = pushed; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    text[i] = (i + 1 < length || error) && c == '\n' ? (char)~'\n' : c;
  }
  /* After an error, the text is what has come so far. */
  char *result = text;
  if (error) {
    s->error = 1;
    __fails();
    result = 0;
  } else {
    if (length < full && (length == 0 || text[length - 1] != '\n'))
      s->end = 1;
    if (length == 0)
      result = 0;
    else
      text[length] = 0;
  }
  __tour_atomic_end();
  return result;
}

/* What is read contains the character at its end only, or not at all if nothing comes after it. */
long getdelim(char **line, size_t *size, int end, struct stream *s) {
  before_reading(s);
  if (s->pushed)
    __tour_unsupported("library", "a line that begins with a character that was pushed back");
  long length = s->end ? 0 : from_to(0, 0x7ffffffe);
  if (length == 0) {
    if (!s->end)
      stop(s);
    return -1;
  }
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
  if ((*line)[length - 1] != (char)end)
    s->end = 1;
  (*line)[length] = 0;
  return length;
}

long getline(char **line, size_t *size, struct stream *s) { return getdelim(line, size, '\n', s); }

/* Of an element that comes in part, some bytes are there. */
size_t fread(void *to, size_t size, size_t count, struct stream *s) {
  if (size == 0 || count == 0)
    return 0;
  before_reading(s);
  if (s->pushed)
    __tour_unsupported("library", "a block that begins with a character that was pushed back");
  if (s->end)
    return 0;
  size_t read = (size_t)from_to(0, at_most(count)), bytes = read * size;
  if (read < count) {
    bytes += (size_t)from_to(0, at_most(size - 1));
    stop(s);
  }
  for (size_t i = 0; i < bytes; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return read;
}

long read(int file, void *to, size_t size) {
  if (file < 0) {
    __set_errno(NO_FILE);
    return -1;
  }
  long read = from_to(-1, at_most(size));
  if (read < 0)
    __fails();
  for (long i = 0; i < read; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return read;
}

struct stream *__standard_input(void) { return &__standard_streams[0]; }

/* `scanf`: some of `count` conversions succeed, or none because the input has ended. It may have been seen to end behind the
   last one too. */
int __reads_input(struct stream *s, int count) {
  __tour_atomic_begin();
  before_reading(s);
  if (s->pushed)
    __tour_unsupported("library", "a character that was pushed back is read by a format");
  int done = s->end ? -1 : (int)from_to(-1, count);
  /* A format that asks for nothing need not look at the input. */
  if (done < 0 && count == 0)
    __tour_uncomputed_int();
  if (done < 0 && !s->end)
    stop(s);
  else if (!s->end && __VERIFIER_nondet_int())
    stop(s);
  __tour_atomic_end();
  return done;
}

/* The state of a stream. */

int feof(struct stream *s) {
  use(s);
  return s->end ? __any_true(1) : 0;
}

/* Calls that print and whose results nobody asks for are not seen here. */
static int is_output(struct stream *s) { return s == &__standard_streams[1] || s == &__standard_streams[2]; }

int ferror(struct stream *s) {
  __tour_atomic_begin();
  use(s);
  if (!s->error && s->unsure)
    s->error = __VERIFIER_nondet_int() != 0;
  else if (!s->error && is_output(s))
    s->error = __tour_uncomputed_int() != 0;
  s->unsure = 0;
  int error = s->error;
  __tour_atomic_end();
  return error ? __any_true(1) : 0;
}

int feof_unlocked(struct stream *s) { return feof(s); }

int ferror_unlocked(struct stream *s) { return ferror(s); }

void clearerr(struct stream *s) {
  use(s);
  s->end = s->error = s->unsure = 0;
}

int fseek(struct stream *s, long offset, int from) {
  use(s);
  if (from < 0 || from > 2) {
    __set_errno(INVALID);
    return -1;
  }
  if (__VERIFIER_nondet_int()) {
    __fails();
    return -1;
  }
  s->end = s->pushed = 0;
  return 0;
}

int fseeko(struct stream *s, long offset, int from) { return fseek(s, offset, from); }

int fseeko64(struct stream *s, long long offset, int from) { return fseek(s, (long)offset, from); }

void rewind(struct stream *s) {
  if (fseek(s, 0, 0) != 0 && __tour_unspecified())
    s->end = 0;
  s->error = s->unsure = 0;
}

long ftell(struct stream *s) {
  use(s);
  long at = from_to(-1, 0x7fffffff);
  if (at < 0)
    __fails();
  return at;
}

long ftello(struct stream *s) { return ftell(s); }

long long ftello64(struct stream *s) { return ftell(s); }

static struct stream *opened(void) {
  if (__VERIFIER_nondet_int() == 0) {
    __fails();
    return 0;
  }
  struct stream *s = __tour_object(sizeof *s);
  s->end = s->error = s->closed = s->wrote = s->unsure = s->pushed = 0;
  return s;
}

struct stream *fopen(const char *path, const char *mode) {
  reads(path, strlen(path));
  reads(mode, strlen(mode));
  return opened();
}

struct stream *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

struct stream *fdopen(int file, const char *mode) {
  reads(mode, strlen(mode));
  return opened();
}

struct stream *tmpfile(void) { return opened(); }

struct stream *popen(const char *command, const char *mode) {
  reads(command, strlen(command));
  reads(mode, strlen(mode));
  return opened();
}

/* The stream stands for another file, or is closed. */
struct stream *freopen(const char *path, const char *mode, struct stream *s) {
  if (path)
    reads(path, strlen(path));
  reads(mode, strlen(mode));
  use(s);
  if (__VERIFIER_nondet_int() == 0) {
    __fails();
    s->closed = 1;
    return 0;
  }
  s->end = s->error = s->wrote = s->unsure = s->pushed = 0;
  return s;
}

int fclose(struct stream *s) {
  use(s);
  s->closed = 1;
  if (__VERIFIER_nondet_int() >= 0)
    return 0;
  __fails();
  return -1;
}

int pclose(struct stream *s) {
  use(s);
  s->closed = 1;
  int status = __VERIFIER_nondet_int();
  if (status < 0)
    __fails();
  return status < 0 ? -1 : status;
}

/* Output. */

int fflush(struct stream *s) {
  if (s)
    use(s);
  if (__VERIFIER_nondet_int() >= 0)
    return 0;
  /* Nothing may be left to write. */
  if (!s || !s->unsure)
    __tour_uncomputed_int();
  if (s)
    s->error = 1;
  __fails();
  return -1;
}

/* What is printed is seen to by the caller: see `sema::format`. */
int fprintf(struct stream *s, const char *format, ...) {
  use(s);
  s->wrote = s->unsure = 1;
  return 0;
}

/* What `printf` and `fprintf` give: how many characters were printed. */
int __printed(struct stream *s, size_t count) { return fails_to_write(s) ? -1 : (int)count; }

int __printed_any(struct stream *s) {
  int count = __tour_uncomputed_int();
  return count < 0 || fails_to_write(s) ? -1 : count;
}

int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list list);

int vfprintf(struct stream *s, const char *format, __builtin_va_list list) {
  int count = vsnprintf(0, 0, format, list);
  return fails_to_write(s) || count < 0 ? -1 : count;
}

int vprintf(const char *format, __builtin_va_list list) {
  int count = vsnprintf(0, 0, format, list);
  return fails_to_write(&__standard_streams[1]) || count < 0 ? -1 : count;
}

void *__standard_output(void) { return &__standard_streams[1]; }

int __put(int c) { return fails_to_write(&__standard_streams[1]) ? -1 : c & 255; }

int __put_text(const char *text) {
  return fails_to_write(&__standard_streams[1]) ? -1 : __any_number((int)strlen(text) + 1);
}

int fputs(const char *text, struct stream *s) { return fails_to_write(s) ? -1 : __any_number(1); }

int fputc(int c, struct stream *s) { return fails_to_write(s) ? -1 : c & 255; }

int putc(int c, struct stream *s) { return fails_to_write(s) ? -1 : c & 255; }

int fputc_unlocked(int c, struct stream *s) { return fails_to_write(s) ? -1 : c & 255; }

int putc_unlocked(int c, struct stream *s) { return fails_to_write(s) ? -1 : c & 255; }

int putchar_unlocked(int c) { return fails_to_write(&__standard_streams[1]) ? -1 : c & 255; }

void perror(const char *text) {
  if (text)
    reads(text, strlen(text));
  __any_errno();
}

size_t fwrite(const void *from, size_t size, size_t count, struct stream *s) {
  use(s);
  if (size == 0 || count == 0)
    return 0;
  reads(from, size * count);
  return fails_to_write(s) ? (size_t)from_to(0, at_most(count - 1)) : count;
}

long write(int file, const void *from, size_t size) {
  if (file < 0) {
    __set_errno(NO_FILE);
    return -1;
  }
  reads(from, size);
  long written = from_to(-1, at_most(size));
  if (written < 0)
    __fails();
  return written;
}
