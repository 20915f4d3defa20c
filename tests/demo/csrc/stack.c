#include "stack.h"

int stack_push(struct stack *s, uint16_t x) {
    if (s->top == STACK_SIZE) {
        return 0;
    }
    s->items[s->top++] = x;
    return 1;
}

int stack_pop(struct stack *s, uint16_t *x) {
    if (s->top == 0) {
        return 0;
    }
    *x = s->items[--s->top];
    return 1;
}
