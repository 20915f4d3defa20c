/* <pthread.h>, <semaphore.h>, <threads.h>: objects that threads wait for, over atomic sections. A thread that waits is one that
   is blocked as long as its condition does not hold. The records lie at the beginning of the objects that the system's headers
   declare; `struct __tour_mutex` has its fields where they have them, so that static initialisers keep their meaning. */

int __VERIFIER_nondet_int(void);
void __tour_atomic_begin(void);
void __tour_atomic_end(void);
int __tour_thread_self(void);
void __tour_misuse(const char *);
void __tour_blocked(void);
void __tour_not_modelled(const char *);
int __tour_unspecified(void);
void __set_errno(int reason);
void *malloc(size_t size);
void free(void *block);

/* 1 if the rule `mutex-misuse` is checked; otherwise such calls do what they do on most systems. */
static int __tour_misuse_is_checked;

/* 1 if the rule `deadlock` is checked. */
static int __tour_deadlock_is_checked;

/* 1 if the id of a thread may be that of an earlier one. */
static int __tour_ids_are_reused;

enum { RECURSIVE = 1, ERRORCHECK = 2, ADAPTIVE = 3, SERIAL = -1 };

/* In place of a kind, an owner or a value: the object was destroyed. */
enum { DESTROYED = -1 };

/* Errors. */
enum {
  NOT_OWNER = 1,
  AGAIN = 11,
  BUSY = 16,
  INVALID = 22,
  DEADLOCK = 35,
  OVERFLOW = 75,
  NOT_SUPPORTED = 95,
  TIMED_OUT = 110,
};

/* A point in time: seconds and nanoseconds, of which there are less than a billion. */
static int is_no_time(const long *until) { return until[1] < 0 || until[1] >= 1000000000; }

struct __tour_mutexattr { int kind; };
struct __tour_rwlock { int writer; int readers; };
struct __tour_barrier { unsigned count; unsigned waiting; unsigned round; };
struct __tour_semaphore { int value; };
struct __tour_once { int state; };
struct __tour_spin { int owner; };

/* Mutexes. */

int pthread_mutexattr_init(struct __tour_mutexattr *attr) { attr->kind = 0; return 0; }
int pthread_mutexattr_destroy(struct __tour_mutexattr *attr) { return 0; }

int pthread_mutexattr_settype(struct __tour_mutexattr *attr, int kind) {
  if (kind < 0 || kind > ADAPTIVE)
    return INVALID;
  attr->kind = kind;
  return 0;
}

int pthread_mutexattr_gettype(const struct __tour_mutexattr *attr, int *kind) { *kind = attr->kind; return 0; }

int pthread_mutex_init(struct __tour_mutex *m, const struct __tour_mutexattr *attr) {
  __tour_atomic_begin();
  m->owner = 0;
  m->count = 0;
  if (attr)
    m->kind = attr->kind;
  else
    m->kind = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_mutex_destroy(struct __tour_mutex *m) {
  __tour_atomic_begin();
  if (__tour_misuse_is_checked && m->owner != 0)
    __tour_misuse("a mutex is destroyed while a thread holds it");
  if (m->kind == DESTROYED)
    __tour_not_modelled("a mutex is used after it was destroyed");
  int held = m->owner != 0;
  if (!held)
    m->kind = DESTROYED;
  __tour_atomic_end();
  return held ? BUSY : 0;
}

int pthread_mutex_lock(struct __tour_mutex *m) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (m->kind == DESTROYED)
    __tour_not_modelled("a mutex is used after it was destroyed");
  if (m->kind == RECURSIVE && m->owner == self) {
    m->count++;
  } else {
    if (m->kind == ERRORCHECK && m->owner == self) {
      __tour_atomic_end();
      return DEADLOCK;
    }
    if (m->owner != 0)
      __tour_blocked();
    m->owner = self;
  }
  __tour_atomic_end();
  return 0;
}

