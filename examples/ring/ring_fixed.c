/*
 * Head, tail and fill level of a ring buffer with eight slots, driven by a
 * client that may do anything, for ever. The invariant: the fill level is never
 * more than the capacity. (ring_bug.c is the same with a bug.)
 */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int condition);

enum { CAPACITY = 8, PUSH = 0, POP = 1, CLEAR = 2 };

static unsigned head, tail, fill;

static int push(void)
{
    if (fill >= CAPACITY)
        return 0;
    tail = tail + 1 == CAPACITY ? 0 : tail + 1;
    fill++;
    return 1;
}

static int pop(void)
{
    if (fill == 0)
        return 0;
    head = head + 1 == CAPACITY ? 0 : head + 1;
    fill--;
    return 1;
}

int main(void)
{
    while (1) {
        switch (__VERIFIER_nondet_int()) {
        case PUSH:
            push();
            break;
        case POP:
            pop();
            break;
        case CLEAR:
            head = tail = fill = 0;
            break;
        default:
            return 0;
        }
        __VERIFIER_assert(fill <= CAPACITY);
        __VERIFIER_assert(head < CAPACITY && tail < CAPACITY);
    }
}
