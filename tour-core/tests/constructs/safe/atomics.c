#include <assert.h>
#include <stdatomic.h>

static atomic_int counter;

int main(void) {
  atomic_fetch_add(&counter, 2);
  atomic_store(&counter, atomic_load(&counter) + 1);
  assert(counter == 3);
  int expected = 4;
  assert(!atomic_compare_exchange_strong(&counter, &expected, 5) && expected == 3);
  assert(atomic_compare_exchange_strong(&counter, &expected, 5) && counter == 5);
  assert(atomic_exchange(&counter, 8) == 5 && counter == 8);
  int plain = 0;
  __atomic_store_n(&plain, 4, __ATOMIC_SEQ_CST);
  assert(__atomic_load_n(&plain, __ATOMIC_RELAXED) == 4 && __sync_fetch_and_add(&plain, 1) == 4);
  return 0;
}
