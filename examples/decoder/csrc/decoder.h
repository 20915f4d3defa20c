#ifndef DECODER_H
#define DECODER_H

#include <stddef.h>
#include <stdint.h>

/* A record of the wire format: a tag, the length of the value, the value. */
struct record {
    uint8_t tag;
    uint8_t length;
    /* Where the value begins in the message. */
    size_t offset;
};

/*
 * Reads the record at `at` of a message of `size` bytes.
 * Returns where the next one begins, or 0 if the message ends too early.
 */
size_t record_next(const uint8_t *message, size_t size, size_t at, struct record *record);

/* The sum of the bytes of a record's value. */
uint32_t record_sum(const uint8_t *message, const struct record *record);

#endif
