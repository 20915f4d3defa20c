// Library functions on strings and bytes.
int printf(const char *, ...);
int puts(const char *);
int putchar(int);
unsigned long strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, unsigned long);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, unsigned long);
char *strcat(char *, const char *);
char *strchr(const char *, int);
void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
int memcmp(const void *, const void *, unsigned long);

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void) {
    char buffer[32];
    printf("%d\n", (int)strlen("hello"));
    printf("%d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), sign(strcmp("a", "a")));
    printf("%d %d\n", sign(strcmp("a", "ab")), sign(strcmp("\xff", "a")));
    printf("%d %d\n", sign(strncmp("abc", "abd", 2)), sign(strncmp("abc", "abd", 3)));
    strcpy(buffer, "one");
    strcat(buffer, " two");
    puts(buffer);
    strncpy(buffer, "xyz", 2);
    puts(buffer);
    memset(buffer, '-', sizeof buffer);
    strncpy(buffer, "ab", 5);
    for (int i = 0; i < 8; i++) printf("%d ", buffer[i]);
    putchar('\n');
    char *found = strchr("hello", 'l');
    printf("%s %d\n", found, strchr("hello", 'z') == 0);
    printf("%s|\n", strchr("end", 0));
    char text[] = "0123456789";
    memmove(text + 2, text, 5);
    puts(text);
    memmove(text, text + 3, 5);
    puts(text);
    printf("%d %d\n", sign(memcmp("\x01\x02", "\x01\x03", 2)), memcmp("ab", "ac", 1));
    const char *words[] = { "alpha", "beta", "gamma" };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) printf("%s:%c ", words[i], words[i][i]);
    putchar(10);
    printf("%s\n", "joined " "by " "the " "compiler" + 7);
    printf("%d %d\n", (int)sizeof "abc", "abc"[1]);
    return 0;
}
