int bad_division(int n) { return 100 / (n - 7); }

int bad_remainder(int n) {
  unsigned d = n - 7;
  return 100u % d;
}

int bad_assignment(int n) {
  int x = 5;
  x /= n - 7;
  return x;
}

int good_constant(int n) { return n / 3 % 5; }

int good_tested(int n) { return n > 0 ? 100 / n : 0; }

int good_double(int n) { return 1.0 / (n - 7) > 0.0; }

int bad_discarded(int n) {
  5 / (n - 7);
  return 0;
}

int bad_in_comma(int n) { return (n % (n - 7), n); }

int good_discarded(int n) {
  n == 7 || 5 / (n - 7);
  return 0;
}