int pthread_mutex_trylock(struct __tour_mutex *m) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (m->kind == DESTROYED)
    __tour_not_modelled("a mutex is used after it was destroyed");
  int result = 0;
  if (m->owner == 0)
    m->owner = self;
  else if (m->kind == RECURSIVE && m->owner == self)
    m->count++;
  else
    result = BUSY;
  __tour_atomic_end();
  return result;
}

/* Time passes while another thread holds the mutex, or for ever where the thread itself does. */
int pthread_mutex_timedlock(struct __tour_mutex *m, const long *until) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (m->kind == DESTROYED)
    __tour_not_modelled("a mutex is used after it was destroyed");
  int result = 0;
  if (m->owner == 0)
    m->owner = self;
  else if (m->kind == RECURSIVE && m->owner == self)
    m->count++;
  else if (m->kind == ERRORCHECK && m->owner == self)
    result = DEADLOCK;
  else if (is_no_time(until))
    result = INVALID;
  else if (m->owner == self || __VERIFIER_nondet_int())
    result = TIMED_OUT;
  else
    __tour_blocked();
  __tour_atomic_end();
  return result;
}

int pthread_mutex_unlock(struct __tour_mutex *m) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (m->kind == DESTROYED)
    __tour_not_modelled("a mutex is used after it was destroyed");
  if (m->owner != self) {
    if (m->kind == ERRORCHECK || m->kind == RECURSIVE) {
      __tour_atomic_end();
      return NOT_OWNER;
    }
    if (__tour_misuse_is_checked)
      __tour_misuse("a mutex is unlocked by a thread that does not hold it");
  }
  if (m->kind == RECURSIVE && m->count > 0)
    m->count--;
  else
    m->owner = 0;
  __tour_atomic_end();
  return 0;
}

/* Condition variables. POSIX lets a thread wake up without a signal, so that waiting is giving up the mutex for a
   while. */

int pthread_cond_init(void *c, const void *attr) { return 0; }
int pthread_cond_destroy(void *c) { return 0; }
int pthread_cond_signal(void *c) { return 0; }
int pthread_cond_broadcast(void *c) { return 0; }

int pthread_cond_wait(void *c, struct __tour_mutex *m) {
  if (__tour_deadlock_is_checked)
    __tour_not_modelled("condition variables where deadlocks are checked");
  int error = pthread_mutex_unlock(m);
  if (error)
    return error;
  pthread_mutex_lock(m);
  return 0;
}

int pthread_cond_timedwait(void *c, struct __tour_mutex *m, const long *until) {
  if (is_no_time(until))
    return INVALID;
  if (__tour_deadlock_is_checked)
    __tour_not_modelled("condition variables where deadlocks are checked");
  int error = pthread_mutex_unlock(m);
  if (error)
    return error;
  pthread_mutex_lock(m);
  return __VERIFIER_nondet_int() ? TIMED_OUT : 0;
}

/* Read-write locks. */

int pthread_rwlock_init(struct __tour_rwlock *l, const void *attr) {
  __tour_atomic_begin();
  l->writer = 0;
  l->readers = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_destroy(struct __tour_rwlock *l) {
  __tour_atomic_begin();
  if (__tour_misuse_is_checked && (l->writer != 0 || l->readers != 0))
    __tour_misuse("a lock is destroyed while a thread holds it");
  l->writer = DESTROYED;
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_rdlock(struct __tour_rwlock *l) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  if (l->writer == self) {
    __tour_atomic_end();
    return DEADLOCK;
  }
  if (l->writer != 0)
    __tour_blocked();
  l->readers++;
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_wrlock(struct __tour_rwlock *l) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  if (l->writer == self) {
    __tour_atomic_end();
    return DEADLOCK;
  }
  if (l->writer != 0 || l->readers != 0)
    __tour_blocked();
  l->writer = self;
  __tour_atomic_end();
  return 0;
}

/* Whether a time that is none is looked at where there is no need to wait, is open. */
static int timed_error(int waits, int by_itself, const long *until) {
  if (is_no_time(until) && (waits || __tour_unspecified()))
    return INVALID;
  if (by_itself)
    return DEADLOCK;
  return waits && __VERIFIER_nondet_int() ? TIMED_OUT : 0;
}

int pthread_rwlock_timedrdlock(struct __tour_rwlock *l, const long *until) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  int error = timed_error(l->writer != 0, l->writer == self, until);
  if (error == 0) {
    if (l->writer != 0)
      __tour_blocked();
    l->readers++;
  }
  __tour_atomic_end();
  return error;
}

