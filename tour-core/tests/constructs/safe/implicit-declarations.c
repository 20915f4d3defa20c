int main() {
  char *text = malloc(4);
  if (!text)
    return 0;
  strcpy(text, "abc");
  if (strlen(text) != 3 || memcmp(text, "abc", 4) != 0 || fabs(-2.5) != 2.5)
    abort();
  free(text);
  return 0;
}
