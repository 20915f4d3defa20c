// Atomic operations on flags, pointers, records and their sizes.
#include <assert.h>
#include <stdatomic.h>

char small = 4;
int wide = 0x100;
int cells[4];
int *at = cells;
atomic_flag flag = ATOMIC_FLAG_INIT;
struct pair {
    int a, b;
};
_Atomic struct pair pair;

int main(void)
{
    // A flag is one byte, and counts as set if that is not zero.
    assert(__atomic_test_and_set(&small, __ATOMIC_SEQ_CST) == 1 && small == 1);
    assert(__atomic_test_and_set(&wide, __ATOMIC_SEQ_CST) == 0 && wide == 0x101);
    wide = 0x7ff;
    __atomic_clear((_Bool *)&wide, __ATOMIC_SEQ_CST);
    assert(wide == 0x700);
    assert(!atomic_flag_test_and_set(&flag));
    assert(atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    assert(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    // Pointers are moved by bytes.
    assert(__sync_fetch_and_add(&at, 4) == cells && at == cells + 1);
    assert(__atomic_add_fetch(&at, 8, __ATOMIC_SEQ_CST) == cells + 3);
    assert(__atomic_sub_fetch(&at, 12, __ATOMIC_SEQ_CST) == cells && at == cells);
    assert(__atomic_exchange_n(&at, cells + 2, __ATOMIC_SEQ_CST) == cells && at == cells + 2);
    assert(__atomic_always_lock_free(sizeof(int), 0));
    assert(atomic_is_lock_free(&flag));
    struct pair one = {1, 2};
    atomic_store(&pair, one);
    struct pair two = atomic_load(&pair);
    assert(two.a == 1 && two.b == 2);
    struct pair three = {3, 4};
    two = atomic_exchange(&pair, three);
    assert(two.a == 1 && two.b == 2);
    two = atomic_load(&pair);
    assert(two.a == 3 && two.b == 4);
    return 0;
}
