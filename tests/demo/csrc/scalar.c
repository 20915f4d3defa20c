#include <stdint.h>

/* The average, rounded down, without overflow. */
uint32_t average(uint32_t a, uint32_t b) {
    return (a & b) + ((a ^ b) >> 1);
}

/* Meant to bring x into [low, high]; the lower end is forgotten. */
int32_t clamp_high(int32_t x, int32_t low, int32_t high) {
    (void)low;
    return x > high ? high : x;
}

/* A table lookup that trusts its caller. */
uint8_t digit(uint8_t n) {
    static const uint8_t digits[10] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'};
    return digits[n];
}
