#include "ring.h"

int ring_init(struct ring *ring, size_t capacity) {
    if (capacity == 0 || capacity > RING_MAX) {
        return -1;
    }
    ring->capacity = capacity;
    ring->head = 0;
    ring->length = 0;
    return 0;
}

int ring_push(struct ring *ring, uint8_t byte) {
#ifdef BUG
    if (ring->length > ring->capacity) {
#else
    if (ring->length >= ring->capacity) {
#endif
        return -1;
    }
    size_t tail = ring->head + ring->length;
    if (tail >= ring->capacity) {
        tail -= ring->capacity;
    }
    ring->data[tail] = byte;
    ring->length += 1;
    return 0;
}

int ring_pop(struct ring *ring) {
    if (ring->length == 0) {
        return -1;
    }
    uint8_t byte = ring->data[ring->head];
    ring->head += 1;
    if (ring->head == ring->capacity) {
        ring->head = 0;
    }
    ring->length -= 1;
    return byte;
}
