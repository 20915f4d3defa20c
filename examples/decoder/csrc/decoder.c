#include "decoder.h"

size_t record_next(const uint8_t *message, size_t size, size_t at, struct record *record) {
    if (at >= size || size - at < 2) {
        return 0;
    }
    record->tag = message[at];
    record->length = message[at + 1];
    record->offset = at + 2;
#ifdef BUG
    /* A long value makes the sum wrap around, and is taken to fit. */
    uint8_t needed = record->length + 2;
#else
    size_t needed = (size_t)record->length + 2;
#endif
    if (size - at < needed) {
        return 0;
    }
    return at + needed;
}

uint32_t record_sum(const uint8_t *message, const struct record *record) {
    uint32_t sum = 0;
    for (size_t i = 0; i < record->length; i++) {
        sum += message[record->offset + i];
    }
    return sum;
}
