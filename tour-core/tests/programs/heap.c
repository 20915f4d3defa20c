// Dynamic memory: lists, trees, arrays that grow.
#include <stdlib.h>
#include <stdio.h>

struct node { int value; struct node *next; };
struct tree { long key; struct tree *left, *right; };

static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = list;
    return n;
}

static struct node *reverse(struct node *list) {
    struct node *result = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

static struct tree **find(struct tree **t, long key) {
    while (*t && (*t)->key != key) t = key < (*t)->key ? &(*t)->left : &(*t)->right;
    return t;
}

static int depth(const struct tree *t) {
    if (!t) return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}

static void walk(const struct tree *t, void (*f)(long)) {
    if (t) {
        walk(t->left, f);
        f(t->key);
        walk(t->right, f);
    }
}

static void release(struct tree *t) {
    if (!t) return;
    release(t->left);
    release(t->right);
    free(t);
}

static void print(long x) { printf("%ld ", x); }

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 8; i++) list = push(list, i * i);
    list = reverse(list);
    for (struct node *n = list; n; n = n->next) printf("%d ", n->value);
    printf("\n");
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    struct tree *root = NULL;
    unsigned long seed = 12345;
    for (int i = 0; i < 30; i++) {
        seed = seed * 1103515245 + 12345;
        long key = (long)(seed >> 16 & 255);
        struct tree **where = find(&root, key);
        if (!*where) {
            *where = calloc(1, sizeof **where);
            (*where)->key = key;
        }
    }
    walk(root, print);
    printf("depth %d\n", depth(root));
    release(root);
    int *grown = NULL;
    size_t used = 0, room = 0;
    for (int i = 0; i < 100; i++) {
        if (used == room) {
            room = room ? room * 2 : 1;
            grown = realloc(grown, room * sizeof *grown);
        }
        grown[used++] = i ^ 5;
    }
    long sum = 0;
    for (size_t i = 0; i < used; i++) sum = sum * 3 % 1000003 + grown[i];
    printf("%zu %zu %ld\n", used, room, sum);
    free(grown);
    free(NULL);
    return 0;
}
