/* What the standard leaves open. A run takes one of the values that libraries are known to give, a proof holds for all
   that the standard allows. */

int __tour_unspecified(void);

/* This choice is a value that no library is known to give. */
enum { NONE_IS_KNOWN = 0x7fffffff };

/* What comparisons of bytes give: only the sign is fixed. */
int __any_order(int difference) {
  if (difference == 0)
    return 0;
  int chosen = __tour_unspecified();
  if (chosen != NONE_IS_KNOWN)
    return chosen & 1 ? (difference < 0 ? -1 : 1) : difference;
  int any = __tour_uncomputed_int() & 0x7fffffff;
  return difference < 0 ? -1 - any : any + (any == 0);
}

/* A result that says yes: one, `usual`, or anything else but zero. */
int __any_true(int usual) {
  int chosen = __tour_unspecified();
  if (chosen != NONE_IS_KNOWN)
    return chosen & 1 ? usual : 1;
  int any = __tour_uncomputed_int();
  return any ? any : usual;
}

/* A number that is not negative: zero, `usual`, or any other. */
int __any_number(int usual) {
  int chosen = __tour_unspecified();
  if (chosen != NONE_IS_KNOWN)
    return chosen & 1 ? usual : 0;
  return __tour_uncomputed_int() & 0x7fffffff;
}
