#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

#define RING_MAX 8

/* A queue of bytes in a circular buffer. */
struct ring {
    uint8_t data[RING_MAX];
    size_t capacity;
    size_t head;
    size_t length;
};

/* 0, or -1 if the capacity is 0 or more than RING_MAX. */
int ring_init(struct ring *ring, size_t capacity);

/* 0, or -1 if the ring is full. */
int ring_push(struct ring *ring, uint8_t byte);

/* The oldest byte, or -1 if the ring is empty. */
int ring_pop(struct ring *ring);

#endif
