#ifndef STACK_H
#define STACK_H
#include <stdint.h>

#define STACK_SIZE 4

struct stack {
    uint16_t items[STACK_SIZE];
    uint32_t top;
};

int stack_push(struct stack *s, uint16_t x);
int stack_pop(struct stack *s, uint16_t *x);
#endif
