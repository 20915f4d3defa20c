int bad_zero(int n) {
  char text[n - 7];
  return sizeof text != 0;
}

int bad_negative(int n) {
  int words[3][n - 8];
  return sizeof words != 0;
}

int good_positive(int n) {
  char text[(n & 7) + 1];
  text[n & 7] = 1;
  return text[n & 7];
}

int good_tested(int n) {
  if (n < 1 || n > 100)
    return 0;
  char text[n];
  text[0] = 1;
  return text[0];
}
