int bad_reached(int n) {
  switch (n & 7) {
  case 0:
    return 1;
  case 1 ... 6:
    return 2;
  }
  __builtin_unreachable();
}

int good_covered(int n) {
  switch (n & 1) {
  case 0:
    return 1;
  case 1:
    return 2;
  }
  __builtin_unreachable();
}