int pthread_rwlock_timedwrlock(struct __tour_rwlock *l, const long *until) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  int error = timed_error(l->writer != 0 || l->readers != 0, l->writer == self, until);
  if (error == 0) {
    if (l->writer != 0 || l->readers != 0)
      __tour_blocked();
    l->writer = self;
  }
  __tour_atomic_end();
  return error;
}

int pthread_rwlock_tryrdlock(struct __tour_rwlock *l) {
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  int result = BUSY;
  if (l->writer == 0) {
    l->readers++;
    result = 0;
  }
  __tour_atomic_end();
  return result;
}

int pthread_rwlock_trywrlock(struct __tour_rwlock *l) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  int result = BUSY;
  if (l->writer == 0 && l->readers == 0) {
    l->writer = self;
    result = 0;
  }
  __tour_atomic_end();
  return result;
}

int pthread_rwlock_unlock(struct __tour_rwlock *l) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer == DESTROYED)
    __tour_not_modelled("a read-write lock is used after it was destroyed");
  if (l->writer == self) {
    l->writer = 0;
  } else {
    if (l->readers == 0 && __tour_misuse_is_checked)
      __tour_misuse("a lock is released that no thread holds");
    l->readers--;
  }
  __tour_atomic_end();
  return 0;
}

/* Spin locks. */

int pthread_spin_init(struct __tour_spin *s, int shared) {
  __tour_atomic_begin();
  s->owner = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_spin_destroy(struct __tour_spin *s) {
  __tour_atomic_begin();
  s->owner = DESTROYED;
  __tour_atomic_end();
  return 0;
}

int pthread_spin_lock(struct __tour_spin *s) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (s->owner == DESTROYED)
    __tour_not_modelled("a spin lock is used after it was destroyed");
  if (s->owner != 0)
    __tour_blocked();
  s->owner = self;
  __tour_atomic_end();
  return 0;
}

int pthread_spin_trylock(struct __tour_spin *s) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (s->owner == DESTROYED)
    __tour_not_modelled("a spin lock is used after it was destroyed");
  int result = BUSY;
  if (s->owner == 0) {
    s->owner = self;
    result = 0;
  }
  __tour_atomic_end();
  return result;
}

int pthread_spin_unlock(struct __tour_spin *s) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (s->owner == DESTROYED)
    __tour_not_modelled("a spin lock is used after it was destroyed");
  if (__tour_misuse_is_checked && s->owner != self)
    __tour_misuse("a spin lock is released by a thread that does not hold it");
  s->owner = 0;
  __tour_atomic_end();
  return 0;
}

/* Barriers. */

