/* Random numbers: any numbers. After a generator was seeded twice its numbers may be those that it gave before, so that
   only what holds for all numbers is said of them. */

int __VERIFIER_nondet_int(void);

struct generator {
  int used;
  int again;
};

static struct generator simple, better, linear;

static void seed(struct generator *g) {
  g->again = g->used;
  g->used = 1;
}

static int any(struct generator *g) {
  g->used = 1;
  return g->again ? __tour_uncomputed_int() : __VERIFIER_nondet_int();
}

/* From 0 to RAND_MAX. */
int rand(void) { return any(&simple) & 0x7fffffff; }

void srand(unsigned number) { seed(&simple); }

long random(void) { return any(&better) & 0x7fffffff; }

void srandom(unsigned number) { seed(&better); }

int rand_r(unsigned *state) {
  *state = (unsigned)__tour_uncomputed_int();
  return __tour_uncomputed_int() & 0x7fffffff;
}

long lrand48(void) { return any(&linear) & 0x7fffffff; }

long mrand48(void) { return any(&linear); }

double drand48(void) {
  double high = (unsigned)any(&linear), low = (unsigned)any(&linear) & 0xffff;
  return high / 4294967296.0 + low / 281474976710656.0;
}

void srand48(long number) { seed(&linear); }

static unsigned short seed_before[3];

unsigned short *seed48(unsigned short *state) {
  for (int i = 0; i < 3; i++) {
    state[i];
    seed_before[i] = (unsigned short)__tour_uncomputed_int();
  }
  seed(&linear);
  return seed_before;
}
