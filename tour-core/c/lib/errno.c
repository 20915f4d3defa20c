/* <errno.h>: a number for each thread, set in this file alone. */

int __tour_unspecified(void);

static _Thread_local int __errno_number;

int *__errno_location(void) { return &__errno_number; }

/* A function of the library fails for this reason. */
void __set_errno(int reason) { __errno_number = reason; }

/* It fails for some reason, which is up to the system: errors are numbered from 1 to 133. */
void __fails(void) { __errno_number = 1 + (int)((unsigned)__tour_unspecified() % 133); }

/* A call that may leave anything in `errno`, whether it fails or not. */
void __any_errno(void) {
  if (__tour_unspecified())
    __fails();
}

/* `malloc` and its kin give null. */
void __no_memory(void) { __errno_number = 12; }

/* The square root of a negative number. */
void __root_errno(double x) {
  if (x < 0)
    __errno_number = 33;
}
