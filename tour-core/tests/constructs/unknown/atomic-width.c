// Whether operations on two words need a lock depends on the processor.
#include <assert.h>

int main(void)
{
    assert(__atomic_always_lock_free(16, 0));
    return 0;
}
