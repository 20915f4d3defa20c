/* <pthread.h>, <semaphore.h>: objects that threads wait for, over atomic sections. A thread that waits is one that
   is blocked as long as its condition does not hold. The records lie at the beginning of the objects that the system's headers
   declare; `struct __tour_mutex` has its fields where they have them, so that static initialisers keep their meaning. */

int __VERIFIER_nondet_int(void);
void __tour_atomic_begin(void);
void __tour_atomic_end(void);
int __tour_thread_self(void);
void __tour_misuse(const char *);
void __tour_blocked(void);
void __tour_not_modelled(const char *);

/* 1 if the rule `mutex-misuse` is checked; otherwise such calls do what they do on most systems. */
static int __tour_misuse_is_checked;

/* 1 if the rule `deadlock` is checked. */
static int __tour_deadlock_is_checked;

enum { RECURSIVE = 1, ERRORCHECK = 2, BUSY = 16, DEADLOCK = 35, NOT_OWNER = 1, AGAIN = 11, SERIAL = -1 };

struct __tour_mutexattr { int kind; };
struct __tour_rwlock { int writer; int readers; };
struct __tour_barrier { int count; int waiting; int round; };
struct __tour_semaphore { int value; };
struct __tour_once { int state; };
struct __tour_spin { int owner; };

/* Mutexes. */

int pthread_mutexattr_init(struct __tour_mutexattr *attr) { attr->kind = 0; return 0; }
int pthread_mutexattr_destroy(struct __tour_mutexattr *attr) { return 0; }
int pthread_mutexattr_settype(struct __tour_mutexattr *attr, int kind) { attr->kind = kind; return 0; }

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
  __tour_atomic_end();
  return 0;
}

int pthread_mutex_lock(struct __tour_mutex *m) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
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

int pthread_mutex_unlock(struct __tour_mutex *m) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
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
  pthread_mutex_unlock(m);
  pthread_mutex_lock(m);
  return 0;
}

int pthread_cond_timedwait(void *c, struct __tour_mutex *m, const void *until) {
  if (__tour_deadlock_is_checked)
    __tour_not_modelled("condition variables where deadlocks are checked");
  pthread_mutex_unlock(m);
  pthread_mutex_lock(m);
  return __VERIFIER_nondet_int() ? 110 : 0;
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
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_rdlock(struct __tour_rwlock *l) {
  __tour_atomic_begin();
  if (l->writer != 0)
    __tour_blocked();
  l->readers++;
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_wrlock(struct __tour_rwlock *l) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (l->writer != 0 || l->readers != 0)
    __tour_blocked();
  l->writer = self;
  __tour_atomic_end();
  return 0;
}

int pthread_rwlock_tryrdlock(struct __tour_rwlock *l) {
  __tour_atomic_begin();
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

int pthread_spin_destroy(struct __tour_spin *s) { return 0; }

int pthread_spin_lock(struct __tour_spin *s) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
  if (s->owner != 0)
    __tour_blocked();
  s->owner = self;
  __tour_atomic_end();
  return 0;
}

int pthread_spin_trylock(struct __tour_spin *s) {
  int self = __tour_thread_self();
  __tour_atomic_begin();
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
  if (__tour_misuse_is_checked && s->owner != self)
    __tour_misuse("a spin lock is released by a thread that does not hold it");
  s->owner = 0;
  __tour_atomic_end();
  return 0;
}

/* Barriers. */

int pthread_barrier_init(struct __tour_barrier *b, const void *attr, unsigned count) {
  __tour_atomic_begin();
  b->count = count;
  b->waiting = 0;
  b->round = 0;
  __tour_atomic_end();
  return 0;
}

int pthread_barrier_destroy(struct __tour_barrier *b) { return 0; }

int pthread_barrier_wait(struct __tour_barrier *b) {
  __tour_atomic_begin();
  int round = b->round;
  b->waiting++;
  if (b->waiting == b->count) {
    b->waiting = 0;
    b->round = !round;
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

int sem_init(struct __tour_semaphore *s, int shared, unsigned value) {
  __tour_atomic_begin();
  s->value = value;
  __tour_atomic_end();
  return 0;
}

int sem_destroy(struct __tour_semaphore *s) { return 0; }

int sem_wait(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  if (s->value <= 0)
    __tour_blocked();
  s->value--;
  __tour_atomic_end();
  return 0;
}

int sem_trywait(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  int result = -1;
  if (s->value > 0) {
    s->value--;
    result = 0;
  }
  __tour_atomic_end();
  return result;
}

int sem_post(struct __tour_semaphore *s) {
  __tour_atomic_begin();
  s->value++;
  __tour_atomic_end();
  return 0;
}

int sem_getvalue(struct __tour_semaphore *s, int *value) {
  __tour_atomic_begin();
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

/* Threads. */

int pthread_attr_init(void *attr) { return 0; }
int pthread_attr_destroy(void *attr) { return 0; }
int pthread_attr_setdetachstate(void *attr, int state) { return 0; }
int pthread_attr_setstacksize(void *attr, size_t size) { return 0; }
int pthread_attr_setscope(void *attr, int scope) { return 0; }
int pthread_detach(unsigned long thread) { return 0; }
int pthread_equal(unsigned long a, unsigned long b) { return a == b; }
int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }
