/* Random numbers: any numbers. After a generator was seeded twice its numbers may be those that it gave before, so that
   only what holds for all numbers is said of them. */

int __VERIFIER_nondet_int(void);

/* How often a generator was seeded; `rand` and `random` may be one. At first it is as if it had been seeded with 1. */
static int seeds, linear_seeds;

static int any(int seeds) { return seeds > 1 ? __tour_uncomputed_int() : __VERIFIER_nondet_int(); }

static int seeded(int seeds, unsigned number) { return seeds > 0 || number == 1 ? 2 : 1; }

/* From 0 to RAND_MAX. */
int rand(void) { return any(seeds) & 0x7fffffff; }

void srand(unsigned number) { seeds = seeded(seeds, number); }

long random(void) { return any(seeds) & 0x7fffffff; }

void srandom(unsigned number) { seeds = seeded(seeds, number); }

int rand_r(unsigned *state) {
  *state = (unsigned)__tour_uncomputed_int();
  return __tour_uncomputed_int() & 0x7fffffff;
}

long lrand48(void) { return any(linear_seeds) & 0x7fffffff; }

long mrand48(void) { return any(linear_seeds); }

double drand48(void) {
  double high = (unsigned)any(linear_seeds), low = (unsigned)any(linear_seeds) & 0xffff;
  return high / 4294967296.0 + low / 281474976710656.0;
}

void srand48(long number) { linear_seeds = seeded(linear_seeds, 0); }

static unsigned short seed_before[3];

unsigned short *seed48(unsigned short *state) {
  for (int i = 0; i < 3; i++) {
    state[i];
    seed_before[i] = (unsigned short)__tour_uncomputed_int();
  }
  linear_seeds = 2;
  return seed_before;
}
