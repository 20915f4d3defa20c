/* <errno.h>: one thread, one number. */

static int number;

int *__errno_location(void) { return &number; }
