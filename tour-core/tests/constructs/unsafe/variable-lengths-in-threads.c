#include <pthread.h>
#include <assert.h>
int n = 2; int g;
void *f(void *p) { int k = *(int *)p; int a[k + 1]; a[k] = 5; assert(sizeof a == (k + 1) * sizeof(int)); __atomic_fetch_add(&g, a[k], 5); return 0; }
int main(void) { pthread_t t[n]; int one = 1, two = 2; pthread_create(&t[0], 0, f, &one); pthread_create(&t[1], 0, f, &two); pthread_join(t[0], 0); pthread_join(t[1], 0); assert(g != 10); return 0; }