int pthread_barrier_init(struct __tour_barrier *b, const void *attr, unsigned count) {
  if (count == 0 || count >= 0x7fffffff)
    return INVALID;
  __tour_atomic_begin();
  b->count = count;
  b->waiting = 0;
  b->round = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_barrier_destroy(struct __tour_barrier *b) {
  __tour_atomic_begin();
  b->count = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_barrier_wait(struct __tour_barrier *b) {
  __tour_atomic_begin();
  if (b->count == 0)
    __tour_not_modelled("a barrier is used that is not initialised, or was destroyed");
  unsigned round = b->round;
  b->waiting++;
  if (b->waiting == b->count) {
    b->waiting = 0;
    b->round = round + 1;
    __tour_atomic_end();
    return SERIAL;
  }
  __tour_atomic_end();
  __tour_atomic_begin();
  if (b->round == round)
    __tour_blocked();
  __tour_atomic_end();
  return 0;
}

/* Semaphores. */

static int sem_fails(int reason) {
  __set_errno(reason);
  return -1;
}

int sem_init(struct __tour_semaphore *s, int shared, unsigned value) {
  if (value > 0x7fffffff)
    return sem_fails(INVALID);
  __tour_atomic_begin();
  s->value = value;
  __tour_atomic_end();
  return 0;
}

int sem_destroy(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  s->value = DESTROYED;
  __tour_atomic_end();
  return 0;
}

int sem_wait(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  if (s->value == DESTROYED)
    __tour_not_modelled("a semaphore is used after it was destroyed");
  if (s->value <= 0)
    __tour_blocked();
  s->value--;
  __tour_atomic_end();
  return 0;
}

int sem_trywait(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  if (s->value == DESTROYED)
    __tour_not_modelled("a semaphore is used after it was destroyed");
  int free = s->value > 0;
  if (free)
    s->value--;
  __tour_atomic_end();
  return free ? 0 : sem_fails(AGAIN);
}

int sem_timedwait(struct __tour_semaphore *s, const long *until) {
  __tour_atomic_begin();
  if (s->value == DESTROYED)
    __tour_not_modelled("a semaphore is used after it was destroyed");
  int error = timed_error(s->value <= 0, 0, until);
  if (error == 0) {
    if (s->value <= 0)
      __tour_blocked();
    s->value--;
  }
  __tour_atomic_end();
  return error ? sem_fails(error) : 0;
}

int sem_post(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  if (s->value == DESTROYED)
    __tour_not_modelled("a semaphore is used after it was destroyed");
  int full = s->value == 0x7fffffff;
  if (!full)
    s->value++;
  __tour_atomic_end();
  return full ? sem_fails(OVERFLOW) : 0;
}

int sem_getvalue(struct __tour_semaphore *s, int *value) {
  __tour_atomic_begin();
  if (s->value == DESTROYED)
    __tour_not_modelled("a semaphore is used after it was destroyed");
  int now = s->value;
  __tour_atomic_end();
  *value = now;
  return 0;
}

/* Once. */

int pthread_once(struct __tour_once *o, void (*run)(void)) {
  __tour_atomic_begin();
  int state = o->state;
  if (state == 0)
    o->state = 1;
  __tour_atomic_end();
  if (state == 0) {
    run();
    __tour_atomic_begin();
    o->state = 2;
    __tour_atomic_end();
  } else {
    __tour_atomic_begin();
    if (o->state != 2)
      __tour_blocked();
    __tour_atomic_end();
  }
  return 0;
}

/* Values of each thread's own. What destroys them at the end of a thread is not modelled. */

enum { KEYS = 64 };

static _Thread_local void *values[KEYS];
/* 0: not yet, 1: in use, 2: with what destroys its values, 3: deleted. */
static int keys[KEYS];
static unsigned key_count;

int pthread_key_create(unsigned *key, void (*destroy)(void *)) {
  __tour_atomic_begin();
  if (key_count >= KEYS)
    __tour_not_modelled("so many keys");
  unsigned made = key_count++;
  keys[made] = destroy ? 2 : 1;
  __tour_atomic_end();
  *key = made;
  return 0;
}

static int key_state(unsigned key) {
  __tour_atomic_begin();
  int state = key < KEYS ? keys[key] : 0;
  __tour_atomic_end();
  return state;
}

int pthread_key_delete(unsigned key) {
  int state = key_state(key);
  if (state != 1 && state != 2)
    return INVALID;
  __tour_atomic_begin();
  keys[key] = 3;
  __tour_atomic_end();
  return 0;
}

int pthread_setspecific(unsigned key, const void *value) {
  int state = key_state(key);
  if (state != 1 && state != 2)
    return INVALID;
  if (state == 2 && value)
    __tour_not_modelled("what destroys the values of a key when a thread ends");
  values[key] = (void *)value;
  return 0;
}

void *pthread_getspecific(unsigned key) {
  int state = key_state(key);
  return state == 1 || state == 2 ? values[key] : 0;
}

/* Threads. */

int pthread_attr_init(void *attr) { return 0; }
int pthread_attr_destroy(void *attr) { return 0; }
int pthread_attr_setdetachstate(void *attr, int state) { return state == 0 || state == 1 ? 0 : INVALID; }
int pthread_attr_setstacksize(void *attr, size_t size) { return size < 16384 ? INVALID : 0; }
int pthread_attr_setscope(void *attr, int scope) { return scope == 0 ? 0 : scope == 1 ? NOT_SUPPORTED : INVALID; }
int pthread_equal(unsigned long a, unsigned long b) {
  if (a != b) {
    if (__tour_ids_are_reused)
      __tour_not_modelled("whether a thread has the id of one that has ended");
    return 0;
  }
  int same = __tour_unspecified();
  return same ? same : 1;
}
int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }

/* <threads.h>: the same under other names, with results of its own. */

enum { TRIED = 1, FAILED = 2, TOO_LATE = 4 };

static int result_of(int error) { return error == 0 ? 0 : error == BUSY ? TRIED : error == TIMED_OUT ? TOO_LATE : FAILED; }

/* A thread begins with a function that gives an `int`: see `sema::thread`. */
struct __start {
  int (*run)(void *);
  void *argument;
};

void *__thread_given(void *run, void *argument) {
  struct __start *given = malloc(sizeof *given);
  given->run = (int (*)(void *))run;
  given->argument = argument;
  return given;
}

void *__thread_run(void *given) {
  struct __start begin = *(struct __start *)given;
  free(given);
  return (void *)(long)begin.run(begin.argument);
}

void __thread_result(void *returned, int *to) {
  if (to)
    *to = (int)(long)returned;
}

int thrd_equal(unsigned long a, unsigned long b) { return pthread_equal(a, b); }
void thrd_yield(void) {}

int mtx_init(struct __tour_mutex *m, int kind) {
  if (kind < 0 || kind > 3)
    return FAILED;
  __tour_atomic_begin();
  m->owner = 0;
  m->count = 0;
  m->kind = kind & 1 ? RECURSIVE : 0;
  __tour_atomic_end();
  return 0;
}

void mtx_destroy(struct __tour_mutex *m) { pthread_mutex_destroy(m); }
int mtx_lock(struct __tour_mutex *m) { return result_of(pthread_mutex_lock(m)); }
/* It may fail without a reason (C17 7.26.4.5). */
int mtx_trylock(struct __tour_mutex *m) { return __tour_unspecified() ? TRIED : result_of(pthread_mutex_trylock(m)); }
int mtx_timedlock(struct __tour_mutex *m, const long *until) { return result_of(pthread_mutex_timedlock(m, until)); }
int mtx_unlock(struct __tour_mutex *m) { return result_of(pthread_mutex_unlock(m)); }

int cnd_init(void *c) { return 0; }
void cnd_destroy(void *c) {}
int cnd_signal(void *c) { return 0; }
int cnd_broadcast(void *c) { return 0; }
int cnd_wait(void *c, struct __tour_mutex *m) { return result_of(pthread_cond_wait(c, m)); }
int cnd_timedwait(void *c, struct __tour_mutex *m, const long *until) {
  return result_of(pthread_cond_timedwait(c, m, until));
}

void call_once(struct __tour_once *o, void (*run)(void)) { pthread_once(o, run); }

int tss_create(unsigned *key, void (*destroy)(void *)) { return result_of(pthread_key_create(key, destroy)); }
void tss_delete(unsigned key) { pthread_key_delete(key); }
int tss_set(unsigned key, void *value) { return result_of(pthread_setspecific(key, value)); }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
